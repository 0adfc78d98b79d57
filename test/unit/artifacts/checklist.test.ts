// A list as the Markdown that people edit, there and back.
import assert from "node:assert/strict";
import { itemsAt, parseChecklist, printChecklist } from "../../../src/artifacts/checklist.ts";
import { type ArtifactList, type ListItem, newItem } from "../../../src/artifacts/list.ts";

const EARLIER = "2024-01-01T00:00:00.000Z";
const NOW = "2024-02-02T00:00:00.000Z";

function listOf(...titles: string[]): ArtifactList {
	return { name: "List", tags: [], items: titles.map((title) => ({ ...newItem({ title }, EARLIER), id: title.toLowerCase() })) };
}

/** Ids of known items, titles of new ones with a plus. */
function idsIn(list: ArtifactList, text: string): string[] {
	const known = new Set(list.items.map(({ id }) => id));
	return parseChecklist(text, list, NOW).items.map(({ id, title }) => (known.has(id) ? id : `+${title}`));
}

describe("a list as a checklist", () => {
	it("reads back as it was printed, whatever its items hold", () => {
		const items: ListItem[] = [
			newItem({ title: "Milk", tags: ["dairy", "kühl"], done: true }, EARLIER),
			newItem({ title: "Fix #3 and #bug", notes: "Look at\n\n- [ ] the first\n  indented\n#heading" }, EARLIER),
			newItem({ title: "#alone", tags: ["x"] }, EARLIER),
			newItem({ title: "- [x] not a mark", notes: "\ttab" }, EARLIER),
			newItem({ title: "Milk" }, EARLIER),
		];
		const list: ArtifactList = { name: "List", description: "What we need\n\n* soon", tags: [], items };
		const read = parseChecklist(printChecklist({ items }), { ...list, description: "" }, NOW);
		assert.deepEqual(read.items, items);
		assert.deepEqual(parseChecklist(printChecklist({ ...list, description: "What we need" }), list, NOW), {
			...list,
			description: "What we need",
		});
	});

	it("keeps an item's id when it is ticked, moved, or given another text in its place", () => {
		const list = listOf("A", "B", "C");
		assert.deepEqual(idsIn(list, "- [x] A\n- [ ] B\n- [ ] C\n"), ["a", "b", "c"]);
		assert.deepEqual(idsIn(list, "- [ ] C\n- [ ] A\n- [ ] B\n"), ["c", "a", "b"]);
		assert.deepEqual(idsIn(list, "- [ ] A\n- [ ] Bee\n- [ ] C\n"), ["a", "b", "c"]);
		assert.deepEqual(idsIn(list, "- [ ] A\n- [ ] C\n"), ["a", "c"]);
		assert.deepEqual(idsIn(list, "- [ ] A\n- [ ] X\n- [ ] Y\n- [ ] C\n"), ["a", "+X", "+Y", "c"]);
		assert.deepEqual(idsIn(list, ""), []);
	});

	it("never gives one id to two entries", () => {
		const list = listOf("A", "B");
		const { items } = parseChecklist("- [ ] A\n- [ ] A\n- [ ] B\n- [ ] B\n- [ ] A\n", list, NOW);
		assert.equal(new Set(items.map(({ id }) => id)).size, 5);
	});

	it("notes the time of what changed, and of that alone", () => {
		const { items } = parseChecklist("- [x] A\n- [ ] B\n", listOf("A", "B"), NOW);
		assert.deepEqual(
			items.map(({ updatedAt }) => updatedAt),
			[NOW, EARLIER],
		);
	});

	it("knows the items that lines belong to, by what they were when they were saved", () => {
		const list = listOf("A", "B", "C");
		const [a, b, c] = list.items.map(({ id }) => id);
		const text = "What it is for\n\n- [ ] A\n  a note\n\n  more of it\n- [ ] New\n- [x] B\n- [ ] C\n";
		const at = (first: number, last = first): string[] => itemsAt(text, list, [first, last]);
		assert.deepEqual([at(1, 2), at(3), at(4), at(6), at(7), at(8), at(9, 99)], [[], [a], [a], [a], [], [b], [c]]);
		assert.deepEqual(
			[at(4, 8), at(1, 9)],
			[
				[a, b],
				[a, b, c],
			],
		);
	});

	it("takes lines as a person writes them", () => {
		const read = (text: string) =>
			parseChecklist(text, listOf(), NOW).items.map(({ title, done, tags, notes }) => [title, done, tags, notes]);
		assert.deepEqual(read("milk\n\nbread\r\n"), [
			["milk", false, [], undefined],
			["bread", false, [], undefined],
		]);
		assert.deepEqual(read("milk\n[x] bread\n[ ] tea\n[y] jam\n"), [
			["milk", false, [], undefined],
			["bread", true, [], undefined],
			["tea", false, [], undefined],
			["[y] jam", false, [], undefined],
		]);
		assert.deepEqual(read("* [X] A #One #two\n+ B\n\n  a note\n\nC\n- [ ]\n"), [
			["A", true, ["one", "two"], undefined],
			["B", false, [], "a note"],
			["C", false, [], undefined],
		]);
		assert.deepEqual(read("- [ ] evil\u202egnp\u0000\n"), [["evilgnp", false, [], undefined]]);
	});
});

// Items taken out of a list, kept and put back.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { artifactTools } from "../../../src/artifacts/artifactTools.ts";
import { type Kept, keep, refused, sweep } from "./support.ts";

const told = async ({ artifacts }: Kept, id = "shopping") => (await artifacts.read("list", id, "md")).text;
const trash = async ({ artifacts }: Kept) => (await artifacts.trash()).map(({ kind, name, list }) => [kind, name, list]);
const itemsOf = ({ root }: Kept) => JSON.parse(readFileSync(join(root, "lists", "shopping.json"), "utf8")).items;

/** A list of three, and one of them removed as an agent does it. */
async function lacking(item: string): Promise<Kept & { before: unknown }> {
	const kept = keep();
	await kept.artifacts.create("list", "Shopping", "- [ ] Milk #dairy\n  whole\n- [x] Bread\n- [ ] Eggs\n");
	const before = itemsOf(kept);
	await call(kept, "lists_items_remove", { list: "shopping", item });
	return { ...kept, before };
}

async function call({ store }: Kept, name: string, input: unknown): Promise<string> {
	const tool = artifactTools(store).find((one) => one.name === name) ?? assert.fail(name);
	const { output } = (await tool.run?.(input, { allows: () => true } as never)) ?? assert.fail("it does not run");
	return output;
}

describe("items that were removed from a list", () => {
	afterEach(sweep);

	it("lie in the trash with their list's name, and come back where they were, as they were", async () => {
		const kept = await lacking("Milk");
		await kept.artifacts.create("note", "Gone");
		await kept.artifacts.remove("note", "gone");
		assert.deepEqual(await trash(kept), [
			["note", "Gone", undefined],
			["item", "Milk", "Shopping"],
		]);
		const [, item] = await kept.artifacts.trash();
		assert.equal((await kept.artifacts.restore(item?.file as string)).id, "shopping");
		assert.deepEqual(itemsOf(kept), kept.before);
		assert.deepEqual(await trash(kept), [["note", "Gone", undefined]]);
		await refused("missing", kept.artifacts.restore(item?.file as string));
	});

	it("are not in the list, its count or what a view finds", async () => {
		const kept = await lacking("Milk");
		assert.equal(await told(kept), "- [x] Bread\n- [ ] Eggs\n");
		assert.deepEqual((await kept.artifacts.get("list", "shopping")).items, { total: 2, done: 1 });
		assert.match(await call(kept, "views_query", { query: "milk" }), /^0 found/);
	});

	it("are what they were where an editor takes the removal back", async () => {
		const kept = keep();
		await kept.artifacts.create("list", "Shopping", "- [ ] Milk #dairy\n- [ ] Bread\n");
		const before = itemsOf(kept);
		await kept.artifacts.write("list", "shopping", "md", "- [ ] Bread\n");
		assert.deepEqual(await trash(kept), [["item", "Milk", "Shopping"]]);
		await kept.artifacts.write("list", "shopping", "md", "- [ ] Milk #dairy\n- [ ] Bread\n");
		assert.deepEqual([itemsOf(kept), await trash(kept)], [before, []]);
	});

	it("are kept to the hundredth", async () => {
		const kept = keep();
		const lines = Array.from({ length: 130 }, (_, number) => `- [ ] Item ${number}\n`);
		await kept.artifacts.create("list", "Shopping", lines.join(""));
		await kept.artifacts.write("list", "shopping", "md", "");
		assert.equal((await kept.artifacts.trash()).length, 100);
	});

	it("never keep a list from being smaller: where there is no room they are forgotten", async () => {
		const kept = keep();
		const notes = `  ${"x".repeat(9_900)}\n`;
		const lines = Array.from({ length: 206 }, (_, number) => `- [ ] Item ${number}\n${notes}`);
		await kept.artifacts.create("list", "Shopping", lines.join(""));
		for (const number of [205, 204, 7]) await call(kept, "lists_items_remove", { list: "shopping", item: `Item ${number}` });
		await call(kept, "lists_items_add", { list: "shopping", titles: ["A", "B", "C"], notes: "y".repeat(9_900) });
		assert.equal((await kept.artifacts.get("list", "shopping")).items?.total, 206);
		assert.deepEqual(await trash(kept), []);
		assert.ok(readFileSync(join(kept.root, "lists", "shopping.json")).length <= 2 * 1024 * 1024);
	});

	it("do no harm where somebody has spoilt them", async () => {
		const kept = await lacking("Eggs");
		const path = join(kept.root, "lists", "shopping.json");
		const list = JSON.parse(readFileSync(path, "utf8"));
		for (const removed of ["all", [{ id: "../x", title: 3 }], { length: 1e9 }]) {
			writeFileSync(path, JSON.stringify({ ...list, removed }));
			assert.deepEqual([await told(kept), await trash(kept)], ["- [ ] Milk #dairy\n  whole\n- [x] Bread\n", []]);
		}
		assert.ok(!existsSync(`${path}.damaged`));
		for (const file of ["item.shopping.nothing", "item.../../x.y", "item.nowhere.x"])
			await refused("missing", kept.artifacts.restore(file));
	});
});

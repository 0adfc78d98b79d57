// The language of views.
import assert from "node:assert/strict";
import { evaluateQuery, invalidQueryPart, parseQuery, type QueryEntry } from "../../../src/artifacts/query.ts";
import { printView } from "../../../src/artifacts/runQuery.ts";
import { keep, sweep } from "./support.ts";

const shopping = { id: "shopping", name: "Weekend shopping" };

function item(title: string, more: Partial<QueryEntry> = {}): QueryEntry {
	return { type: "item", id: title, title, text: "", tags: [], done: false, list: shopping, updatedAt: "2024-01-01", ...more };
}

const entries: QueryEntry[] = [
	item("Milk", { tags: ["dairy"], done: true, updatedAt: "2024-01-03" }),
	item("Oat milk", { text: "the barista one", updatedAt: "2024-01-02" }),
	item("Bread"),
	{ type: "note", id: "plan", title: "Plan", text: "Buy a house: see http://x.test", tags: ["home"], done: false, updatedAt: "2024-01-04" },
];

function found(query: string): string[] {
	return evaluateQuery(parseQuery(query), entries).found.map(({ title }) => title);
}

describe("a query", () => {
	const cases: [string, string[]][] = [
		["", ["Milk", "Oat milk", "Bread", "Plan"]],
		["milk", ["Milk", "Oat milk"]],
		["MILK -oat", ["Milk"]],
		['"oat milk"', ["Oat milk"]],
		["barista", ["Oat milk"]],
		["list:shopping", ["Milk", "Oat milk", "Bread"]],
		['list:"weekend shopping" done:false', ["Oat milk", "Bread"]],
		["-list:shopping", ["Plan"]],
		["tag:#dairy", ["Milk"]],
		["-tag:dairy type:item", ["Oat milk", "Bread"]],
		["done:true", ["Milk"]],
		["type:note", ["Plan"]],
		["sort:title", ["Bread", "Milk", "Oat milk", "Plan"]],
		["sort:-updated limit:2", ["Plan", "Milk"]],
		["http://x.test", ["Plan"]],
		["(.*)+$", []],
		["tag:nowhere", []],
	];
	for (const [query, titles] of cases) {
		it(`${query === "" ? "of nothing" : query} finds ${titles.join(", ") || "nothing"}`, () => assert.deepEqual(found(query), titles));
	}

	it("says what of it cannot be understood", () => {
		for (const query of ["sort:size", "limit:0", "limit:x", "done:maybe", "type:view"])
			assert.equal(invalidQueryPart(`milk ${query}`), query);
		assert.ok(invalidQueryPart("x".repeat(501)));
		assert.ok(invalidQueryPart("x ".repeat(31)));
		assert.equal(invalidQueryPart('"open'), undefined);
	});

	it("counts what lies beyond its limit", () => {
		assert.deepEqual(evaluateQuery(parseQuery("limit:1"), entries).total, 4);
		assert.equal(parseQuery("limit:9999").limit, 500);
	});
});

describe("a view", () => {
	afterEach(sweep);

	it("shows what its query finds, under the lists it lies in", async () => {
		const { artifacts, store } = keep();
		await artifacts.create("list", "Shopping", "- [ ] Milk #dairy\n  two litres\n- [x] Bread\n");
		await artifacts.create("list", "Chores", "- [ ] Sweep\n");
		await artifacts.create("note", "Ideas", "milk\n");
		assert.equal(
			await printView(store, "done:false sort:-list"),
			"> done:false sort:-list\n> 2 found\n\n## Shopping\n\n- [ ] Milk #dairy\n  two litres\n\n## Chores\n\n- [ ] Sweep\n",
		);
		assert.equal(await printView(store, "milk type:note"), "> milk type:note\n> 1 found\n\n## Notes\n\n- Ideas\n");
		assert.match(await printView(store, "limit:1"), /^> limit:1\n> 1 of 4 found\n/);
	});

	it("says what is wrong with a query somebody put into its file", async () => {
		assert.match(await printView(keep().store, "sort:size"), /sort:size\. It takes/);
	});

	it("has another time whenever it shows something else, and the same one while it does not", async () => {
		const { artifacts } = keep();
		await artifacts.create("list", "Shopping", "- [ ] Milk\n");
		await artifacts.create("view", "Open", "done:false");
		const read = () => artifacts.read("view", "open", "md");
		const first = await read();
		assert.deepEqual(await read(), first);
		await artifacts.write("list", "shopping", "md", "- [ ] Mint\n");
		const second = await read();
		assert.ok(second.mtime > first.mtime && second.text.includes("Mint"));
		assert.deepEqual(await read(), second);
	});
});

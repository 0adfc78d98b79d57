// Tests bad input to the tools of notes, lists and views.

// It is refused with advice, and nothing is written.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { artifactTools } from "../../../src/artifacts/artifactTools.ts";
import { type Kept, keep, sweep } from "./support.ts";

/** What a model is told that calls this. */
async function call({ store }: Kept, name: string, input: unknown): Promise<string> {
	const tool = artifactTools(store).find((one) => one.name === name) ?? assert.fail(name);
	const parsed = tool.input.safeParse(input);
	if (!parsed.success) return "refused by its schema";
	const told = tool.run?.(parsed.data, { allows: () => true } as never) ?? assert.fail("it does not run");
	return told.then(
		({ output }) => `ok: ${output}`,
		(error: Error) => `${error.name}: ${error.message}`,
	);
}

/** Of each kind one, named One, and beside the storage what nobody is to reach. */
async function one(): Promise<Kept> {
	const kept = keep();
	await kept.artifacts.create("note", "One", "text\n");
	await kept.artifacts.create("list", "One", "- [ ] Milk\n");
	await kept.artifacts.create("view", "One", "done:false");
	for (const file of ["secret.md", "secret.json"]) writeFileSync(join(kept.root, "..", file), "secret");
	return kept;
}

function everything({ root }: Kept): string[] {
	const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => /^(notes|lists|views|trash)\/./.test(name));
	return files.sort().map((name) => `${name}: ${readFileSync(join(root, name), "utf8")}`);
}

const NOTE = ["notes_read", "notes_append", "notes_rename", "notes_delete"].map((name) => [name, "note", "notes_list"] as const);
const LIST = ["lists_get", "lists_update", "lists_delete", "lists_items_add", "lists_items_update", "lists_items_remove"].map(
	(name) => [name, "list", "lists_list"] as const,
);
const VIEW = ["views_get", "views_update", "views_delete"].map((name) => [name, "view", "views_list"] as const);
/** Whatever a tool wants beside what it works on. */
const REST = { text: "x", title: "x", titles: ["x"], item: "Milk", name: "x" };

describe("bad input to the tools of notes, lists and views", () => {
	afterEach(sweep);

	for (const [name, field, look] of [...NOTE, ...LIST, ...VIEW]) {
		it(`${name} takes what is not there, leads elsewhere or is of another kind for missing, and says where to look`, async () => {
			const kept = await one();
			await kept.artifacts.create(field === "note" ? "list" : "note", "Other");
			const before = everything(kept);
			for (const given of [
				"nowhere",
				"../../secret",
				"..",
				"",
				"other",
				"one.md",
				"notes/one",
				"constructor",
				"\u0000\u202e\none?",
				"x".repeat(1e6),
			]) {
				const said = await call(kept, name, { ...REST, ...(field === "note" && { title: "New" }), [field]: given });
				assert.match(said, new RegExp(`^ToolError: There is no ${field} “.{0,120}”\\. Look with ${look}\\. Nothing was changed\\.$`));
				assert.ok(![..."\u0000\u202e\n"].some((sign) => said.includes(sign)), "it repeats what cannot be seen");
			}
			assert.deepEqual(everything(kept), before);
		});

		it(`${name} does not choose between two of a name`, async () => {
			const kept = await one();
			await kept.artifacts.create(field, "Twice");
			await kept.artifacts.create(field, "Twice");
			const before = everything(kept);
			const said = await call(kept, name, { ...REST, ...(field === "note" && { title: "New" }), [field]: "TWICE" });
			assert.equal(said, "ToolError: 2 of them are called “TWICE”. Name one by its id: twice, twice-2. Nothing was changed.");
			assert.deepEqual(everything(kept), before);
		});
	}

	const REFUSED: [string, unknown, RegExp][] = [
		["notes_write", { title: "\u202e\n ", text: "x" }, /title must not be empty/],
		["notes_write", { title: "Big", text: "x".repeat(300_000) }, /at most 256 KB\. Divide it/],
		["notes_write", { title: "Tagged", text: "x", tags: ["two words"] }, /“two words” is no tag\. A tag is one word/],
		["notes_write", { title: "Tagged", text: "x", tags: Array.from({ length: 21 }, (_, number) => `t${number}`) }, /At most 20 tags/],
		["notes_write", { title: "One", text: "over it" }, /already\. It is at version/],
		["notes_list", { tag: "no tag!" }, /“no tag!” is no tag/],
		["notes_append", { note: "one", text: "x".repeat(300_000) }, /at most 256 KB\. Divide it/],
		["notes_rename", { note: "one", title: " " }, /title must not be empty/],
		["notes_read", { note: "one", start: 0 }, /^refused by its schema/],
		["notes_search", { query: "x".repeat(501) }, /at most 500 characters/],
		["lists_create", { name: "\u0007" }, /name must not be empty/],
		[
			"lists_create",
			{ name: "Many", items: Array.from({ length: 2_001 }, (_, number) => `${number}`) },
			/at most 2000 items\. Remove some/,
		],
		["lists_create", { name: "Bad", items: ["fine", " "] }, /title must not be empty/],
		["lists_create", { name: "Told", description: "x".repeat(2_001) }, /description: at most 2000 characters\. Shorten it/],
		["lists_items_add", { list: "one", titles: [] }, /^refused by its schema/],
		["lists_items_add", { list: "one", titles: Array.from({ length: 2_000 }, () => "x") }, /at most 2000 items\. Remove some/],
		["lists_items_add", { list: "one", titles: ["x"], notes: "x".repeat(10_001) }, /notes: at most 10000 characters\. A note/],
		["lists_items_add", { list: "one", titles: ["x"], tags: ["#"] }, /“#” is no tag/],
		["lists_items_update", { list: "one", item: "Bread" }, /no item “Bread” in this list\. Look with lists_get/],
		["lists_items_update", { list: "one", item: "Milk", title: "\u200b" }, /title must not be empty/],
		["lists_items_update", { list: "one", item: "Milk", position: 0 }, /^refused by its schema/],
		["lists_items_remove", { list: "one", item: "../Milk\u0000" }, /no item “\.\.\/Milk” in this list/],
		["lists_get", { list: "one", query: "done:maybe" }, /cannot be read: done:maybe\. It takes words/],
		["views_create", { name: "", query: "" }, /name must not be empty/],
		["views_create", { name: "Fine", query: "limit:many" }, /cannot be read: limit:many\. It takes words/],
		["views_query", { query: Array.from({ length: 31 }, () => "a").join(" ") }, /at most 30 terms/],
		["views_update", { view: "one", query: "sort:(a+)+$" }, /cannot be read: sort:\(a\+\)\+\$/],
		["views_update", { view: "one", name: "\n" }, /name must not be empty/],
	];
	for (const [name, input, reason] of REFUSED) {
		it(`${name} refuses ${JSON.stringify(input).slice(0, 60)}`, async () => {
			const kept = await one();
			const before = everything(kept);
			const said = await call(kept, name, input);
			assert.match(said, /^ToolError: .*Nothing was changed\.$|^refused by its schema$/s);
			assert.match(said, reason);
			assert.deepEqual(everything(kept), before);
		});
	}

	it("what leads elsewhere in a title becomes a plain file of the storage", async () => {
		const kept = await one();
		assert.match(await call(kept, "notes_write", { title: "../../secret", text: "a\u0000b\u202ec" }), /^ok: Created the note secret,/);
		assert.match(readFileSync(join(kept.root, "notes", "secret.md"), "utf8"), /\n\nabc\n$/);
		assert.equal(readFileSync(join(kept.root, "..", "secret.md"), "utf8"), "secret");
		assert.ok(!existsSync(join(kept.root, "..", "..", "secret.md")));
	});

	it("what several windows write at once is all there", async () => {
		const left = await one();
		const right = keep(left.root);
		const numbers = Array.from({ length: 12 }, (_, number) => number);
		const at = (number: number): Kept => (number % 2 === 0 ? left : right);
		const said = await Promise.all(
			numbers.flatMap((number) => [
				call(at(number), "notes_append", { note: "One", text: `line ${number}` }),
				call(at(number), "lists_items_add", { list: "One", titles: [`item ${number}`] }),
				call(at(number), "notes_write", { title: `Note ${number}`, text: "x" }),
			]),
		);
		assert.deepEqual(
			said.filter((one) => !one.startsWith("ok: ")),
			[],
		);
		const { text } = await right.artifacts.read("note", "one", "md");
		assert.deepEqual(
			numbers.filter((number) => !text.includes(`line ${number}\n`)),
			[],
		);
		assert.equal((await left.artifacts.get("list", "one")).items?.total, 13);
		assert.equal((await left.artifacts.catalog()).artifacts.filter(({ kind }) => kind === "note").length, 13);
	});

	it("of two windows that replace a note from the same version one is told to look again", async () => {
		const left = await one();
		const right = keep(left.root);
		const { version } = await left.artifacts.get("note", "one");
		const said = await Promise.all(
			[left, right].map((window, number) => call(window, "notes_write", { title: "One", text: `${number}`, version })),
		);
		assert.equal(said.filter((told) => told.startsWith("ok: Wrote")).length, 1);
		assert.equal(said.filter((told) => /changed since/.test(told)).length, 1);
	});
});

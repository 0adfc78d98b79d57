// Artifacts as files: what a person can read there, what is damaged, and how much there may be.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { requireArtifact } from "../../../src/artifacts/toolHelpers.ts";
import { freshRoot, keep, refused, sweep } from "./support.ts";

describe("artifacts on disk", () => {
	afterEach(sweep);

	it("are plain Markdown and JSON that a person can read", async () => {
		const { artifacts, root } = keep();
		await artifacts.create("note", "Release plan", "# Soon\n");
		await artifacts.retag("note", "release-plan", ["#Work", "not a tag", "work"]);
		await artifacts.create("list", "Shopping", "For the weekend\n\n- [ ] Milk #dairy\n- [x] Bread\n");
		await artifacts.create("view", "Open", "done:false");
		assert.equal(readFileSync(join(root, "notes", "release-plan.md"), "utf8"), '---\ntitle: "Release plan"\ntags: [work]\n---\n\n# Soon\n');
		const list = JSON.parse(readFileSync(join(root, "lists", "shopping.json"), "utf8"));
		assert.deepEqual(
			[
				list.name,
				list.description,
				list.items.map((item: { title: string; done: boolean; tags: string[] }) => [item.title, item.done, item.tags]),
			],
			[
				"Shopping",
				"For the weekend",
				[
					["Milk", false, ["dairy"]],
					["Bread", true, []],
				],
			],
		);
		assert.deepEqual(JSON.parse(readFileSync(join(root, "views", "open.json"), "utf8")), { name: "Open", query: "done:false" });
	});

	it("stay readable where a title on disk is nothing but hidden characters, which are written out", async () => {
		const { artifacts, root } = keep();
		await artifacts.create("list", "Shopping", "- [ ] Milk\n");
		const path = join(root, "lists", "shopping.json");
		writeFileSync(path, readFileSync(path, "utf8").replace('"Milk"', '" \u3164\u200b"').replace('"Shopping"', '"می\u200cخواهم ❤\ufe0f"'));
		const { name, items } = JSON.parse((await artifacts.read("list", "shopping", "json")).text);
		assert.equal(name, "می\u200cخواهم ❤\ufe0f");
		assert.deepEqual(
			items.map(({ title }: { title: string }) => title),
			["\\u{3164}\\u{200b}"],
		);
	});

	it("are listed by kind and name, with what there is to say of each", async () => {
		const { artifacts } = keep();
		await artifacts.create("view", "All", "");
		await artifacts.create("list", "Shopping", "- [ ] Milk\n- [x] Bread\n");
		await artifacts.create("note", "b");
		await artifacts.create("note", "A");
		const { artifacts: all, damaged } = await artifacts.catalog();
		assert.deepEqual(
			all.map(({ kind, name, items, query }) => [kind, name, items, query]),
			[
				["note", "A", undefined, undefined],
				["note", "b", undefined, undefined],
				["list", "Shopping", { total: 2, done: 1 }, undefined],
				["view", "All", undefined, ""],
			],
		);
		assert.deepEqual(damaged, []);
	});

	it("have ids that every disk can hold, made from their names and never twice", async () => {
		const { artifacts } = keep();
		const ids: string[] = [];
		for (const name of ["Größe & Maß!", "Grosse", "買い物", "買い物", "CON", "../../etc/passwd", "x".repeat(200), "Same", "same"]) {
			ids.push((await artifacts.create("note", name)).id);
		}
		assert.deepEqual(ids, ["gro-e-ma", "grosse", "note", "note-2", "note-con", "etc-passwd", "x".repeat(48), "same", "same-2"]);
	});

	it("have names of one line without what cannot be seen", async () => {
		const { artifacts } = keep();
		const { name } = await artifacts.create("note", "  Pay\u202egnp.exe\n\u0007 now\u200b ");
		assert.equal(name, "Paygnp.exe now");
		await refused("invalid", artifacts.create("note", " \u202e\n"));
	});

	it("cannot be reached by ids that lead elsewhere", async () => {
		const { artifacts, root } = keep();
		writeFileSync(join(root, "..", "secret.md"), "secret");
		await artifacts.create("note", "One");
		for (const id of ["../../secret", "..", "", "a/b", "one.md", "x".repeat(65)]) {
			await refused("missing", artifacts.read("note", id, "md"));
			await refused("missing", artifacts.remove("note", id));
		}
		symlinkSync(join(root, "..", "secret.md"), join(root, "notes", "link.md"));
		assert.deepEqual(
			(await artifacts.catalog()).artifacts.map(({ id }) => id),
			["one"],
		);
	});

	it("keep unknown lines of a note's front matter, and unknown fields of a list and of its items", async () => {
		const { artifacts, root } = keep();
		await artifacts.create("list", "Shopping", "- [ ] Milk\n");
		const path = join(root, "lists", "shopping.json");
		const list = JSON.parse(readFileSync(path, "utf8"));
		writeFileSync(path, JSON.stringify({ ...list, color: "red", items: [{ ...list.items[0], price: 3 }] }));
		writeFileSync(join(root, "notes.md"), "");
		mkdirSync(join(root, "notes"), { recursive: true });
		writeFileSync(join(root, "notes", "mine.md"), "---\ntitle: Mine\naliases: [x]\n---\nText\n");
		await artifacts.write("list", "shopping", "md", "- [x] Milk\n");
		await artifacts.rename("note", "mine", "Ours");
		const after = JSON.parse(readFileSync(path, "utf8"));
		assert.deepEqual([after.color, after.items[0].price, after.items[0].done], ["red", 3, true]);
		assert.equal(readFileSync(join(root, "notes", "mine.md"), "utf8"), '---\ntitle: "Ours"\naliases: [x]\n---\n\nText\n');
	});

	it("may be notes without a head, too", async () => {
		const { artifacts, root } = keep();
		mkdirSync(join(root, "notes"), { recursive: true });
		writeFileSync(join(root, "notes", "plain.md"), "---\nnot a head\n");
		assert.deepEqual((await artifacts.get("note", "plain")).name, "plain");
		assert.equal((await artifacts.read("note", "plain", "md")).text, "---\nnot a head\n");
	});

	it("that are damaged are set aside and named, and come back when they are repaired", async () => {
		const { artifacts, root, log } = keep();
		await artifacts.create("list", "Shopping", "- [ ] Milk\n");
		await artifacts.create("note", "Fine");
		const path = join(root, "lists", "shopping.json");
		const whole = readFileSync(path, "utf8");
		writeFileSync(path, whole.slice(0, 40));
		writeFileSync(join(root, "notes", "bytes.md"), Buffer.from([0xff, 0xfe, 0x00, 0xd8]));
		const { artifacts: rest, damaged } = await artifacts.catalog();
		assert.deepEqual(
			rest.map(({ id }) => id),
			["fine"],
		);
		assert.deepEqual(
			damaged.map(({ kind, file }) => [kind, file]),
			[
				["note", "bytes.md.damaged"],
				["list", "shopping.json.damaged"],
			],
		);
		assert.match(damaged[1]?.problem ?? "", /not JSON/);
		assert.equal(readFileSync(damaged[1]?.path as string, "utf8"), whole.slice(0, 40));
		assert.equal(log.length, 2);
		assert.deepEqual((await artifacts.catalog()).damaged.length, 2);
		writeFileSync(`${path}.damaged`, whole);
		const again = await artifacts.catalog();
		assert.deepEqual(
			[again.artifacts.map(({ id }) => id), again.damaged.map(({ file }) => file)],
			[["fine", "shopping"], ["bytes.md.damaged"]],
		);
		assert.ok(!existsSync(`${path}.damaged`));
	});

	it("that are repaired while another has their name stay set aside", async () => {
		const { artifacts, root } = keep();
		mkdirSync(join(root, "notes"), { recursive: true });
		writeFileSync(join(root, "notes", "one.md.damaged"), "mended\n");
		writeFileSync(join(root, "notes", "one.md"), "new\n");
		assert.deepEqual(
			(await artifacts.catalog()).damaged.map(({ file, problem }) => [file, problem]),
			[["one.md.damaged", "there is another one.md"]],
		);
		assert.equal((await artifacts.read("note", "one", "md")).text, "new\n");
	});

	it("are damaged where two items of a list have the same id", async () => {
		const { artifacts, root } = keep();
		await artifacts.create("list", "Twins", "- [ ] Milk\n");
		const path = join(root, "lists", "twins.json");
		const list = JSON.parse(readFileSync(path, "utf8")) as { items: unknown[] };
		writeFileSync(path, JSON.stringify({ ...list, items: [...list.items, ...list.items] }));
		assert.match((await artifacts.catalog()).damaged[0]?.problem ?? "", /two of them have the same id/);
	});

	it("are named by an id where two have the same name", async () => {
		const { artifacts, store } = keep();
		await artifacts.create("note", "Plan");
		await artifacts.create("note", "plan");
		assert.match(await refused("invalid", requireArtifact(store, "note", "PLAN")), /2 of them .* by its id: plan-2, plan$/);
		assert.equal((await requireArtifact(store, "note", "plan-2")).name, "plan");
	});

	it("show an editor its own words until the list is another", async () => {
		const { artifacts, store } = keep();
		await artifacts.create("list", "Shopping");
		const written = "* [X] Milk\n* Bread\n";
		await artifacts.write("list", "shopping", "md", written);
		assert.equal((await artifacts.read("list", "shopping", "md")).text, written);
		await store.change("list", "shopping", ({ body }) => ({ ...body, items: body.items.slice(1) }));
		assert.equal((await artifacts.read("list", "shopping", "md")).text, "- [ ] Bread\n");
	});

	it("set a damaged file aside under a name of its own where there is one already", async () => {
		const { artifacts, root } = keep();
		for (const content of ["{", "["]) {
			mkdirSync(join(root, "lists"), { recursive: true });
			writeFileSync(join(root, "lists", "a.json"), content);
			await artifacts.catalog();
		}
		assert.deepEqual(readdirSync(join(root, "lists")).sort(), ["a.json.damaged", "a.json.damaged-2"]);
	});

	it("are found in the other storages of the same folders, and are changed where they lie", async () => {
		const earlier = keep();
		await earlier.artifacts.create("note", "Old", "one\n");
		const now = keep(freshRoot(), [earlier.root]);
		await now.artifacts.write("note", "old", "md", "two\n");
		const fresh = await now.artifacts.create("note", "Old");
		assert.equal(fresh.id, "old-2");
		assert.equal((await earlier.artifacts.read("note", "old", "md")).text, "two\n");
		assert.deepEqual(readdirSync(join(now.root, "notes")), ["old-2.md"]);
	});

	describe("with limits", () => {
		it("refuse a note that is too large and keep what was there", async () => {
			const { artifacts } = keep();
			await artifacts.create("note", "One", "small\n");
			await refused("large", artifacts.write("note", "one", "md", "x".repeat(256 * 1024)));
			await refused("large", artifacts.create("note", "Two", "x".repeat(256 * 1024)));
			assert.equal((await artifacts.read("note", "one", "md")).text, "small\n");
			assert.equal((await artifacts.catalog()).artifacts.length, 1);
		});

		it("read no file that something else made too large", async () => {
			const { artifacts, root } = keep();
			await artifacts.create("note", "One", "small\n");
			truncateSync(join(root, "notes/one.md"), 256 * 1024 + 1);
			await refused("large", artifacts.read("note", "one", "md"));
			assert.match((await artifacts.catalog()).damaged[0]?.problem ?? "", /at most 256 KB/);
		});

		it("refuse a list of more than 2,000 items, from the editor and as JSON", async () => {
			const { artifacts } = keep();
			const lines = (count: number) => Array.from({ length: count }, (_, number) => `- [ ] ${number}\n`).join("");
			await artifacts.create("list", "Long", lines(2_000));
			await refused("full", artifacts.write("list", "long", "md", lines(2_001)));
			const json = JSON.parse((await artifacts.read("list", "long", "json")).text);
			json.items.push({ ...json.items[0], id: "one-more" });
			await refused("invalid", artifacts.write("list", "long", "json", JSON.stringify(json)));
			assert.equal((await artifacts.get("list", "long")).items?.total, 2_000);
		});

		it("refuse the thousand-and-first", async () => {
			const { artifacts, root } = keep();
			mkdirSync(join(root, "notes"), { recursive: true });
			for (let number = 1; number <= 1_000; number += 1) writeFileSync(join(root, "notes", `n${number}.md`), "x");
			assert.match(await refused("full", artifacts.create("list", "One more")), /1000/);
			assert.equal((await artifacts.catalog()).artifacts.length, 1_000);
		});
	});
});

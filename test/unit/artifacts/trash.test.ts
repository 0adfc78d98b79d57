// Deleted artifacts: they lie in the trash and come back from it.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keep, refused, sweep } from "./support.ts";

describe("artifacts on disk", () => {
	afterEach(sweep);

	describe("when they are deleted", () => {
		it("lie in the trash and can be given back as they were", async () => {
			const { artifacts } = keep();
			await artifacts.create("note", "One", "text\n");
			await artifacts.remove("note", "one");
			await refused("missing", artifacts.get("note", "one"));
			const [trashed] = await artifacts.trash();
			assert.deepEqual([trashed?.kind, trashed?.name], ["note", "One"]);
			assert.equal((await artifacts.restore(trashed?.file as string)).id, "one");
			assert.equal((await artifacts.read("note", "one", "md")).text, "text\n");
			assert.deepEqual(await artifacts.trash(), []);
		});

		it("come back under another id where theirs is taken, and the latest is offered first", async () => {
			const { artifacts } = keep();
			for (const text of ["first\n", "second\n"]) {
				await artifacts.create("note", "One", text);
				await artifacts.remove("note", "one");
			}
			await artifacts.create("note", "One", "third\n");
			const [latest] = await artifacts.trash();
			const { id } = await artifacts.restore(latest?.file as string);
			assert.deepEqual(
				[id, (await artifacts.read("note", id, "md")).text, (await artifacts.read("note", "one", "md")).text],
				["one-2", "second\n", "third\n"],
			);
		});

		it("are kept until there are more than five hundred: the oldest go", async () => {
			const { artifacts, root } = keep();
			mkdirSync(join(root, "trash"), { recursive: true });
			const old = (number: number) => `note.old.${1_600_000_000_000 + number}.md`;
			for (let number = 0; number < 500; number += 1) writeFileSync(join(root, "trash", old(number)), "x");
			await artifacts.create("note", "One");
			const file = await artifacts.remove("note", "one");
			const kept = readdirSync(join(root, "trash"));
			assert.deepEqual([kept.length, kept.includes(file), kept.includes(old(0)), kept.includes(old(1))], [500, true, false, true]);
		});

		it("are given back by their name in the trash alone", async () => {
			const { artifacts, root } = keep();
			writeFileSync(join(root, "..", "other.md"), "other");
			for (const file of ["../../other.md", "note.x.1.md", "note.gone.1700000000000.md"]) await refused("missing", artifacts.restore(file));
		});
	});
});

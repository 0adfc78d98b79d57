// Artifacts that two windows, or a window and a person, change at once.
import assert from "node:assert/strict";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { keep, refused, sweep } from "./support.ts";

describe("artifacts on disk", () => {
	afterEach(sweep);

	describe("in two windows", () => {
		it("hold every change that was made at once", async () => {
			const left = keep();
			const here = keep(left.root);
			await left.artifacts.create("list", "Shopping");
			const add = (window: typeof left, number: number) =>
				window.store.change("list", "shopping", ({ body }) => {
					const at = new Date().toISOString();
					return {
						...body,
						items: [...body.items, { id: `i${number}`, title: String(number), done: false, tags: [], createdAt: at, updatedAt: at }],
					};
				});
			await Promise.all(Array.from({ length: 40 }, (_, number) => add(number % 2 === 0 ? left : here, number)));
			assert.equal((await here.artifacts.get("list", "shopping")).items?.total, 40);
		});

		it("give each of those made at once an id of its own", async () => {
			const left = keep();
			const right = keep(left.root);
			const made = await Promise.all(
				Array.from({ length: 20 }, (_, number) => (number % 2 === 0 ? left : right).artifacts.create("note", "Same")),
			);
			assert.equal(new Set(made.map(({ id }) => id)).size, 20);
		});

		it("refuse what was made from an older state, and take what was made from this one", async () => {
			const left = keep();
			const right = keep(left.root);
			const { version } = await left.artifacts.create("note", "One", "a\n");
			await right.artifacts.write("note", "one", "md", "b\n");
			await refused(
				"changed",
				left.store.change("note", "one", ({ body }) => ({ ...body, text: "c\n" }), { version }),
			);
			assert.equal((await left.artifacts.read("note", "one", "md")).text, "b\n");
		});

		it("hear of each other", async () => {
			const left = keep();
			const right = keep(left.root);
			const heard = new Promise<void>((resolve) => right.artifacts.onChange(resolve));
			await left.artifacts.create("note", "One");
			await heard;
			assert.deepEqual(
				(await right.artifacts.catalog()).artifacts.map(({ name }) => name),
				["One"],
			);
		});

		it("hear of each other no more once they are gone", async () => {
			const left = keep();
			const [gone, there] = [keep(left.root), keep(left.root)];
			let heard = 0;
			gone.store.onChange(() => heard++);
			// It listens after the other, and hears after it.
			const last = new Promise<void>((resolve) => there.store.onChange(resolve));
			gone.store.dispose();
			await left.artifacts.create("note", "One");
			await last;
			assert.equal(heard, 0);
		});

		it("never show an editor the same time for another content", async () => {
			const { artifacts, root } = keep();
			await artifacts.create("note", "One", "a\n");
			// As after a copy from a machine whose clock runs ahead.
			utimesSync(join(root, "notes", "one.md"), new Date(), new Date(Date.now() + 60_000));
			const times = new Set<number>();
			for (let number = 0; number < 20; number += 1) {
				await artifacts.write("note", "one", "md", `${number % 10}\n`);
				times.add((await artifacts.read("note", "one", "md")).mtime);
			}
			assert.equal(times.size, 20);
		});
	});
});

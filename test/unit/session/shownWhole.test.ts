// Tests that changes are written as shown, and that those too large to show get no lasting approval.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FILES, results, stage, strike } from "./stage.ts";

describe("a change that is to be approved", () => {
	afterEach(strike);

	it("offers nothing that lasts where the change is too large to be shown, and binds the answer to what is shown", async () => {
		const create = (content: string) => ({ calls: [{ name: "create_file", input: { path: "made.txt", content } }] });
		const asked = async (content: string) => {
			const scene = await stage([create(content), { text: "Done." }], { files: FILES, role: "actor", settings: { approval: "ask" } });
			const turn = scene.conversation.send("Make it");
			const event = await scene.event("asked");
			await scene.answer({ allow: true, always: true });
			await turn;
			assert.equal(readFileSync(join(scene.house.folder, "made.txt"), "utf8"), content);
			return { ...event, kept: (await scene.house.services.grants.list("default")).length };
		};
		const [small, large] = [await asked("a\n"), await asked("a line\n".repeat(200_000))];
		assert.ok(small.always && small.kept > 0);
		assert.equal(small.view?.kind === "change" && small.view.unshown, undefined);
		assert.deepEqual([large.always, large.kept], [undefined, 0]);
		assert.deepEqual(large.view?.kind === "change" && [large.view.unshown, large.view.changes[0]?.unshown], [
			true,
			{ why: "large", size: 1_400_000 },
		]);
	});

	for (const [name, input, path] of [
		["delete_file", { path: "README.md" }, "README.md"],
		["rename_file", { from: "README.md", to: "Makefile" }, "README.md"],
		["apply_patch", { patch: "*** Begin Patch\n*** Delete File: README.md\n*** End Patch" }, "README.md"],
		["update_file", { path: "README.md", old: "# Hello", new: "# Bye" }, "README.md"],
	] as const) {
		it(`${name} leaves a file alone that has changed since it was shown`, async () => {
			const scene = await stage([{ calls: [{ name, input }] }, { text: "Done." }], {
				files: FILES,
				role: "actor",
				settings: { approval: "ask" },
			});
			const turn = scene.conversation.send("Do it");
			await scene.event("asked");
			writeFileSync(join(scene.house.folder, path), "Something else\n");
			await scene.answer({ allow: true });
			await turn;
			assert.match(results(scene.conversation)[0]?.output ?? "", /has changed since/);
			assert.equal(readFileSync(join(scene.house.folder, path), "utf8"), "Something else\n");
			assert.equal(existsSync(join(scene.house.folder, "Makefile")), false);
		});
	}
});

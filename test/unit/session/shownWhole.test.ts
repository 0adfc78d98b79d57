// Tests that changes are written as shown, and that those too large to show get no lasting approval.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { closeTestSessions, FILES, openTestSession, results } from "./testSession.ts";

describe("a change that is to be approved", () => {
	afterEach(closeTestSessions);

	it("offers nothing that lasts where the change is too large to be shown, and binds the answer to what is shown", async () => {
		const create = (content: string) => ({ calls: [{ name: "create_file", input: { path: "made.txt", content } }] });
		const asked = async (content: string) => {
			const setup = await openTestSession([create(content), { text: "Done." }], {
				files: FILES,
				role: "actor",
				settings: { approval: "ask" },
			});
			const turn = setup.session.send("Make it");
			const event = await setup.event("asked");
			await setup.answer({ allow: true, always: true });
			await turn;
			assert.equal(readFileSync(join(setup.app.folder, "made.txt"), "utf8"), content);
			return { ...event, kept: (await setup.app.services.grants.list("default")).length };
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
			const setup = await openTestSession([{ calls: [{ name, input }] }, { text: "Done." }], {
				files: FILES,
				role: "actor",
				settings: { approval: "ask" },
			});
			const turn = setup.session.send("Do it");
			await setup.event("asked");
			writeFileSync(join(setup.app.folder, path), "Something else\n");
			await setup.answer({ allow: true });
			await turn;
			assert.match(results(setup.session)[0]?.output ?? "", /has changed since/);
			assert.equal(readFileSync(join(setup.app.folder, path), "utf8"), "Something else\n");
			assert.equal(existsSync(join(setup.app.folder, "Makefile")), false);
		});
	}
});

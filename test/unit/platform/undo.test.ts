// Changes to files that are undone: everything as it was, and nothing where a file has moved on.
import assert from "node:assert/strict";
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { FileConflict } from "../../../src/core/ports/workspace/files.ts";
import { baseOf, bytes, editor, type Place, place, straight } from "./support.ts";

describe("a change to files", () => {
	let at: Place;
	const base = (path: string) => baseOf(at, path);

	beforeEach(() => {
		at = place({ buffers: editor().buffers });
	});

	afterEach(() => at.dispose());

	describe("undone", () => {
		it("leaves every file as it was", async () => {
			const [one, gone, from] = [at.put("one.txt", "1\n"), at.put("gone.txt", "2\n"), at.put("from.txt", "3\n")];
			const [made, to] = [at.path("made.txt"), at.path("to.txt")];
			chmodSync(gone, 0o755);
			const changes = await at.machine.apply(
				[
					{ path: one, action: "update", content: bytes("one\n"), base: await base(one) },
					{ path: gone, action: "delete" },
					{ path: made, action: "create", content: bytes("new\n") },
					{ path: from, action: "rename", to, content: bytes("three\n") },
				],
				straight(one, gone, made, from, to),
			);
			for (const change of changes) await at.machine.undo(change);
			assert.equal(statSync(gone).mode & 0o777, 0o755);
			assert.deepEqual(
				readdirSync(at.folder).map((name) => [name, readFileSync(at.path(name), "utf8")]),
				[
					["from.txt", "3\n"],
					["gone.txt", "2\n"],
					["one.txt", "1\n"],
				],
			);
		});

		it("is refused when the file has moved on", async () => {
			const [one, gone] = [at.put("one.txt", "1\n"), at.put("gone.txt", "2\n")];
			const changes = await at.machine.apply(
				[
					{ path: one, action: "update", content: bytes("one\n"), base: await base(one) },
					{ path: gone, action: "delete" },
				],
				straight(one, gone),
			);
			writeFileSync(one, "somebody else\n");
			writeFileSync(gone, "again\n");
			for (const change of changes) {
				await assert.rejects(
					at.machine.undo(change),
					(error: Error) => error instanceof FileConflict && /Nothing was changed/.test(error.message),
				);
			}
			assert.deepEqual([readFileSync(one, "utf8"), readFileSync(gone, "utf8")], ["somebody else\n", "again\n"]);
		});

		it("moves what was created to the trash, where there is one, and removes nothing else that way", async () => {
			const bin: string[] = [];
			const other = place({
				async moveToTrash(path) {
					if (path.endsWith("stays.txt")) return false;
					bin.push(readFileSync(path, "utf8"));
					rmSync(path);
					return true;
				},
			});
			try {
				const [made, stays, gone] = [other.path("made.txt"), other.path("stays.txt"), other.put("gone.txt", "2\n")];
				const changes = await other.machine.apply(
					[
						{ path: made, action: "create", content: bytes("new\n") },
						{ path: stays, action: "create", content: bytes("no trash for this\n") },
						{ path: gone, action: "delete", base: await baseOf(other, gone) },
					],
					straight(made, stays, gone),
				);
				for (const change of changes) await other.machine.undo(change);
				assert.deepEqual([bin, readdirSync(other.folder)], [["new\n"], ["gone.txt"]]);
			} finally {
				await other.dispose();
			}
		});

		it("never restores through a link that leads out of the workspace", async () => {
			const path = at.put("sub/a.txt", "secret\n");
			const [change] = await at.machine.apply([{ path, action: "delete" }], straight(path));
			assert.ok(change);
			rmSync(at.path("sub"), { recursive: true });
			symlinkSync(at.outside, at.path("sub"));
			await assert.rejects(at.machine.undo(change), /points outside the workspace/);
			unlinkSync(at.path("sub"));
			assert.deepEqual(readdirSync(at.outside), []);
		});
	});
});

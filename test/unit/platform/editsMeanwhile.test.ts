// Tests that a change of several files leaves alone what somebody writes while it is made or put back.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { FileConflict } from "../../../src/core/ports/workspace/files.ts";
import { ExplainedError } from "../../../src/core/userError.ts";
import { createOutputStore } from "../../../src/platform/processes/outputStore.ts";
import { createVirtualWorkspace } from "../../../src/platform/virtual/workspace.ts";
import { MemoryFiles } from "../../fakes/memoryFileSystem.ts";
import { virtualMemory } from "../../fakes/virtualMemory.ts";
import { baseOf, bytes, editor, memoryBlobs, place, straight } from "./support.ts";

/** A place with an editor in which something changes when its unsaved text is looked at for the `changeAt`-th time. */
function placeWithEditor(change: (path: string) => unknown) {
	const { buffers, unsaved } = editor();
	const looks = { count: 0, changeAt: 0 };
	const at = place({
		buffers: {
			...buffers,
			dirty(path) {
				looks.count += 1;
				if (looks.count === looks.changeAt) change(path);
				return unsaved.get(path);
			},
		},
	});
	return { at, unsaved, looks };
}

describe("a change of several files that fails in the middle", () => {
	it("puts back what nobody else has touched, and leaves the rest", async () => {
		let meanwhile = () => {};
		const at = place({
			async moveToTrash() {
				meanwhile();
				return false;
			},
		});
		const [a, b, made, other] = [at.put("a.txt", "a\n"), at.put("b.txt", "b\n"), at.path("made.txt"), at.path("other.txt")];
		meanwhile = () => {
			for (const path of [a, b, made]) writeFileSync(path, "mine\n");
		};
		const change = at.machine.apply(
			[
				{ path: a, action: "update", content: bytes("changed\n"), base: await baseOf(at, a) },
				{ path: made, action: "create", content: bytes("made\n") },
				{ path: other, action: "create", content: bytes("made\n") },
				{ path: b, action: "delete", base: await baseOf(at, b), trash: true },
			],
			straight(a, made, other, b),
		);
		await assert.rejects(change, (error) => error instanceof FileConflict && /Putting everything back failed in part/.test(error.message));
		assert.deepEqual(
			[a, b, made].map((path) => readFileSync(path, "utf8")),
			["mine\n", "mine\n", "mine\n"],
		);
		assert.equal(existsSync(other), false);
		await at.dispose();
	});

	it("puts back the unsaved text of an editor that took the change and could not save it", async () => {
		const { buffers, unsaved } = editor();
		const at = place({
			buffers: {
				...buffers,
				async save() {
					throw new ExplainedError("It could not be saved.");
				},
			},
		});
		const path = at.put("a.txt", "a\n");
		unsaved.set(path, bytes("typed\n"));
		const edit = { path, action: "update", content: bytes("changed\n"), base: await baseOf(at, path) } as const;
		await assert.rejects(at.machine.apply([edit], straight(path)), /could not be saved.* Nothing was changed\.$/);
		assert.deepEqual([Buffer.from(unsaved.get(path) ?? []).toString(), readFileSync(path, "utf8")], ["typed\n", "a\n"]);
		await at.dispose();
	});

	it("does the same on virtual files", async () => {
		const memory = new MemoryFiles();
		for (const name of ["a", "b"]) memory.put(`/home/${name}.txt`, `${name}\n`);
		const fs = virtualMemory(memory, (path) => path);
		let writes = 0;
		const at = place();
		const workspace = createVirtualWorkspace({
			fs: {
				...fs,
				async readFile(path) {
					if (writes === 2) for (const name of ["a", "b", "made"]) memory.put(`/home/${name}.txt`, "mine\n");
					return fs.readFile(path);
				},
				async writeFile(path, content) {
					writes += 1;
					return fs.writeFile(path, content);
				},
			},
			folders: () => [{ name: "home", path: "/home" }],
			identity: () => "/home",
			blobs: memoryBlobs(),
			outputStore: createOutputStore(at.path("output")),
			programs: at.machine.programs,
		});
		const [a, b, made] = ["/home/a.txt", "/home/b.txt", "/home/made.txt"];
		const version = async (path: string) => (await workspace.version(path)) ?? assert.fail();
		const change = workspace.apply(
			[
				{ path: a, action: "update", content: bytes("changed\n"), base: await version(a) },
				{ path: made, action: "create", content: bytes("made\n") },
				{ path: b, action: "update", content: bytes("changed\n"), base: await version(b) },
			],
			straight(a, made, b),
		);
		await assert.rejects(change, /Putting everything back failed in part/);
		assert.deepEqual(
			[a, b, made].map((path) => memory.text(path)),
			["mine\n", "mine\n", "mine\n"],
		);
		await at.dispose();
	});

	it("doesn't replace unsaved text that was typed after it was read", async () => {
		const { at, unsaved, looks } = placeWithEditor((path) => unsaved.set(path, bytes("typed on\n")));
		const path = at.put("a.txt", "saved\n");
		unsaved.set(path, bytes("unsaved\n"));
		const base = await baseOf(at, path);
		for (const look of [1, 2, 3, 4]) {
			unsaved.set(path, bytes("unsaved\n"));
			Object.assign(looks, { count: 0, changeAt: look });
			const change = at.machine.apply([{ path, action: "update", content: bytes("changed\n"), base }], straight(path));
			await change.catch((error: unknown) => assert.ok(error instanceof FileConflict, String(error)));
			assert.ok(looks.count >= look, `only ${looks.count} looks`);
			assert.deepEqual(unsaved.get(path), bytes("typed on\n"), `look ${look}`);
		}
		await at.dispose();
	});

	it("changes on disk what its editor has saved by itself since it was read", async () => {
		const { at, unsaved, looks } = placeWithEditor((path) => {
			writeFileSync(path, unsaved.get(path) ?? assert.fail());
			unsaved.delete(path);
		});
		const path = at.put("a.txt", "saved\n");
		unsaved.set(path, bytes("unsaved\n"));
		const base = await baseOf(at, path);
		for (const look of [1, 2, 3]) {
			unsaved.set(path, bytes("unsaved\n"));
			Object.assign(looks, { count: 0, changeAt: look });
			await at.machine.apply([{ path, action: "update", content: bytes("changed\n"), base }], straight(path));
			assert.equal(readFileSync(path, "utf8"), "changed\n", `look ${look}`);
		}
		await at.dispose();
	});

	it("doesn't touch the file of text that was typed since it was read, whatever it would do to it", async () => {
		const { at, unsaved, looks } = placeWithEditor((path) => unsaved.set(path, bytes("typed\n")));
		const path = at.put("a.txt", "saved\n");
		const base = await baseOf(at, path);
		const edits = [
			{ path, action: "update", content: bytes("changed\n"), base },
			{ path, action: "delete", base },
			{ path, action: "rename", to: at.path("b.txt"), base },
		] as const;
		for (const edit of edits) {
			// The last look before the write.
			Object.assign(looks, { count: 0, changeAt: 4 });
			unsaved.clear();
			const paths = edit.action === "rename" ? [path, edit.to] : [path];
			await assert.rejects(at.machine.apply([edit], straight(...paths)), FileConflict);
			assert.ok(looks.count >= looks.changeAt, `only ${looks.count} looks`);
			assert.equal(readFileSync(path, "utf8"), "saved\n", edit.action);
		}
		await at.dispose();
	});
});

// Tests files that Troupe keeps beside a workspace's: unsaved text, names that look alike, and moves.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toAbsolutePath, toDisplayPath } from "../../../src/core/paths.ts";
import type { BlobStore } from "../../../src/core/ports/sessions.ts";
import type { OpenBuffers } from "../../../src/core/ports/workspace/editor.ts";
import type { Workspace } from "../../../src/core/ports/workspace.ts";
import { createWorkspaceFiles } from "../../../src/platform/files/files.ts";
import { createFileWriter } from "../../../src/platform/files/fileWriter.ts";
import { sha256 } from "../../../src/shared/node/hash.ts";
import { withKeptFolders } from "../../../src/workspaces/keptFolders.ts";

describe("files that Troupe keeps", () => {
	let home = "";
	let workspace: Workspace;
	const unsaved = new Map<string, string>();
	const blobs = new Map<string, Uint8Array>();
	const store: BlobStore = {
		put: async (bytes: Uint8Array) => {
			blobs.set(sha256(bytes), bytes);
			return sha256(bytes);
		},
		get: async (hash: string) => blobs.get(hash),
	} as never;
	const buffers: OpenBuffers = {
		dirty: (path) => (unsaved.has(path) ? Buffer.from(unsaved.get(path) ?? "") : undefined),
		refusal: () => undefined,
		async setText(path, content) {
			unsaved.set(path, Buffer.from(content).toString());
		},
		async save(path) {
			writeFileSync(path, unsaved.get(path) ?? "");
			unsaved.delete(path);
		},
	};

	beforeEach(() => {
		home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-kept-")));
		for (const folder of ["project", "storage/memory"]) mkdirSync(join(home, folder), { recursive: true });
		const folders = () => [{ name: "project", path: join(home, "project") }];
		const files = createWorkspaceFiles(folders, buffers);
		const disk = { folders, ...files, ...createFileWriter({ files, folders, buffers, blobs: store }) };
		const kept = ["person", "workspace"].map((whose, index) => ({
			name: `memory:${whose}`,
			path: join(home, ["storage", "other"][index] ?? "", "memory"),
		}));
		workspace = withKeptFolders(disk as never, { folders: kept, blobs: store, buffers }) as never;
		unsaved.clear();
	});
	afterEach(() => rmSync(home, { recursive: true, force: true }));

	const file = () => join(home, "storage", "memory", "a.md");
	const read = (path = file()) => readFileSync(path, "utf8");
	const update = (text: string, from: string) => {
		const base = { size: from.length, mtime: 0, hash: sha256(Buffer.from(from)) };
		return workspace.apply([{ path: file(), action: "update", content: Buffer.from(text), base }], new Map());
	};

	it("are read and changed with the unsaved text of an editor", async () => {
		writeFileSync(file(), "saved\n");
		unsaved.set(file(), "typed\n");
		assert.equal(Buffer.from(await workspace.read(file())).toString(), "typed\n");
		await assert.rejects(update("ours\n", "saved\n"), /memory:person\/a\.md has changed since it was read/);
		assert.equal(unsaved.get(file()), "typed\n");
		await update("typed\nours\n", "typed\n");
		assert.deepEqual([read(), unsaved.size], ["typed\nours\n", 0]);
	});

	it("are undone like any file, and not over a later change", async () => {
		writeFileSync(file(), "before\n");
		const [change] = await update("after\n", "before\n");
		assert.ok(change);
		writeFileSync(file(), "later\n");
		await assert.rejects(workspace.undo(change), /Nothing was changed/);
		writeFileSync(file(), "after\n");
		await workspace.undo(change);
		assert.equal(read(), "before\n");
	});

	it("have display paths that no file of the workspace has", () => {
		assert.equal(toDisplayPath(workspace, file()), "memory:person/a.md");
		assert.equal(toAbsolutePath(workspace, "memory:person/a.md"), file());
		const alike = join(home, "project", "memory:person", "a.md");
		assert.equal(toDisplayPath(workspace, alike), alike);
		assert.equal(toDisplayPath(workspace, join(home, "project", "memory", "a.md")), "memory/a.md");
	});

	it("lie in no folder of the workspace, and are neither moved nor changed together with its files", async () => {
		writeFileSync(file(), "x");
		assert.deepEqual(
			workspace.folders().map(({ name }) => name),
			["project"],
		);
		const create = { path: join(home, "project", "b.md"), action: "create" as const, content: Buffer.from("x") };
		const remove = { path: file(), action: "delete" as const };
		await assert.rejects(workspace.apply([create, remove], new Map()), /Make it in two\. Nothing was changed\./);
		await assert.rejects(
			workspace.apply([{ path: file(), action: "rename", to: create.path }], new Map()),
			/are not moved\. Nothing was changed\./,
		);
		const below = join(home, "storage", "memory", "sub", "a.md");
		await assert.rejects(workspace.apply([{ ...create, path: below }], new Map()), /are not moved/);
		assert.equal(read(), "x");
	});
});

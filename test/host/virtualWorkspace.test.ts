// Tests the virtual workspace over a real editor's file system provider, with the shared workspace tests.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import * as vscode from "vscode";
import type { BlobStore } from "../../src/core/ports/sessions.ts";
import { createOutputStore } from "../../src/platform/processes/outputStore.ts";
import { createPrograms } from "../../src/platform/programs/programs.ts";
import { createVirtualWorkspace } from "../../src/platform/virtual/workspace.ts";
import { findBundledRipgrep } from "../../src/vscode/adapters/ripgrep.ts";
import { createVirtualFileSystem } from "../../src/vscode/adapters/virtualFileSystem.ts";
import { MemoryFiles } from "../fakes/memoryFileSystem.ts";
import { memoryBlobs } from "../unit/platform/support.ts";
import { workspaceContract } from "../unit/platform/workspaceContract.ts";

const SCHEME = "troupe-memory";
const HOME = "/vscode-virtual/troupe-memory/-/home";

function uriOf(path: string): vscode.Uri {
	return vscode.Uri.from({ scheme: SCHEME, path: path.replace("/vscode-virtual/troupe-memory/-", "") });
}

/** As extensions provide one. */
class MemoryProvider implements vscode.FileSystemProvider {
	memory = new MemoryFiles();
	private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
	readonly onDidChangeFile = this.changed.event;

	watch(): vscode.Disposable {
		return new vscode.Disposable(() => undefined);
	}
	stat({ path }: vscode.Uri): vscode.FileStat {
		const file = this.memory.files.get(path);
		const link = this.memory.links.has(path) ? vscode.FileType.SymbolicLink : 0;
		if (file) return { type: vscode.FileType.File | link, ctime: 0, mtime: file.mtime, size: file.content.length };
		if (this.memory.folders.has(path)) return { type: vscode.FileType.Directory | link, ctime: 0, mtime: 0, size: 0 };
		throw vscode.FileSystemError.FileNotFound(path);
	}
	readDirectory(uri: vscode.Uri): [string, vscode.FileType][] {
		if (!this.memory.folders.has(uri.path)) throw vscode.FileSystemError.FileNotFound(uri);
		return this.memory.list(uri.path).map(({ name }) => [name, this.stat(uri.with({ path: posix.join(uri.path, name) })).type]);
	}
	createDirectory({ path }: vscode.Uri): void {
		this.memory.folders.add(path);
	}
	readFile({ path }: vscode.Uri): Uint8Array {
		if (this.memory.folders.has(path)) throw vscode.FileSystemError.FileIsADirectory(path);
		return this.memory.files.get(path)?.content ?? fail(path);
	}
	writeFile({ path }: vscode.Uri, content: Uint8Array): void {
		this.memory.put(path, content);
	}
	delete({ path }: vscode.Uri): void {
		this.memory.remove(path);
	}
	rename({ path }: vscode.Uri, to: vscode.Uri): void {
		const content = this.memory.files.get(path)?.content ?? fail(path);
		this.memory.remove(path);
		this.memory.put(to.path, content);
	}
}

function fail(path: string): never {
	throw vscode.FileSystemError.FileNotFound(path);
}

const provider = new MemoryProvider();
let registered: vscode.Disposable;

function workspaceOver(scratch: string, blobs: BlobStore = memoryBlobs()) {
	const folders = () => [{ name: "home", path: HOME }];
	const programs = createPrograms({ folders: () => [], findRipgrep: findBundledRipgrep, extraVariables: () => [] });
	const fs = createVirtualFileSystem(uriOf);
	return createVirtualWorkspace({ fs, folders, identity: () => HOME, blobs, outputStore: createOutputStore(scratch), programs });
}

describe("virtual files in VS Code", () => {
	before(() => {
		registered = vscode.workspace.registerFileSystemProvider(SCHEME, provider, { isCaseSensitive: true });
	});
	after(() => registered.dispose());

	workspaceContract("over VS Code's file systems", async () => {
		provider.memory = new MemoryFiles();
		provider.memory.folders.add("/home");
		const scratch = await mkdtemp(join(tmpdir(), "virtual-"));
		return {
			workspace: workspaceOver(scratch),
			path: (name) => posix.join(HOME, name),
			async put(name, content) {
				provider.memory.put(posix.join("/home", name), content);
				return posix.join(HOME, name);
			},
			text: async (name) => provider.memory.text(posix.join("/home", name)),
			dispose: () => rm(scratch, { recursive: true, force: true }),
		};
	});

	it("symbolic links in a virtual workspace are not followed", async () => {
		provider.memory = new MemoryFiles();
		provider.memory.put("/home/linked/a.txt", "a");
		provider.memory.links.add("/home/linked");
		const scratch = await mkdtemp(join(tmpdir(), "virtual-"));
		const workspace = workspaceOver(scratch);
		await assert.rejects(workspace.realpath(`${HOME}/linked/a.txt`), /symbolic link/);
		assert.deepEqual(await workspace.list(HOME), [{ name: "linked", type: "other", link: true }]);
		await rm(scratch, { recursive: true, force: true });
	});
});

// A workspace on disk with copies of it, and what tests look at in both.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CopyChange, CopyOptions, CopyTake, WorkspaceCopies, WorkspaceCopy } from "../../../../src/core/ports/copies.ts";
import { FileConflict } from "../../../../src/core/ports/workspace/files.ts";
import { type CopiesOptions, createCopies } from "../../../../src/platform/copies/copies.ts";
import type { PlatformOptions } from "../../../../src/platform/platform.ts";
import { sha256 } from "../../../../src/shared/node/hash.ts";
import { type Place, place, straight } from "../support.ts";

export interface CopyPlace extends Place {
	copies: WorkspaceCopies;
	/** Where the copies are. */
	root: string;
	git(...args: string[]): string;
	/** Takes a change and writes it. */
	take(copy: WorkspaceCopy, change: CopyChange, hunks?: readonly number[]): Promise<CopyTake["kind"]>;
}

export function copyPlace(options: Partial<CopiesOptions> & Pick<PlatformOptions, "gitTimeout"> = {}): CopyPlace {
	const { buffers, folders, gitTimeout } = options;
	const at = place({ ...(buffers && { buffers }), ...(folders && { folders }), ...(gitTimeout !== undefined && { gitTimeout }) });
	const root = join(dirname(at.folder), "storage", "copies");
	const { programs } = at.machine;
	const copies = createCopies({ root, folders: at.machine.folders, programs, workspace: at.machine, ...options });
	return {
		...at,
		copies,
		root,
		git: (...args) => gitIn(at.folder, ...args),
		async take(copy, change, hunks) {
			const taken = await copies.take(copy, change, hunks);
			if (taken.kind !== "write") return taken.kind;
			try {
				await at.machine.apply([taken.edit], straight(change.real));
				return "write";
			} catch (error) {
				if (error instanceof FileConflict) return "conflict";
				throw error;
			}
		},
	};
}

export function gitIn(folder: string, ...args: string[]): string {
	const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "protocol.file.allow=always"];
	return execFileSync("git", [...identity, ...args], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

export function commitAll(folder: string): void {
	gitIn(folder, "init", "-q", "-b", "main");
	gitIn(folder, "add", "-A");
	gitIn(folder, "commit", "-q", "-m", "first", "--allow-empty");
}

export function options(more: Partial<CopyOptions> = {}): CopyOptions {
	return { signal: new AbortController().signal, copyIgnored: ["**/node_modules"], isReadable: async () => true, ...more };
}

export function only(copy: WorkspaceCopy): string {
	const [folder, ...others] = copy.folders;
	assert.ok(folder && others.length === 0);
	return folder.path;
}

export function write(folder: string, name: string, content: string | Uint8Array): void {
	mkdirSync(dirname(join(folder, name)), { recursive: true });
	writeFileSync(join(folder, name), content);
}

/** All of a folder, byte by byte; times of folders' entries aside. */
export function treeOf(folder: string, skip: (path: string) => boolean = () => false): Map<string, string> {
	const found = new Map<string, string>();
	for (const name of below(folder).sort()) {
		if (skip(name)) continue;
		const stats = lstatSync(join(folder, name));
		if (stats.isFile()) found.set(name, `${stats.mode.toString(8)} ${stats.ino} ${sha256(readFileSync(join(folder, name)))}`);
		else found.set(name, stats.isSymbolicLink() ? `-> ${readlinkSync(join(folder, name))}` : stats.mode.toString(8));
	}
	return found;
}

/** Node itself would follow links. */
function below(folder: string, inside = ""): string[] {
	return readdirSync(join(folder, inside), { withFileTypes: true }).flatMap((entry) => {
		const name = inside === "" ? entry.name : `${inside}/${entry.name}`;
		return entry.isDirectory() ? [name, ...below(folder, name)] : [name];
	});
}

/** Without the repository. */
export function namesIn(folder: string): string[] {
	return [...treeOf(folder, (name) => name === ".git" || name.startsWith(".git/"))].flatMap(([name]) =>
		lstatSync(join(folder, name)).isDirectory() ? [] : [name],
	);
}

export async function changeOf(copies: WorkspaceCopies, copy: WorkspaceCopy, path: string): Promise<CopyChange> {
	const { changes } = await copies.changes(copy);
	return changes.find((change) => change.path === path) ?? assert.fail(`${path} has no change`);
}

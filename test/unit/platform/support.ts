// A machine on a real folder of its own, with a real ripgrep and blobs in memory.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import type { BlobStore } from "../../../src/core/ports/sessions.ts";
import type { RunOptions } from "../../../src/core/ports/workspace/commands.ts";
import type { OpenBuffers } from "../../../src/core/ports/workspace/editor.ts";
import type { FileVersion } from "../../../src/core/ports/workspace/files.ts";
import { createPlatform, type Platform, type PlatformOptions } from "../../../src/platform/platform.ts";

export interface Place {
	machine: Platform;
	/** The workspace folder, links resolved. */
	folder: string;
	/** A folder beside it that nothing may reach. */
	outside: string;
	path(name: string): string;
	/** Writes a file with its folders, and returns its path. */
	put(name: string, content: string | Uint8Array): string;
	dispose(): Promise<void>;
}

export function place(options: Partial<PlatformOptions> & { buffers?: OpenBuffers } = {}): Place {
	const home = realpathSync(mkdtempSync(join(tmpdir(), "machine-")));
	const [folder, outside] = [join(home, "workspace"), join(home, "outside")];
	mkdirSync(folder);
	mkdirSync(outside);
	const machine = createPlatform({
		folders: () => [{ name: "workspace", path: folder }],
		identity: () => folder,
		outputFolder: join(home, "spill"),
		blobs: memoryBlobs(),
		findRipgrep: async () => rgPath,
		extraVariables: () => [],
		...options,
	});
	const path = (name: string) => join(folder, name);
	return {
		machine,
		folder,
		outside,
		path,
		put(name, content) {
			mkdirSync(dirname(path(name)), { recursive: true });
			writeFileSync(path(name), content);
			return path(name);
		},
		async dispose() {
			await machine.dispose();
			rmSync(home, { recursive: true, force: true });
		},
	};
}

export function memoryBlobs(): BlobStore {
	const kept = new Map<string, Uint8Array>();
	return {
		async put(bytes) {
			const hash = sha256(bytes);
			kept.set(hash, Uint8Array.from(bytes));
			return hash;
		},
		async get(hash) {
			return kept.get(hash);
		},
	};
}

export function sha256(bytes: Uint8Array | string): string {
	return createHash("sha256").update(bytes).digest("hex");
}

/** Paths that lead where they say. */
export function straight(...paths: string[]): Map<string, string> {
	return new Map(paths.map((path) => [path, path]));
}

export function bytes(text: string): Uint8Array {
	return new TextEncoder().encode(text);
}

export function how(cwd: string, more: Partial<RunOptions> = {}): RunOptions {
	return { cwd, signal: new AbortController().signal, timeout: 60_000, ...more };
}

/** An editor with a save participant that ends each file with a newline. */
export function editor(): { buffers: OpenBuffers; unsaved: Map<string, Uint8Array>; saved: string[] } {
	const saved: string[] = [];
	const unsaved = new Map<string, Uint8Array>();
	const buffers: OpenBuffers = {
		dirty: (path) => unsaved.get(path),
		refusal: (path) => (path.endsWith(".ipynb") ? "it is open as a notebook." : undefined),
		async setText(path, content) {
			unsaved.set(path, content);
		},
		async save(path) {
			writeFileSync(path, Buffer.concat([unsaved.get(path) ?? assert.fail(), Buffer.from("\n")]));
			unsaved.delete(path);
			saved.push(path);
		},
	};
	return { buffers, unsaved, saved };
}

/** What a file is now, for a change that is based on it. */
export async function baseOf({ machine }: Place, path: string): Promise<FileVersion> {
	const version = await machine.version(path);
	assert.ok(version);
	return version;
}

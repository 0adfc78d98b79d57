// Artifacts in folders of a test's own, removed after it.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createArtifacts } from "../../../src/artifacts/artifacts.ts";
import { type ArtifactFiles, type ArtifactStore, createArtifactStore } from "../../../src/artifacts/store.ts";
import { ArtifactError, type Artifacts } from "../../../src/core/ports/artifacts.ts";
import { nodeFileSystem, writeAtomically } from "../../../src/storage/fileSystem.ts";
import { withFileLock } from "../../../src/storage/json/fileLock.ts";

const keeping: ArtifactFiles = {
	write: (path, text) => writeAtomically(nodeFileSystem, path, text, { flush: false }),
	exclusively: (lock, work) => withFileLock(nodeFileSystem, lock, work),
};

const folders: string[] = [];

export function freshRoot(): string {
	const folder = mkdtempSync(join(tmpdir(), "troupe-artifacts-"));
	folders.push(folder);
	return join(folder, "artifacts");
}

export interface Kept {
	root: string;
	store: ArtifactStore;
	artifacts: Artifacts;
	log: string[];
}

/** One window's view of the artifacts below a root. */
export function keep(root = freshRoot(), also: string[] = []): Kept {
	const log: string[] = [];
	const store = createArtifactStore({ roots: [root, ...also], keeping, log: (line) => log.push(line) });
	opened.push(store);
	return { root, store, artifacts: createArtifacts(store), log };
}

const opened: ArtifactStore[] = [];

export function sweep(): void {
	for (const store of opened.splice(0)) store.dispose();
	for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export async function refused(code: ArtifactError["code"], work: Promise<unknown>): Promise<string> {
	const error = await work.then(
		() => assert.fail("it was not refused"),
		(error: unknown) => error,
	);
	assert.ok(error instanceof ArtifactError, String(error));
	assert.equal(error.code, code);
	return error.message;
}

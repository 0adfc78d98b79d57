// Assembles the artifact services: notes, lists, and views stored as files.
import { join } from "node:path";
import { artifactGroups, createArtifacts } from "../artifacts/artifacts.ts";
import { artifactTools } from "../artifacts/artifactTools.ts";
import { createArtifactStore } from "../artifacts/store.ts";
import type { Artifacts } from "../core/ports/artifacts.ts";
import type { Tool } from "../core/ports/tool.ts";
import type { ArtifactGroup } from "../core/prompt.ts";
import { t } from "../shared/l10n.ts";
import { nodeFileSystem, writeAtomically } from "../storage/fileSystem.ts";
import { withFileLock } from "../storage/json/fileLock.ts";
import { toStorageError } from "../storage/storageErrors.ts";

export interface ArtifactServices {
	artifacts: Artifacts;
	tools: Tool[];
	/** Existing artifacts for the prompt; empty if they cannot be read. */
	promptGroups(): Promise<readonly ArtifactGroup[]>;
}

/** New artifacts go to the first of `storages`; the others belong to the same folders under a different workspace identity. */
export function createArtifactServices(storages: readonly string[], log: (line: string) => void): ArtifactServices {
	const keeping = {
		write: async (path: string, text: string) => {
			await writeAtomically(nodeFileSystem, path, text).catch((cause: unknown) => {
				throw toStorageError(cause, t("Could not save a note, list, or view."));
			});
		},
		exclusively: <T>(lock: string, work: () => Promise<T>) => withFileLock(nodeFileSystem, lock, work),
	};
	const store = createArtifactStore({ roots: storages.map((storage) => join(storage, "artifacts")), keeping, log });
	return {
		artifacts: createArtifacts(store),
		tools: artifactTools(store),
		promptGroups: () =>
			artifactGroups(store).catch((error: unknown) => {
				log(`the artifacts could not be listed: ${String(error)}`);
				return [];
			}),
	};
}

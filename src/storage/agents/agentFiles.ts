// Reads and changes the user's agent files, each with one definition or a list.

// Edits the text in place, instead of through a JsonStore, to keep comments, order, and everything a change does not touch.

import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../core/isRecord.ts";
import { StorageError } from "../../core/ports/sessions.ts";
import { t } from "../../shared/l10n.ts";
import { decodeUtf8 } from "../../shared/utf8.ts";
import { makeFolder, nodeFileSystem, type StorageFileSystem, writeAtomically } from "../fileSystem.ts";
import { withFileLock } from "../json/fileLock.ts";
import { toStorageError } from "../storageErrors.ts";
import { agentsLockPath, PREFERENCES_FILE } from "./preferences.ts";
import { type DefinitionFile, readDefinitionFiles } from "./workspaceAgents.ts";

/** A definition as parsed from its file. */
export type AgentEntry = Record<string, unknown>;

/** `folder` (also below) is the `agents` folder in the extension's global storage. */
export async function readAgentFiles(folder: string): Promise<DefinitionFile[]> {
	return readDefinitionFiles(folder, isAgentFile);
}

/** Returns true if a file name in that folder belongs to an agent file. */
export function isAgentFile(name: string): boolean {
	return name.endsWith(".json") && name !== PREFERENCES_FILE && !name.startsWith(".");
}

/** Writes a new agent to `<agentId>.json`, which must not exist. Rejects with StorageError. */
export async function createAgentFile(folder: string, agentId: string, entry: AgentEntry): Promise<void> {
	await underLock(folder, nodeFileSystem, async () => {
		const path = join(folder, `${agentId}.json`);
		if (await nodeFileSystem.stat(path).catch(() => undefined))
			throw new StorageError(t("An agent with this ID already exists."), "EEXIST");
		await writeAtomically(nodeFileSystem, path, `${JSON.stringify(entry, undefined, "\t")}\n`);
	});
}

/**
 * Changes an agent's entry on disk, preserving comments and other entries. Also finds an entry with `id` instead of `agentId`.
 * Resolves to false if no file contains that agent; rejects with StorageError.
 */
export async function changeAgent(
	folder: string,
	agentId: string,
	change: (entry: Readonly<AgentEntry>) => AgentEntry,
	files: StorageFileSystem = nodeFileSystem,
): Promise<boolean> {
	return underLock(folder, files, async () => {
		const found = await findEntry(folder, agentId);
		if (!found) return false;
		const { modify, applyEdits } = await import("jsonc-parser");
		const after = change(found.entry);
		let { text } = found;
		for (const field of new Set([...Object.keys(found.entry), ...Object.keys(after)])) {
			if (isDeepStrictEqual(found.entry[field], after[field])) continue;
			text = applyEdits(text, modify(text, [...found.at, field], after[field], { formattingOptions: STYLE }));
		}
		if (text !== found.text) await writeAtomically(files, found.path, found.mark + text);
		return true;
	});
}

/** Changes one field; `undefined` removes it. Resolves to false if no file contains that agent; rejects with StorageError. */
export async function changeAgentField(
	folder: string,
	agentId: string,
	field: string,
	next: (old: unknown) => unknown,
	files: StorageFileSystem = nodeFileSystem,
): Promise<boolean> {
	const change = (entry: Readonly<AgentEntry>): AgentEntry => {
		const { [field]: old, ...rest } = entry;
		const value = next(old);
		return value === undefined ? rest : { ...entry, [field]: value };
	};
	return changeAgent(folder, agentId, change, files);
}

/**
 * Removes the file, or only the entry if the file has others. Resolves to false if no file contains that agent; rejects with StorageError.
 */
export async function removeAgent(folder: string, agentId: string): Promise<boolean> {
	return underLock(folder, nodeFileSystem, async () => {
		const found = await findEntry(folder, agentId);
		if (!found) return false;
		if (found.alone) {
			await nodeFileSystem.rm(found.path);
			return true;
		}
		const { modify, applyEdits } = await import("jsonc-parser");
		const text = applyEdits(found.text, modify(found.text, found.at, undefined, { formattingOptions: STYLE }));
		await writeAtomically(nodeFileSystem, found.path, found.mark + text);
		return true;
	});
}

const STYLE = { insertSpaces: false, tabSize: 4, eol: "\n" };

async function underLock<T>(folder: string, files: StorageFileSystem, work: () => Promise<T>): Promise<T> {
	try {
		await makeFolder(files, folder);
		return await withFileLock(files, agentsLockPath(folder), work);
	} catch (cause) {
		throw toStorageError(cause, t("Could not change the agent's file."));
	}
}

interface FoundEntry {
	path: string;
	/** Text without the byte order mark, which is in `mark`. */
	text: string;
	mark: string;
	/** JSON path of the entry in the file. */
	at: (string | number)[];
	entry: AgentEntry;
	/** The file contains nothing else. */
	alone: boolean;
}

/** The first match by file name, as in the registry. */
async function findEntry(folder: string, agentId: string): Promise<FoundEntry | undefined> {
	const { parse } = await import("jsonc-parser");
	for (const file of await readAgentFiles(folder)) {
		const whole = "bytes" in file ? decodeUtf8(file.bytes, { keepMark: true }) : undefined;
		if (whole === undefined) continue;
		const mark = whole.startsWith(MARK) ? MARK : "";
		const text = whole.slice(mark.length);
		const value = attempt(() => parse(text, [], { allowTrailingComma: true }) as unknown);
		if (!isRecord(value)) continue;
		const list = Object.hasOwn(value, "agents") && Array.isArray(value["agents"]) ? (value["agents"] as unknown[]) : undefined;
		const index = (list ?? [value]).findIndex((entry) => isRecord(entry) && (entry["agentId"] ?? entry["id"]) === agentId);
		if (index < 0) continue;
		const entry = (list ?? [value])[index] as AgentEntry;
		return { path: file.path, text, mark, at: list ? ["agents", index] : [], entry, alone: !list || list.length === 1 };
	}
	return undefined;
}

const MARK = "\uFEFF";

/** Returns undefined for files nested too deeply to be parsed. */
function attempt<T>(work: () => T): T | undefined {
	try {
		return work();
	} catch {
		return undefined;
	}
}

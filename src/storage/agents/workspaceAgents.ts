// Reads a workspace's agents and stores approvals of their content.

// An approval applies to a folder, a path in it and the SHA-256 of the content: any change requires a new approval.

import { constants } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { isRecord } from "../../core/isRecord.ts";
import { StorageError } from "../../core/ports/sessions.ts";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { errorCode, nodeFileSystem as files, isNotFound, makeFolder, parseJson, readText, writeAtomically } from "../fileSystem.ts";
import { createJsonStore } from "../json/jsonStore.ts";

type WorkspaceAgentFile = DefinitionFile & {
	format: "troupe" | "github" | "claude" | "subagent";
	/** SHA-256 of the content; "" if it cannot be read. */
	hash: string;
	state: "approved" | "changed" | "new";
	/** The approved text, if the file has changed since. */
	approvedText?: string;
};

interface WorkspaceAgents {
	read(): Promise<WorkspaceAgentFile[]>;
	/** Rejects if the file's content has changed since, or with StorageError. */
	approve(path: string, hash: string): Promise<void>;
	/** Rejects with StorageError; the approval then still applies. */
	disapprove(path: string): Promise<void>;
}

/** Task types, one in each subfolder, below a workspace folder or the home folder. */
export const SUBAGENTS_FOLDER = ".agents/subagents";
export const SUBAGENT_FILE = "SUBAGENT.md";

/** Folders below a workspace folder, and the names of their files. */
const PLACES = [
	{ format: "troupe", folder: ".troupe/agents", fits: (name: string) => name.endsWith(".json") },
	{ format: "github", folder: ".github/agents", fits: (name: string) => name.endsWith(".agent.md") },
	{ format: "claude", folder: ".claude/agents", fits: (name: string) => name.endsWith(".md") },
] as const;

/** Paths for file watchers, relative to a workspace folder: the folders, which may be created or deleted as a whole, and their files. */
export const WORKSPACE_AGENT_FOLDERS = [...PLACES.map(({ folder }) => folder), SUBAGENTS_FOLDER].flatMap((folder) => [
	folder.slice(0, folder.indexOf("/")),
	folder,
]);
const FILE_GLOBS = [...PLACES.map(({ folder }) => `${folder}/*`), `${SUBAGENTS_FOLDER}/*`, `${SUBAGENTS_FOLDER}/*/${SUBAGENT_FILE}`];
export const WORKSPACE_AGENTS_GLOB = `{${[...WORKSPACE_AGENT_FOLDERS, ...FILE_GLOBS].join(",")}}`;

interface Approval {
	/** The workspace folder. */
	workspace: string;
	/** Path relative to it, with `/`. */
	path: string;
	hash: string;
	/** ISO time. */
	at: string;
}

/** `storage` is the extension's global storage; `folders` are absolute paths. */
export function createWorkspaceAgents(storage: string, folders: () => readonly string[]): WorkspaceAgents {
	const textOf = (hash: string): string => join(storage, "approvedAgents", hash);

	/** Invalid entries have no effect, but are kept. */
	const store = createJsonStore<readonly unknown[]>({
		path: join(storage, "approvedAgents.json"),
		empty: [],
		parse(text) {
			const value = parseJson(text);
			return Array.isArray(value) ? value : undefined;
		},
	});

	const approvals = async (): Promise<Approval[]> => (await store.read()).filter(isApproval);

	async function change(failed: string, next: (approvals: readonly Approval[]) => Approval[]): Promise<void> {
		let old: readonly Approval[] = [];
		await store.update((entries) => {
			old = entries.filter(isApproval);
			return [...entries.filter((entry) => !isApproval(entry)), ...next(old)];
		}, failed);
		const current = await approvals().catch(() => old);
		const removed = old.filter(({ hash }) => !current.some((approval) => approval.hash === hash));
		await Promise.all(removed.map(({ hash }) => files.rm(textOf(hash), { force: true }).catch(() => undefined)));
	}

	/** The folder and the relative path, as in approvals. */
	function locate(path: string): { workspace: string; path: string } {
		const workspace = folders().find((folder) => path.startsWith(folder + sep));
		if (workspace === undefined) throw new StorageError(t("The file is not in this workspace."), "EINVAL");
		return { workspace, path: relative(workspace, path).replaceAll(sep, "/") };
	}

	async function toAgentFile(
		file: DefinitionFile,
		format: WorkspaceAgentFile["format"],
		known: readonly Approval[],
	): Promise<WorkspaceAgentFile> {
		if ("problem" in file) return { ...file, format, hash: "", state: "new" };
		const hash = sha256(file.bytes);
		const at = locate(file.path);
		const approval = known.find((one) => same(one, at));
		if (!approval) return { ...file, format, hash, state: "new" };
		if (approval.hash === hash) return { ...file, format, hash, state: "approved" };
		const before = await readText(files, textOf(approval.hash)).catch(() => undefined);
		return { ...file, format, hash, state: "changed", ...(before !== undefined && { approvedText: before }) };
	}

	return {
		async read() {
			const known = await approvals().catch(() => []);
			const places = folders().flatMap((folder) => PLACES.map((place) => ({ ...place, root: folder })));
			const all = await Promise.all(
				places.map(async ({ root, folder, fits, format }) => {
					const read = await readDefinitionFiles(join(root, ...folder.split("/")), fits, root);
					return Promise.all(read.map((file) => toAgentFile(file, format, known)));
				}),
			);
			const subagents = folders().map(async (root) => {
				const read = await readSubagentFiles(join(root, SUBAGENTS_FOLDER), root);
				return Promise.all(read.map((file) => toAgentFile(file, "subagent", known)));
			});
			return [...all, ...(await Promise.all(subagents))].flat();
		},
		async approve(path, hash) {
			const at = locate(path);
			const name = basename(path);
			const [file] = await readDefinitionFiles(dirname(path), (other) => other === name, at.workspace);
			if (!file || "problem" in file || sha256(file.bytes) !== hash) {
				throw new UserError(t("The file {0} has changed since it was shown. Nothing was approved. Review the file again.", at.path));
			}
			await makeFolder(files, join(storage, "approvedAgents"));
			await writeAtomically(files, textOf(hash), file.bytes);
			const approval = { ...at, hash, at: new Date().toISOString() };
			await change(t("Could not save the approval."), (known) => [...known.filter((one) => !same(one, at)), approval]);
		},
		async disapprove(path) {
			const at = locate(path);
			await change(t("Could not revoke the approval."), (known) => known.filter((one) => !same(one, at)));
		},
	};
}

function same(left: { workspace: string; path: string }, right: { workspace: string; path: string }): boolean {
	return left.workspace === right.workspace && left.path === right.path;
}

function isApproval(value: unknown): value is Approval {
	if (!isRecord(value)) return false;
	const { workspace, path, hash, at } = value;
	return [workspace, path, at].every((field) => typeof field === "string") && typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash);
}

export type DefinitionFile = { path: string; bytes: Uint8Array } | { path: string; problem: string };

/** Maximum bytes of one file. */
export const MAX_FILE_BYTES = 256 * 1024;
/** Maximum number of files in one folder. */
const MAX_FILES = 500;

/** Maximum bytes of all files in one folder. */
const MAX_TOTAL_BYTES = 16 * 1024 * 1024;

/** Number of files opened at a time. */
const BATCH = 50;

/** Returns the files sorted by name; unreadable files are included with the reason. Links must not lead outside `within`. */
export async function readDefinitionFiles(
	folder: string,
	isDefinition: (name: string) => boolean,
	within?: string,
): Promise<DefinitionFile[]> {
	try {
		const root = within === undefined ? undefined : await realpath(within);
		if (root !== undefined && !isInside(root, await realpath(folder))) return [{ path: folder, problem: OUTSIDE() }];
		const names = (await readdir(folder)).filter((name) => !name.startsWith(".") && isDefinition(name)).sort();
		const found: DefinitionFile[] = [];
		let bytes = 0;
		for (let from = 0; from < Math.min(names.length, MAX_FILES); from += BATCH) {
			const batch = names.slice(from, Math.min(from + BATCH, MAX_FILES));
			const read = await Promise.all(batch.map((name) => readOne(join(folder, name), root)));
			bytes += read.reduce((sum, file) => sum + ("bytes" in file ? file.bytes.length : 0), 0);
			if (bytes > MAX_TOTAL_BYTES) {
				const limit = MAX_TOTAL_BYTES / 1024 / 1024;
				return [
					...found,
					{
						path: folder,
						problem: t("The files in this folder are larger than {0} MB in total. Files from {1} on are skipped.", limit, batch[0] ?? ""),
					},
				];
			}
			found.push(...read);
		}
		const left = names.length - MAX_FILES;
		if (left > 0) {
			found.push({ path: folder, problem: t("The folder has more than {0} files. The last {1} by name are skipped.", MAX_FILES, left) });
		}
		return found;
	} catch (cause) {
		return isNotFound(cause) ? [] : [{ path: folder, problem: unreadable(cause) }];
	}
}

/** Maximum number of task types in one folder. */
const MAX_SUBAGENTS = 100;

/** The task types of a folder, each in a subfolder; links must not lead outside `within`. */
export async function readSubagentFiles(folder: string, within?: string): Promise<DefinitionFile[]> {
	try {
		const real = await realpath(folder);
		if (within !== undefined && !isInside(await realpath(within), real)) return [{ path: folder, problem: OUTSIDE() }];
		const entries = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
		const names = entries.map(({ name }) => name).filter((name) => !name.startsWith("."));
		const taken = names.sort().slice(0, MAX_SUBAGENTS);
		const found = await Promise.all(
			taken.map((name) => readDefinitionFiles(join(folder, name), (other) => other === SUBAGENT_FILE, within)),
		);
		const left = names.length - taken.length;
		const more =
			left > 0 ? [{ path: folder, problem: t("More than {0} task types. The last {1} by name are skipped.", MAX_SUBAGENTS, left) }] : [];
		return [...found.flat(), ...more];
	} catch (cause) {
		return isNotFound(cause) ? [] : [{ path: folder, problem: unreadable(cause) }];
	}
}

async function readOne(path: string, root: string | undefined): Promise<DefinitionFile> {
	try {
		const real = root === undefined ? path : await realpath(path);
		if (root !== undefined && !isInside(root, real)) return { path, problem: OUTSIDE() };
		const resolved = root === undefined ? 0 : (constants.O_NOFOLLOW ?? 0);
		// O_NONBLOCK because opening a pipe would wait for a writer.
		const handle = await open(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | resolved);
		try {
			const stat = await handle.stat();
			if (!stat.isFile()) return { path, problem: t("This is not a regular file.") };
			if (stat.size > MAX_FILE_BYTES) return { path, problem: t("The file is larger than {0} KB.", MAX_FILE_BYTES / 1024) };
			const buffer = Buffer.alloc(stat.size);
			let length = 0;
			while (length < buffer.length) {
				const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
				if (bytesRead === 0) break;
				length += bytesRead;
			}
			return { path, bytes: buffer.subarray(0, length) };
		} finally {
			await handle.close();
		}
	} catch (cause) {
		return { path, problem: unreadable(cause) };
	}
}

function isInside(root: string, path: string): boolean {
	return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

const OUTSIDE = () => t("The link points outside the workspace.");

function unreadable(cause: unknown): string {
	return t("The file or folder can't be read ({0}).", errorCode(cause));
}

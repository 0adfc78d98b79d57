// Creates, finds and removes isolated copies of the workspace, each in a private folder.

import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync } from "node:fs";
import { chmod, lstat, mkdir, readdir, realpath, rename, rm, statfs, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import type { CopyFolder, CopyOptions, ListedCopy, WorkspaceCopies, WorkspaceCopy } from "../../core/ports/copies.ts";
import type { OpenBuffers } from "../../core/ports/workspace/editor.ts";
import type { WorkspaceFolder } from "../../core/ports/workspace/files.ts";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { errorCode, type GetWorkspaceFolders } from "../files/files.ts";
import { inSlices, takeTreeSnapshot } from "../files/workspaceDiff.ts";
import { type CopyContext, createCopyChanges } from "./copyChanges.ts";
import { BASE_LIMIT, type CopyJob, copyFiles, sizeOf } from "./copyFiles.ts";
import { createCopyError, createOmissions } from "./copyNotes.ts";
import { markMissing, readRepository, writeRepository } from "./copyRepository.ts";
import { BASE, copiedFolderPath, type FolderManifest, readCopy, writeManifest } from "./manifest.ts";
import { selectFiles } from "./selectFiles.ts";

export interface CopiesOptions extends Omit<CopyContext, "homeOf"> {
	/** Folder in which the copies are, created on demand. */
	root: string;
	/** Such folders of other identities of the workspace: nothing is created there. */
	otherRoots?: readonly string[];
	/** The workspace folders that are on a disk. */
	folders: GetWorkspaceFolders;
	/** Editor buffers; absent without an editor. */
	buffers?: OpenBuffers | undefined;
	/** Bytes that are free on the disk of a folder; the operating system says so if absent. */
	freeBytes?(folder: string): Promise<number>;
	log?(line: string): void;
}

export function createCopies(options: CopiesOptions): WorkspaceCopies {
	const { root: ownRoot, otherRoots = [], folders, log } = options;
	/** Resolves links, so that nothing in a copy is reached through one. */
	const resolveRoot = (root: string) => realpath(root).catch(() => root);
	const resolveRoots = () => Promise.all([ownRoot, ...otherRoots].map(resolveRoot));

	/** Returns the folder of the copy, or else the folder in which it would be made. */
	async function homeOf(id: string): Promise<string> {
		const homes = (await resolveRoots()).map((root) => join(root, id));
		const present = await Promise.all(homes.map(exists));
		return homes[Math.max(0, present.indexOf(true))] as string;
	}

	async function create(id: string, copyOptions: CopyOptions): Promise<WorkspaceCopy> {
		if (!isId(id)) throw new TypeError(`${id} is no id of a copy.`);
		await mkdir(ownRoot, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
			throw createCopyError(error);
		});
		const root = await resolveRoot(ownRoot);
		const [home, complete] = [join(root, temporaryName(id)), join(root, id)];
		try {
			if (await exists(await homeOf(id))) throw new UserError(t("There is a copy {0} already.", id));
			await mkdir(home, { mode: 0o700 });
			const copy = await fill(home, folders(), copyOptions, options);
			copyOptions.signal.throwIfAborted();
			await rename(home, complete);
			const moved = copy.folders.map((folder, index) => ({ ...folder, path: copiedFolderPath(complete, index, folder.original) }));
			return { ...copy, id, home: complete, folders: moved };
		} catch (error) {
			await removeTree(home).catch((cause: unknown) => log?.(`${home} cannot be removed: ${String(cause)}`));
			copyOptions.signal.throwIfAborted();
			throw createCopyError(error);
		}
	}

	async function find(id: string): Promise<WorkspaceCopy | undefined> {
		return isId(id) ? readCopy(await homeOf(id), id) : undefined;
	}

	return {
		create,
		find,
		async list() {
			const names = new Set((await Promise.all([ownRoot, ...otherRoots].map(namesIn))).flat());
			const found = (await Promise.all([...names].map(find))).filter((copy) => copy !== undefined);
			const listed = found.map(async ({ id, createdAt, home }): Promise<ListedCopy> => {
				const abandoned = await exists(join(home, ABANDONED));
				return { id, createdAt, ...(abandoned && { abandoned }) };
			});
			return (await Promise.all(listed)).sort((one, other) =>
				one.createdAt < other.createdAt ? -1 : one.createdAt > other.createdAt ? 1 : 0,
			);
		},
		async abandon(id) {
			const copy = await find(id);
			if (copy) await writeFile(join(copy.home, ABANDONED), "");
		},
		async remove(id) {
			if (!isId(id)) return;
			const home = await homeOf(id);
			const aside = join(dirname(home), `${temporaryName(id)}${REMOVED}`);
			try {
				await rename(home, aside);
			} catch (error) {
				if (errorCode(error) === "ENOENT") return;
				throw error;
			}
			await removeTree(aside);
		},
		async sweep() {
			for (const root of await resolveRoots()) {
				for (const name of (await namesIn(root)).filter(isLeftBehind)) {
					await removeTree(join(root, name)).catch((cause: unknown) => log?.(`${name} cannot be removed: ${String(cause)}`));
				}
			}
		},
		...createCopyChanges({ ...options, homeOf }),
	};
}

function namesIn(root: string): Promise<string[]> {
	return readdir(root).catch(() => []);
}

function exists(path: string): Promise<boolean> {
	return lstat(path).then(
		() => true,
		() => false,
	);
}

/** Returns true for a name that leads nowhere else and that no temporary folder has. */
function isId(id: string): boolean {
	return /^[\w-][\w.-]{0,127}$/.test(id);
}

const REMOVED = ".removed";
/** A file in the folder of a copy. */
const ABANDONED = "abandoned";
/** Processes are known by their number on one computer only; a folder can be shared by several. */
const COMPUTER = sha256(hostname()).slice(0, 8);

function temporaryName(id: string): string {
	return `.${id}~${COMPUTER}~${process.pid}~${randomBytes(6).toString("hex")}`;
}

/** Returns true for what ended processes of this computer have begun, and for what is being removed. */
function isLeftBehind(name: string): boolean {
	const [, computer, pid, removed] = /^\.[\w.-]+~(\w+)~(\d+)~\w+(\.removed)?$/.exec(name) ?? [];
	if (pid === undefined || computer !== COMPUTER) return false;
	return removed !== undefined || !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return errorCode(error) === "EPERM";
	}
}

/** Agents can make folders read-only. */
async function removeTree(path: string): Promise<void> {
	const remove = () => rm(path, { recursive: true, force: true, maxRetries: 3 });
	await remove().catch(async (error: unknown) => {
		if (!["EACCES", "EPERM"].includes(errorCode(error) ?? "")) throw error;
		await makeWritable(path);
		await remove();
	});
}

async function makeWritable(folder: string): Promise<void> {
	await chmod(folder, 0o700);
	for (const entry of await readdir(folder, { withFileTypes: true })) {
		if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
	}
}

type Filled = Omit<WorkspaceCopy, "id" | "home">;

async function fill(home: string, folders: readonly WorkspaceFolder[], copyOptions: CopyOptions, options: CopiesOptions): Promise<Filled> {
	if (folders.length === 0) throw new UserError(t("No folder of the workspace is on this disk, so there is nothing to copy."));
	const base = { fd: openSync(join(home, BASE), "wx", 0o600), size: 0 };
	const ignoredBudget = { left: IGNORED_BYTES };
	try {
		const copied: CopyFolder[] = [];
		const manifests: FolderManifest[] = [];
		const notes: string[] = [];
		for (const [index, { name, path: original }] of folders.entries()) {
			const target = copiedFolderPath(home, index, original);
			await mkdir(target, { recursive: true, mode: 0o700 });
			const job = {
				original,
				source: await realpath(original),
				target: await realpath(target),
				base,
				ignoredBudget,
				buffers: options.buffers,
			};
			const done = await copyFolder(name, job, copyOptions, options);
			copied.push({ name, path: target, original });
			manifests.push(done.manifest);
			notes.push(...done.notes);
		}
		fsyncSync(base.fd);
		const copy = { folders: copied, createdAt: new Date().toISOString(), notes: [...new Set(notes)] };
		await writeManifest(home, copy, manifests, base.size);
		return copy;
	} finally {
		closeSync(base.fd);
	}
}

/** Bytes of all ignored files together, where the file system can't share them. */
const IGNORED_BYTES = 500 * 1000 * 1000;

async function copyFolder(
	name: string,
	paths: Omit<CopyJob, "signal" | "omit">,
	{ signal, copyIgnored, isReadable }: CopyOptions,
	{ programs, freeBytes }: Pick<CopiesOptions, "programs" | "freeBytes">,
): Promise<{ manifest: FolderManifest; notes: string[] }> {
	const omissions = createOmissions();
	const job: CopyJob = { ...paths, signal, omit: omissions.add };
	const [{ repository, note }, selected] = await Promise.all([
		readRepository(job.source, name, programs),
		selectFiles(job.source, copyIgnored, programs, signal),
	]);
	const project = [...new Set(selected.project)];
	const ignored = new Set(selected.ignored);
	const readable = findReadable([...project, ...ignored], (path) => isReadable(join(job.source, path)), omissions.add);
	await requireSpace(job, project, ignored, freeBytes);
	for (const path of selected.nested) omissions.add("nested", path);
	// Both have ended before a failure removes the folder.
	const [copied, written] = await Promise.allSettled([
		copyFiles(job, readable, ignored),
		repository ? writeRepository(job.target, repository, programs) : undefined,
	]);
	if (copied.status === "rejected") throw copied.reason;
	if (written.status === "rejected") throw written.reason;
	const [files, hasRepository] = [copied.value, written.value];
	if (hasRepository) await markMissing(job.target, omissions.leftOut(), programs);
	const { files: stamps, ignoredSkipped } = await takeTreeSnapshot(job.target, (path) => files.get(path)?.ignored === true);
	for (const [path, file] of files) {
		const { link: _, ...copied } = stamps.get(path) ?? {};
		if ("size" in copied) file.copied = copied;
	}
	const failed = hasRepository === false ? [t("Git can't copy the repository of {0}, so only its files were copied.", name)] : [];
	return {
		manifest: { files: [...files], nested: selected.nested, ignoredSkipped },
		notes: [...(note === undefined ? [] : [note]), ...failed, ...omissions.sentences()],
	};
}

/** Yields the readable paths in batches; the next batch is judged while one is copied. */
async function* findReadable(
	paths: readonly string[],
	isReadable: (path: string) => Promise<boolean>,
	omit: (why: "protected", path: string) => void,
): AsyncGenerator<string[]> {
	const judge = (start: number) => {
		const judged = Promise.all(paths.slice(start, start + BATCH).map(async (path) => ({ path, readable: await isReadable(path) })));
		// If copying fails, nobody waits for the next batch.
		judged.catch(() => undefined);
		return judged;
	};
	let next = judge(0);
	for (let start = 0; start < paths.length; start += BATCH) {
		const judged = await next;
		next = judge(start + BATCH);
		for (const { path, readable } of judged) if (!readable) omit("protected", path);
		yield judged.flatMap(({ path, readable }) => (readable ? [path] : []));
	}
}

/** Number of concurrent queries. */
const BATCH = 64;

/**
 * Fails before the disk is full, which would stop other programs too. Project files that may be merged are stored twice; of ignored
 * files, sharing their bytes may take less.
 */
async function requireSpace(
	{ source, target, ignoredBudget }: CopyJob,
	project: readonly string[],
	ignored: Iterable<string>,
	freeBytes = askFreeBytes,
): Promise<void> {
	let [bytes, ignoredBytes] = [0, 0];
	await inSlices(project, (path) => {
		const size = sizeOf(join(source, path));
		bytes += size <= BASE_LIMIT ? 2 * size : size;
	});
	await inSlices(ignored, (path) => {
		ignoredBytes += sizeOf(join(source, path));
	});
	const needed = bytes + Math.min(ignoredBytes, ignoredBudget.left);
	if (needed > (await freeBytes(target)) - SPARE_BYTES) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
}

async function askFreeBytes(folder: string): Promise<number> {
	const { bavail, bsize } = await statfs(folder);
	return bavail * bsize;
}

const SPARE_BYTES = 200 * 1000 * 1000;

// Lists what differs in a copy, and judges what taking a change would write.

import { open } from "node:fs/promises";
import { join } from "node:path";
import type { CopyChange, CopyChanges, CopyFolder, CopyVersions, WorkspaceCopies, WorkspaceCopy } from "../../core/ports/copies.ts";
import type { FileVersion } from "../../core/ports/workspace/files.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import { UserError } from "../../core/userError.ts";
import { formatNumber, t } from "../../shared/l10n.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { computeDiff, type FileDiff } from "../files/diffs.ts";
import { errorCode, listGitNames, readRange, WHOLE_FILE_LIMIT } from "../files/files.ts";
import { diffTreeSnapshots, type FileStamp, MOST_IGNORED, type TreeSnapshot, takeTreeSnapshot } from "../files/workspaceDiff.ts";
import type { GitRunner } from "../git/gitChanges.ts";
import { isOpenedThere, READ_FILE } from "./copyFiles.ts";
import { describeModes, describeUnread } from "./copyNotes.ts";
import { decideTake, type FoundFile, hashOf } from "./decideTake.ts";
import {
	type BaseFile,
	type FolderManifest,
	hashesKey,
	readBase,
	readFolderManifests,
	readHashes,
	readOpenWrites,
	recordHash,
	recordWriteBegin,
	recordWriteEnd,
} from "./manifest.ts";
import { isDependencyFolder, isInstalled } from "./selectFiles.ts";

export interface CopyContext {
	programs: GitRunner;
	/** The workspace's files as they are now. */
	workspace: Pick<Workspace, "lstat" | "version" | "read">;
	/** Folder of a copy. */
	homeOf(id: string): Promise<string>;
}

type ChangeMethods = "changes" | "versions" | "take" | "beginWrite" | "endWrite" | "openWrites" | "discard";

export function createCopyChanges(context: CopyContext): Pick<WorkspaceCopies, ChangeMethods> {
	const { homeOf } = context;
	/** A copy's manifests never change. They are read once for each copy that was found, so once in an act of the user. */
	const manifestsOf = new WeakMap<WorkspaceCopy, Promise<FolderManifest[]>>();

	async function readRecords(copy: WorkspaceCopy): Promise<{ home: string; manifests: FolderManifest[]; hashes: Hashes }> {
		const home = await homeOf(copy.id);
		const reading = manifestsOf.get(copy) ?? requireManifests(home);
		manifestsOf.set(copy, reading);
		const [manifests, taken, discarded] = await Promise.all([reading, readHashes(home, "taken"), readHashes(home, "discarded")]);
		return { home, manifests, hashes: { taken, discarded } };
	}

	async function openChange(copy: WorkspaceCopy, change: CopyChange): Promise<{ index: number; judge: Judge }> {
		const index = copy.folders.findIndex(({ name, original }) => name === change.folder && join(original, change.path) === change.real);
		if (index < 0) throw new UserError(t("The copy has no folder {0}.", change.folder));
		const { home, manifests, hashes } = await readRecords(copy);
		const files = new Map(manifests[index]?.files);
		return { index, judge: createJudge(context, { home, index, folder: copy.folders[index] as CopyFolder, files, ...hashes }) };
	}

	return {
		async changes(copy) {
			const { home, manifests, hashes } = await readRecords(copy);
			const changes: CopyChange[] = [];
			const notes = new Set<string>();
			const otherModes: string[] = [];
			const unreadAll: string[] = [];
			for (const [index, folder] of copy.folders.entries()) {
				const manifest = manifests[index];
				if (!manifest) throw createDamageError();
				const files = new Map(manifest.files);
				const judge = createJudge(context, { home, index, folder, files, ...hashes });
				const { touched, present, isIgnored, skipped, unread } = await findTouched(folder.path, manifest, files, context);
				if (skipped)
					notes.add(t("{0} has more than {1} ignored files, so ignored files weren't compared.", folder.name, formatNumber(MOST_IGNORED)));
				unreadAll.push(...unread);
				otherModes.push(...touched.filter((path) => hasOtherMode(files.get(path), present.get(path))));
				for (const path of new Set([...touched, ...judge.takenPaths()])) {
					const facts = { entry: present.get(path), ignored: isIgnored(path), withDiff: changes.length < DIFFS };
					const change = await judge.changeOf(path, facts);
					if (change) changes.push(change.ignored && isInstalled(path) ? { ...change, dependency: true } : change);
				}
			}
			return {
				changes: changes.sort(byPath),
				notes: [...notes, ...describeUnread(unreadAll), ...describeModes(otherModes)],
			} satisfies CopyChanges;
		},
		async versions(copy, change): Promise<CopyVersions> {
			const { judge } = await openChange(copy, change);
			return judge.versions(change.path);
		},
		async take(copy, change, hunks) {
			const { index, judge } = await openChange(copy, change);
			const [copied, { file: original, version, known: originalKnown }] = await Promise.all([
				judge.copied(change.path),
				judge.original(change.path),
			]);
			const decided = decideTake({ change, copied, original, version, originalKnown, hunks });
			if (decided.kind === "write") {
				const after = "content" in decided.edit ? sha256(decided.edit.content) : "";
				await recordHash(await homeOf(copy.id), "taken", index, change.path, after);
			}
			return decided;
		},
		beginWrite: async (copy, write) => recordWriteBegin(await homeOf(copy.id), write),
		endWrite: async (copy, id) => recordWriteEnd(await homeOf(copy.id), id),
		openWrites: async (copy) => readOpenWrites(await homeOf(copy.id)),
		async discard(copy, change) {
			const { index } = await openChange(copy, change);
			if (change.now === undefined) throw new UserError(t("The change of {0} can only be discarded with the whole copy.", change.path));
			await recordHash(await homeOf(copy.id), "discarded", index, change.path, change.now);
		},
	};
}

/** Maximum number of changes with a diff. */
const DIFFS = 200;

function byPath(one: CopyChange, other: CopyChange): number {
	const [left, right] = [one, other].map(({ folder, path }) => `${folder}/${path}`) as [string, string];
	return left < right ? -1 : left > right ? 1 : 0;
}

async function requireManifests(home: string): Promise<FolderManifest[]> {
	const found = await readFolderManifests(home);
	if (!found) throw createDamageError();
	return found;
}

function createDamageError(): Error {
	return new UserError(t("The copy is damaged or was removed, so its changes can't be read. Your files were left alone."));
}

/** Finds what may have changed since the folder was copied, by file data alone. */
async function findTouched(
	folder: string,
	manifest: FolderManifest,
	files: ReadonlyMap<string, BaseFile>,
	{ programs }: Pick<CopyContext, "programs">,
): Promise<{
	touched: string[];
	present: TreeSnapshot["files"];
	isIgnored: (path: string) => boolean;
	skipped: boolean;
	unread: string[];
}> {
	const listed = await listGitNames(folder, programs);
	const project = new Set(listed);
	const nested = [...manifest.nested, ...(listed ?? []).filter((name) => name.endsWith("/"))];
	const isIgnored = (path: string): boolean => {
		const known = files.get(path);
		if (known) return known.ignored === true;
		return listed ? !project.has(path) && !nested.some((repository) => path.startsWith(repository)) : isDependencyFolder(path);
	};
	const now = await takeTreeSnapshot(folder, isIgnored);
	const before = new Map<string, NonNullable<BaseFile["copied"]> & { link?: string }>();
	for (const [path, { copied, link }] of files) if (copied) before.set(path, { ...copied, ...(link !== undefined && { link }) });
	const touched = diffTreeSnapshots({ files: before, ignoredSkipped: manifest.ignoredSkipped }, now, isIgnored);
	return {
		touched,
		present: now.files,
		isIgnored,
		skipped: manifest.ignoredSkipped || now.ignoredSkipped,
		unread: now.unread.filter((path) => !isInstalled(path)),
	};
}

/** Ignored files are listed anyway. */
function hasOtherMode(base: BaseFile | undefined, now: (FileStamp & { link?: string }) | undefined): boolean {
	if (!base?.copied || !now || base.ignored || base.link !== undefined || now.link !== undefined) return false;
	return base.copied.executable !== now.executable;
}

interface Judge {
	/** Paths of which changes were taken. */
	takenPaths(): string[];
	copied(path: string): Promise<FoundFile>;
	original(path: string): Promise<OriginalFile>;
	versions(path: string): Promise<CopyVersions>;
	/** Resolves to undefined if nothing is left to take. */
	changeOf(path: string, facts: PathFacts): Promise<CopyChange | undefined>;
}

interface PathFacts {
	/** The entry in the copy; undefined if it was deleted. */
	entry: { link?: string } | undefined;
	ignored: boolean;
	withDiff: boolean;
}

interface OriginalFile {
	file: FoundFile;
	version: FileVersion | undefined;
	/** It is as it was copied, or as taking changes has written it. */
	known: boolean;
}

type Hashes = Record<"taken" | "discarded", ReadonlyMap<string, ReadonlySet<string>>>;

interface FolderState extends Hashes {
	home: string;
	index: number;
	folder: CopyFolder;
	files: ReadonlyMap<string, BaseFile>;
}

function createJudge({ workspace }: CopyContext, { home, index, folder, files, taken, discarded }: FolderState): Judge {
	const realOf = (path: string) => join(folder.original, path);
	const copiedOf = (path: string) => join(folder.path, path);

	async function original(path: string): Promise<OriginalFile> {
		const real = realOf(path);
		const base = files.get(path);
		const stats = await workspace.lstat(real);
		const hashes = taken.get(hashesKey(index, path));
		if (!stats) return { file: "none", version: undefined, known: !base || (hashes?.has("") ?? false) };
		if (stats.link !== undefined || stats.type !== "file") return { file: "other", version: undefined, known: false };
		const version = await workspace.version(real);
		if (!version) return { file: "other", version, known: false };
		const asCopied = base !== undefined && (base.hash === undefined ? isAsCopied(base, version) : base.hash === version.hash);
		const known = asCopied || (hashes?.has(version.hash) ?? false);
		if (stats.size > WHOLE_FILE_LIMIT) return { file: "large", version, known };
		// It may change or disappear between the two.
		const bytes = await workspace.read(real).catch(() => undefined);
		if (!bytes) return { file: "other", version: undefined, known: false };
		return { file: { bytes }, version, known: known && sha256(bytes) === version.hash };
	}

	/** Returns true if the original is as it was copied, judged without reading it. */
	async function isOriginalKnown(path: string): Promise<boolean> {
		const [stats, base] = [await workspace.lstat(realOf(path)), files.get(path)];
		return stats && base ? isAsCopied(base, stats) : !stats && !base;
	}

	async function unreadChange(path: string, { entry, ignored }: PathFacts): Promise<CopyChange | undefined> {
		const base = files.get(path);
		const action = !entry ? "delete" : base ? "update" : "create";
		const linked = entry?.link ?? base?.link;
		if (linked !== undefined && entry?.link === base?.link) return undefined;
		return {
			...placeOf(path),
			action,
			...(linked !== undefined && { link: entry?.link ?? "" }),
			...(ignored && { ignored }),
			changedMeanwhile: linked === undefined && !(await isOriginalKnown(path)),
			...(ignored || linked !== undefined ? NO_DIFF : largeDiff(base?.size ?? 0)),
		};
	}

	const placeOf = (path: string) => ({ folder: folder.name, path, real: realOf(path), copied: copiedOf(path) });

	return {
		takenPaths() {
			const start = hashesKey(index, "");
			return [...taken.keys()].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));
		},
		copied: (path) => readCopied(copiedOf(path)),
		original,
		async versions(path) {
			const [copy, { file, known }] = await Promise.all([readCopied(copiedOf(path)), original(path)]);
			const now = bytesOf(file);
			return { base: known ? now : await readBase(home, files.get(path)), copied: bytesOf(copy), original: now };
		},
		async changeOf(path, facts) {
			const base = files.get(path);
			const copy = facts.entry ? await readCopied(copiedOf(path)) : "none";
			if (facts.ignored || facts.entry?.link !== undefined || base?.link !== undefined || copy === "large" || copy === "other") {
				return unreadChange(path, facts);
			}
			const { file, known } = await original(path);
			const now = hashOf(copy) as string;
			const before = known ? hashOf(file) : base ? base.hash : "";
			if (now === before || now === hashOf(file) || discarded.get(hashesKey(index, path))?.has(now)) return undefined;
			const [old, bytes] = [known ? bytesOf(file) : await readBase(home, base), bytesOf(copy)];
			const shown = facts.withDiff && (before === "" || old) ? computeDiff(old, bytes) : largeDiff(bytes?.length ?? base?.size ?? 0);
			return {
				...placeOf(path),
				action: copy === "none" ? "delete" : before === "" ? "create" : "update",
				...(before !== undefined && { base: before }),
				now,
				changedMeanwhile: !known,
				...shown,
			};
		},
	};
}

const NO_DIFF: FileDiff = { diff: "", added: 0, removed: 0 };

function largeDiff(size: number): FileDiff {
	return { ...NO_DIFF, unshown: { why: "large", size } };
}

/** Compares a file that was copied without a hash. */
function isAsCopied({ original }: BaseFile, { size, mtime }: Pick<FileVersion, "size" | "mtime">): boolean {
	return original?.size === size && original.mtime === mtime;
}

function bytesOf(file: FoundFile): Uint8Array | undefined {
	return typeof file === "object" ? file.bytes : undefined;
}

/** Never goes through a link, because agents can put some in the copy. */
async function readCopied(path: string): Promise<FoundFile> {
	const file = await open(path, READ_FILE).catch((error: unknown) => (isGone(error) ? ("none" as const) : ("other" as const)));
	if (typeof file === "string") return file;
	try {
		const stats = await file.stat();
		if (!stats.isFile() || !isOpenedThere(file.fd, path, stats)) return "other";
		if (stats.size > WHOLE_FILE_LIMIT) return "large";
		return { bytes: await readRange(file, 0, stats.size), ...((stats.mode & 0o100) !== 0 && { executable: true }) };
	} finally {
		await file.close();
	}
}

function isGone(error: unknown): boolean {
	return ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");
}

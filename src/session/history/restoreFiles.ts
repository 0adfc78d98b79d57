// Plans and performs restoring files from their pre-images, skipping files that others changed.
import type { ChangedFile, FileChange } from "../../core/events.ts";
import { toAbsolutePath, toDisplayChange } from "../../core/paths.ts";
import { t } from "../../shared/l10n.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { reasonOf } from "../../shared/reasonOf.ts";
import type { SessionContext } from "../sessionContext.ts";
import { SessionBlockedError } from "../state/sessionBlocked.ts";

export interface RestorePlan {
	/** Files in the order in which they can be restored. */
	files: Step[];
	left: SkippedFile[];
}

/** A file that is not restored, and why. */
export interface SkippedFile {
	path: string;
	why: string;
}

/** One file and the change to undo, with absolute paths; without a change, the file is already restored. */
interface Step {
	file: ChangedFile;
	change?: FileChange;
}

type RestoringSession = Pick<SessionContext, "services" | "workspace" | "lost">;

/** Rejects with SessionBlockedError if the files that the session has worked on are gone as a whole. */
export async function requireFiles({ lost }: Pick<SessionContext, "lost">, isRestoring = true): Promise<void> {
	const why = await lost?.(isRestoring);
	if (why !== undefined) throw new SessionBlockedError("files-gone", why);
}

/** Reads each file's current state; writes nothing. Rejects with SessionBlockedError. */
export async function planRestore(session: RestoringSession, changed: Iterable<ChangedFile>): Promise<RestorePlan> {
	const files = [...changed];
	await requireFiles(session, files.length > 0);
	const planned: Step[] = [];
	const left: SkippedFile[] = [];
	for (const file of files) {
		const step = await checkFile(session, file);
		if (typeof step === "string") left.push({ path: file.path, why: step });
		else planned.push({ file, ...(step && { change: step }) });
	}
	return { files: sortSteps(planned), left };
}

export interface RestoreResult {
	changes: FileChange[];
	left: SkippedFile[];
}

/**
 * Restores files one by one, so that a retry after a crash continues where it stopped. A file that is already restored is
 * recorded only if it still `stands` as changed.
 */
export async function restoreFiles(
	{ workspace, services }: Pick<RestoringSession, "workspace" | "services">,
	{ files, left }: RestorePlan,
	stands: (path: string) => boolean = () => true,
): Promise<RestoreResult> {
	const changes: FileChange[] = [];
	const skipped = [...left];
	for (const { file, change } of files) {
		if (!change && !stands(file.path)) continue;
		try {
			const done = change ? toDisplayChange(workspace, await workspace.undo(change)) : toCompletedChange(file);
			changes.push({ ...done, diff: "" });
		} catch (error) {
			skipped.push({ path: file.path, why: reasonOf(error, services.log) });
		}
	}
	return { changes, left: skipped };
}

/** The change to undo, undefined if it is already undone, or the reason why it can't be. */
async function checkFile(
	{ workspace, services: { blobs } }: RestoringSession,
	file: ChangedFile,
): Promise<FileChange | undefined | string> {
	const { original } = file;
	const path = toAbsolutePath(workspace, file.path);
	const was = file.was === undefined ? undefined : toAbsolutePath(workspace, file.was);
	if (workspace.unsaved?.(path)) return t("The file has unsaved changes in an editor.");
	if (!original && !file.created) return t("The earlier content wasn't saved.");
	const [now, atPrevious] = [await workspace.version(path), was === undefined ? undefined : await workspace.version(was)];
	const change = { path, diff: "", added: 0, removed: 0, ...(original && { before: original }), after: now?.hash ?? "" };
	if (was !== undefined) {
		if (atPrevious) return now || atPrevious.hash !== original?.blob ? t("Another file exists at {0}.", file.was ?? "") : undefined;
		if (!now) return GONE();
		return isUnmodified(now.hash) ? { ...change, action: "rename", from: was } : CHANGED_LATER();
	}
	if (file.created) {
		if (!now) return undefined;
		return isUnmodified(now.hash) ? { ...change, action: "create" } : CHANGED_LATER();
	}
	if (now?.hash === original?.blob) return undefined;
	if (now && (isUnmodified(now.hash) || (await isTorn(path)))) return { ...change, action: "update" };
	if (file.after !== "") return now ? CHANGED_LATER() : GONE();
	if (now) return t("The file was created again after it was deleted.");
	return file.mixed ? CHANGED_LATER() : { ...change, action: "delete" };

	/** Returns true if it is as we left it, without anyone else's changes. An interrupted move already has the earlier bytes. */
	function isUnmodified(hash: string): boolean {
		return file.after !== "" && ((hash === file.after && !file.mixed) || hash === original?.blob);
	}

	/** Resolves to true if overwriting it was interrupted: it begins with the old bytes and continues with the new ones. */
	async function isTorn(at: string): Promise<boolean> {
		const before = original && (await blobs.get(original.blob));
		const after = file.after === "" ? new Uint8Array() : await blobs.get(file.after);
		if (!before || !after || file.mixed) return false;
		const found = await workspace.read(at);
		if (found.length > Math.max(before.length, after.length)) return false;
		let same = 0;
		while (same < found.length && found[same] === before[same]) same += 1;
		const rest = found.subarray(same);
		const written = file.after === "" ? rest.length === 0 : Buffer.compare(rest, after.subarray(same)) === 0;
		return written && sha256(found) !== file.after;
	}
}

const CHANGED_LATER = () => t("The file was changed later, by you or by a command.");
const GONE = () => t("The file no longer exists.");

/** Created files come first and deleted ones last, so that the targets of moves are free. */
function sortSteps(steps: Step[]): Step[] {
	const rank = ({ file }: Step) => (file.created ? 0 : file.was !== undefined ? 1 : 2);
	const moves = steps.filter((step) => rank(step) === 1);
	const sorted: Step[] = [];
	while (moves.length > 0) {
		const free = moves.findIndex(({ file }) => !moves.some((other) => other.file !== file && other.file.path === file.was));
		sorted.push(...moves.splice(Math.max(0, free), 1));
	}
	return [...steps.filter((step) => rank(step) === 0), ...sorted, ...steps.filter((step) => rank(step) === 2)];
}

/** Records what an earlier attempt has already restored. */
function toCompletedChange({ path, was, original, created, after }: ChangedFile): FileChange {
	const record = { diff: "", added: 0, removed: 0, ...(after !== "" && { before: { blob: after, size: 0 } }) };
	if (created) return { ...record, path, action: "delete", after: "" };
	if (was !== undefined) return { ...record, path: was, from: path, action: "rename", after: original?.blob ?? "" };
	return { ...record, path, action: after === "" ? "create" : "update", after: original?.blob ?? "" };
}

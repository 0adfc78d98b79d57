// Plans and performs restoring files from their pre-images, skipping files that others changed.
import type { ChangedFile, FileChange } from "../../core/events.ts";
import { t } from "../../shared/l10n.ts";
import { sha256 } from "../../shared/node/hash.ts";
import type { Services } from "../context.ts";
import { toAbsolutePath, toDisplayChange } from "../displayPaths.ts";

export interface RestorePlan {
	/** In the order in which they can be put back. */
	files: Step[];
	left: SkippedFile[];
}

/** A file that stays as it is, and why. */
export interface SkippedFile {
	path: string;
	why: string;
}

/** One file: the change to take back, with absolute paths; without one it is as it was already. */
interface Step {
	file: ChangedFile;
	change?: FileChange;
}

/** Looks at each file as it is now; writes nothing. */
export async function planRestore(services: Services, files: Iterable<ChangedFile>): Promise<RestorePlan> {
	const planned: Step[] = [];
	const left: SkippedFile[] = [];
	for (const file of files) {
		const step = await lookAt(services, file);
		if (typeof step === "string") left.push({ path: file.path, why: step });
		else planned.push({ file, ...(step && { change: step }) });
	}
	return { files: inOrder(planned), left };
}

export interface RestoreResult {
	changes: FileChange[];
	left: SkippedFile[];
}

/**
 * Restores what can be, one file after the other: whoever comes back after a crash finds some done and goes on. What is as it
 * was already is recorded where it still `stands` as changed.
 */
export async function restoreFiles(
	services: Services,
	{ files, left }: RestorePlan,
	stands: (path: string) => boolean = () => true,
): Promise<RestoreResult> {
	const changes: FileChange[] = [];
	const stayed = [...left];
	for (const { file, change } of files) {
		if (!change && !stands(file.path)) continue;
		try {
			const done = change ? toDisplayChange(services.workspace, await services.workspace.undo(change)) : asDone(file);
			changes.push({ ...done, diff: "" });
		} catch (error) {
			stayed.push({ path: file.path, why: error instanceof Error ? error.message : String(error) });
		}
	}
	return { changes, left: stayed };
}

/** The change to undo, undefined where it is undone already, or the reason why not. */
async function lookAt({ workspace, blobs }: Services, file: ChangedFile): Promise<FileChange | undefined | string> {
	const { original } = file;
	const path = toAbsolutePath(workspace, file.path);
	const was = file.was === undefined ? undefined : toAbsolutePath(workspace, file.was);
	if (workspace.unsaved?.(path)) return t("The file has unsaved changes in an editor.");
	if (!original && !file.created) return t("The earlier content wasn't saved.");
	const [now, home] = [await workspace.version(path), was === undefined ? undefined : await workspace.version(was)];
	const change = { path, diff: "", added: 0, removed: 0, ...(original && { before: original }), after: now?.hash ?? "" };
	if (was !== undefined) {
		if (home) return now || home.hash !== original?.blob ? t("Another file exists at {0}.", file.was ?? "") : undefined;
		if (!now) return GONE();
		return ours(now.hash) ? { ...change, action: "rename", from: was } : MOVED_ON();
	}
	if (file.created) {
		if (!now) return undefined;
		return ours(now.hash) ? { ...change, action: "create" } : MOVED_ON();
	}
	if (now?.hash === original?.blob) return undefined;
	if (now && (ours(now.hash) || (await isTorn(path)))) return { ...change, action: "update" };
	if (file.after !== "") return now ? MOVED_ON() : GONE();
	if (now) return t("The file was created again after it was deleted.");
	return file.mixed ? MOVED_ON() : { ...change, action: "delete" };

	/** As we left it, and nobody else's work in it; a move that broke off has the earlier bytes already. */
	function ours(hash: string): boolean {
		return file.after !== "" && ((hash === file.after && !file.mixed) || hash === original?.blob);
	}

	/** Overwriting it broke off: the beginning is as it was before, the rest as it was left. */
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

const MOVED_ON = () => t("The file was changed later, by you or by a command.");
const GONE = () => t("The file no longer exists.");

/** What was created goes first and what was deleted comes last, so that moved files find their places free. */
function inOrder(steps: Step[]): Step[] {
	const rank = ({ file }: Step) => (file.created ? 0 : file.was !== undefined ? 1 : 2);
	const moves = steps.filter((step) => rank(step) === 1);
	const sorted: Step[] = [];
	while (moves.length > 0) {
		const free = moves.findIndex(({ file }) => !moves.some((other) => other.file !== file && other.file.path === file.was));
		sorted.push(...moves.splice(Math.max(0, free), 1));
	}
	return [...steps.filter((step) => rank(step) === 0), ...sorted, ...steps.filter((step) => rank(step) === 2)];
}

/** For the record: what an earlier attempt has done. */
function asDone({ path, was, original, created, after }: ChangedFile): FileChange {
	const record = { diff: "", added: 0, removed: 0, ...(after !== "" && { before: { blob: after, size: 0 } }) };
	if (created) return { ...record, path, action: "delete", after: "" };
	if (was !== undefined) return { ...record, path: was, from: path, action: "rename", after: original?.blob ?? "" };
	return { ...record, path, action: after === "" ? "create" : "update", after: original?.blob ?? "" };
}

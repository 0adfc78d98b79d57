// Applies a set of file edits completely or not at all, only at checked locations, with undo.
import type { FileChange } from "../../core/events.ts";
import { formatDisplayPath, relativePathWithin } from "../../core/paths.ts";
import type { BlobStore } from "../../core/ports/sessions.ts";
import { ToolError } from "../../core/ports/tool.ts";
import { FileConflict, type Workspace } from "../../core/ports/workspace.ts";
import { t } from "../../shared/l10n.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { computeDiff, invertChange } from "./diffs.ts";
import { applyEdit } from "./fileOperations.ts";
import { errorCode } from "./files.ts";
import {
	type CheckedEdit,
	type FileOperationContext,
	type OpenHandles,
	type PreparedEdit,
	prepareEdit,
	type Revert,
	refuseDuplicatePaths,
	resolveRealPath,
} from "./preconditions.ts";

export type FileWriter = Pick<Workspace, "apply" | "preview" | "undo">;

export function createFileWriter(around: FileOperationContext & { blobs: BlobStore }): FileWriter {
	const inTurn = queue();
	/** Of files that were deleted: a change does not carry it. */
	const modes = new Map<string, number>();
	/** Where was written since the start, as the gate judged: out of the workspace undo writes nowhere else. */
	const written = new Set<string>();

	async function apply(edits: readonly CheckedEdit[], real: ReadonlyMap<string, string>): Promise<FileChange[]> {
		refuseDuplicatePaths(edits, around.folders);
		const prepared: PreparedEdit[] = [];
		for (const edit of edits) prepared.push(await orUnchanged(() => prepareEdit(edit, real, around)));
		const blobs: string[] = [];
		for (const { before } of prepared) blobs.push(before ? await around.blobs.put(before) : "");
		await writeAll(prepared, around);
		for (const { edit, mode } of prepared) if (mode !== undefined) modes.set(edit.path, mode);
		for (const { realPath: at, realTarget: realTo = at } of prepared) written.add(at).add(realTo);
		return Promise.all(prepared.map((one, index) => report(one, blobs[index] ?? "", around)));
	}

	async function undo(change: FileChange): Promise<FileChange> {
		const taken = await orUnchanged(() => invertChange(change, around), t("Nothing was changed."));
		const mode = modes.get(change.path);
		const edit = taken.action === "create" && mode !== undefined ? { ...taken, mode } : taken;
		const paths = edit.action === "rename" ? [edit.path, edit.to] : [edit.path];
		const real = new Map<string, string>();
		for (const path of paths) real.set(path, await whereUndoMayWrite(path, around, written));
		const [done] = await apply([edit], real);
		return done as FileChange;
	}

	return {
		apply: (edits, real) => inTurn(() => apply(edits, real)),
		undo: (change) => inTurn(() => undo(change)),
		async preview(edits) {
			refuseDuplicatePaths(edits, around.folders);
			const prepared: PreparedEdit[] = [];
			for (const edit of edits) prepared.push(await prepareEdit(edit, undefined, around));
			return prepared.map((one) => changeOf(one, contentAfter(one)));
		},
	};
}

async function writeAll(prepared: readonly PreparedEdit[], around: FileOperationContext): Promise<void> {
	const held: OpenHandles = [];
	const reverts: Revert[] = [];
	let current: PreparedEdit | undefined;
	try {
		for (current of prepared) await (around.applyEdit ?? applyEdit)(current, held, reverts, around);
	} catch (error) {
		const failed = await takeBack(reverts);
		throw explained(error, formatDisplayPath(current?.edit.path ?? "", around.folders()), failed);
	} finally {
		for (const one of held.toReversed()) await one.close().catch(() => undefined);
	}
}

/** The reasons why something could not be put back. */
async function takeBack(reverts: readonly Revert[]): Promise<string[]> {
	const failed: string[] = [];
	for (const revert of reverts.toReversed()) await revert().catch((error: unknown) => failed.push(messageOf(error)));
	return failed;
}

function explained(error: unknown, name: string, failed: readonly string[]): Error {
	const kept =
		failed.length === 0
			? UNCHANGED
			: `Putting everything back failed in part (${failed.join("; ")}); the earlier contents are kept. Read the files again.`;
	if (errorCode(error) === "EEXIST") return new FileConflict(`${name}: a file of that name has just appeared. ${kept}`);
	if (errorCode(error) === "ENOENT") return new FileConflict(`${name} has just disappeared. ${kept}`);
	if (error instanceof FileConflict) return new FileConflict(`${error.message} ${kept}`);
	return new ToolError(`${name} could not be written: ${WRITE_PROBLEMS[errorCode(error) ?? ""] ?? messageOf(error)}. ${kept}`);
}

const UNCHANGED = "Nothing was changed.";

const WRITE_PROBLEMS: Record<string, string> = {
	ENOSPC: "the disk is full",
	EDQUOT: "the disk quota is used up",
	EACCES: "the operating system does not allow it (a read-only file or folder)",
	EPERM: "the operating system does not allow it",
	EROFS: "the file system is read-only",
	EMFILE: "too many files are open; make the change in smaller parts",
	ENAMETOOLONG: "its name is too long",
	EISDIR: "a folder has that name",
};

async function report(prepared: PreparedEdit, blob: string, around: FileOperationContext): Promise<FileChange> {
	const after = prepared.editorPath === undefined ? contentAfter(prepared) : await around.files.read(prepared.realPath);
	const change = changeOf(prepared, after);
	return prepared.before ? { ...change, before: { blob, size: prepared.before.length } } : change;
}

function contentAfter({ edit, before }: PreparedEdit): Uint8Array | undefined {
	return edit.action === "delete" ? undefined : (edit.content ?? before);
}

function changeOf({ edit, before }: PreparedEdit, after: Uint8Array | undefined): FileChange {
	const place = edit.action === "rename" ? { path: edit.to, from: edit.path } : { path: edit.path };
	return { ...place, action: edit.action, ...computeDiff(before, after), after: after ? sha256(after) : "" };
}

/** What was changed inside the workspace is undone inside it; elsewhere only what was `written` to: a transcript's word is not enough. */
async function whereUndoMayWrite(path: string, { files, folders }: FileOperationContext, written: ReadonlySet<string>): Promise<string> {
	const real = await resolveRealPath(path, files);
	if (real === path && written.has(real)) return real;
	for (const folder of folders()) {
		const home = await files.realpath(folder.path);
		if (home !== undefined && relativePathWithin(home, real) !== undefined) return real;
	}
	const name = formatDisplayPath(path, folders());
	if (real !== path) throw new FileConflict(t("{0} now points outside the workspace ({1}). Nothing was changed.", name, real));
	throw new FileConflict(
		t(
			"{0} is outside the workspace, and Troupe hasn't changed the file since the editor started. Nothing was changed. Restore the file manually.",
			name,
		),
	);
}

/** `unchanged` is for the person where they read it, else for the model. */
async function orUnchanged<T>(check: () => Promise<T>, unchanged = UNCHANGED): Promise<T> {
	try {
		return await check();
	} catch (error) {
		if (error instanceof FileConflict) throw new FileConflict(`${error.message} ${unchanged}`);
		throw new ToolError(`${messageOf(error)} ${unchanged}`);
	}
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** One change after the other: two at once could each find the files as they were. */
function queue(): <T>(work: () => Promise<T>) => Promise<T> {
	let last: Promise<unknown> = Promise.resolve();
	return (work) => {
		const next = last.then(work, work);
		last = next.catch(() => undefined);
		return next;
	};
}

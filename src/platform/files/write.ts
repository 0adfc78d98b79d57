// Changes files: all of the edits or none, only where they were judged to lead, and so that they can be undone.
import type { FileChange } from "../../core/events.ts";
import { insideOf, shownPath } from "../../core/paths.ts";
import type { Blobs } from "../../core/ports/sessions.ts";
import { ToolProblem } from "../../core/ports/tool.ts";
import { FileConflict, type Workspace } from "../../core/ports/workspace.ts";
import { t } from "../../shared/l10n.ts";
import { difference } from "./diffs.ts";
import { carryOut } from "./fileOperations.ts";
import { codeOf, hashOf } from "./files.ts";
import {
	type CheckedEdit,
	type Held,
	leadsTo,
	type Prepared,
	prepare,
	type Revert,
	refuseDoubles,
	type Surroundings,
} from "./preconditions.ts";
import { inverse } from "./undo.ts";

export type Writing = Pick<Workspace, "apply" | "preview" | "undo">;

export function createWriting(around: Surroundings & { blobs: Blobs }): Writing {
	const inTurn = queue();
	/** Of files that were deleted: a change does not carry it. */
	const modes = new Map<string, number>();
	/** Where was written since the start, as the gate judged: out of the workspace undo writes nowhere else. */
	const written = new Set<string>();

	async function apply(edits: readonly CheckedEdit[], real: ReadonlyMap<string, string>): Promise<FileChange[]> {
		refuseDoubles(edits, around.folders);
		const prepared: Prepared[] = [];
		for (const edit of edits) prepared.push(await orUnchanged(() => prepare(edit, real, around)));
		const blobs: string[] = [];
		for (const { before } of prepared) blobs.push(before ? await around.blobs.put(before) : "");
		await writeAll(prepared, around);
		for (const { edit, mode } of prepared) if (mode !== undefined) modes.set(edit.path, mode);
		for (const { real: at, realTo = at } of prepared) written.add(at).add(realTo);
		return Promise.all(prepared.map((one, index) => report(one, blobs[index] ?? "", around)));
	}

	async function undo(change: FileChange): Promise<FileChange> {
		const taken = await orUnchanged(() => inverse(change, around), t("Nothing was changed."));
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
			refuseDoubles(edits, around.folders);
			const prepared: Prepared[] = [];
			for (const edit of edits) prepared.push(await prepare(edit, undefined, around));
			return prepared.map((one) => changeOf(one, contentAfter(one)));
		},
	};
}

async function writeAll(prepared: readonly Prepared[], around: Surroundings): Promise<void> {
	const held: Held = [];
	const reverts: Revert[] = [];
	let current: Prepared | undefined;
	try {
		for (current of prepared) await (around.carryOut ?? carryOut)(current, held, reverts, around);
	} catch (error) {
		const failed = await takeBack(reverts);
		throw explained(error, shownPath(current?.edit.path ?? "", around.folders()), failed);
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
	if (codeOf(error) === "EEXIST") return new FileConflict(`${name}: a file of that name has just appeared. ${kept}`);
	if (codeOf(error) === "ENOENT") return new FileConflict(`${name} has just disappeared. ${kept}`);
	if (error instanceof FileConflict) return new FileConflict(`${error.message} ${kept}`);
	return new ToolProblem(`${name} could not be written: ${WRITE_PROBLEMS[codeOf(error) ?? ""] ?? messageOf(error)}. ${kept}`);
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

async function report(prepared: Prepared, blob: string, around: Surroundings): Promise<FileChange> {
	const after = prepared.editor === undefined ? contentAfter(prepared) : await around.files.read(prepared.real);
	const change = changeOf(prepared, after);
	return prepared.before ? { ...change, before: { blob, size: prepared.before.length } } : change;
}

function contentAfter({ edit, before }: Prepared): Uint8Array | undefined {
	return edit.action === "delete" ? undefined : (edit.content ?? before);
}

function changeOf({ edit, before }: Prepared, after: Uint8Array | undefined): FileChange {
	const place = edit.action === "rename" ? { path: edit.to, from: edit.path } : { path: edit.path };
	return { ...place, action: edit.action, ...difference(before, after), after: after ? hashOf(after) : "" };
}

/** What was changed inside the workspace is undone inside it; elsewhere only what was `written` to: a transcript's word is not enough. */
async function whereUndoMayWrite(path: string, { files, folders }: Surroundings, written: ReadonlySet<string>): Promise<string> {
	const real = await leadsTo(path, files);
	if (real === path && written.has(real)) return real;
	for (const folder of folders()) {
		const home = await files.realpath(folder.path);
		if (home !== undefined && insideOf(home, real) !== undefined) return real;
	}
	const name = shownPath(path, folders());
	if (real !== path) throw new FileConflict(t("{0} leads out of the workspace now ({1}). Nothing was changed.", name, real));
	throw new FileConflict(
		t(
			"{0} lies outside the workspace, and was not changed from here since the editor started. Nothing was changed. Put it back by hand.",
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
		throw new ToolProblem(`${messageOf(error)} ${unchanged}`);
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

// Records for Undo what was taken from a task's copy, also what a dead window wrote.
import type { FileChange, SessionSummary } from "../../core/events.ts";
import { toAbsolutePath, toDisplayChange } from "../../core/paths.ts";
import type { TakenWrite, WorkspaceCopy } from "../../core/ports/copies.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import { hasChangedCopy } from "../../core/task.ts";
import { UserError } from "../../core/userError.ts";
import type { Services, TaskCopies } from "../../session/services.ts";
import type { Session } from "../../session/session.ts";
import { formatSessionTitle } from "../../session/transcript/sessionTitle.ts";
import type { SessionDirectory } from "../../sessions/directory.ts";
import { t } from "../../shared/l10n.ts";

export interface OpenedTask {
	copies: TaskCopies;
	copy: WorkspaceCopy;
	summary: SessionSummary;
}

/** A write that has begun under an id, and what it changed, with absolute paths. */
export interface WrittenChange {
	id: string;
	write: TakenWrite;
	changes: readonly FileChange[];
}

type Recorder = Pick<Services, "window" | "log">;

/** Never rejects; returns false if it was not recorded, so that the write stays open. */
export async function recordTaken(
	{ window, log }: Recorder,
	opened: OpenedTask,
	noting: Session,
	{ id, write, changes }: WrittenChange,
): Promise<boolean> {
	try {
		const shown = changes.map((one) => toDisplayChange(window.workspace, one));
		await noting.note(takenText(opened.summary, write), { changes: shown, redo: true });
	} catch (error) {
		log(`taking ${write.change.path} was not recorded: ${String(error)}`);
		return false;
	}
	await endWrite({ log }, opened, id);
	return true;
}

/** Never rejects: a write that stays open is looked at again. */
export async function endWrite({ log }: Pick<Recorder, "log">, { copies, copy }: OpenedTask, id: string): Promise<void> {
	await copies.endWrite(copy, id).catch((error: unknown) => log(`a write to the workspace stays open: ${String(error)}`));
}

/** Records what a window wrote that died before it could. */
export async function recordOpenWrites({ window }: Recorder, { copies, copy, summary }: OpenedTask, noting: Session): Promise<void> {
	const { workspace } = window;
	for (const [id, write] of await copies.openWrites(copy)) {
		const note = isRecorded(noting, write) ? undefined : await describeOpenWrite(workspace, write, summary);
		if (note) await noting.note(note.text, note.about);
		await copies.endWrite(copy, id);
	}
}

/** Undefined if the file is as it was before. */
async function describeOpenWrite(workspace: Workspace, write: TakenWrite, task: SessionSummary) {
	const { change } = write;
	const { path, before, after } = change;
	const now = (await workspace.version(toAbsolutePath(workspace, path)))?.hash ?? "";
	if (now === after) return { text: takenText(task, write), about: { changes: [change], redo: true as const } };
	if (now === (before?.blob ?? "")) return undefined;
	const name = formatSessionTitle(task);
	return {
		text: t("{0} may have been taken from the background task “{1}”. It has changed since, so this can't be undone here.", path, name),
	};
}

/** Returns true if the change was recorded since the write began. The person may have decided about the change meanwhile. */
function isRecorded({ state }: Session, { change: { path, after }, at }: TakenWrite): boolean {
	const isIt = (one: FileChange) => one.path === path && one.after === after;
	return state.events.some((event) => event.type === "status" && event.at >= at && event.changes?.some(isIt));
}

function takenText(task: SessionSummary, { change: { path }, isPart }: TakenWrite): string {
	const name = formatSessionTitle(task);
	return isPart
		? t("Took a part of {0} from the background task “{1}”.", path, name)
		: t("Took {0} from the background task “{1}”.", path, name);
}

/** The session that started the task. A task with its own copy has no changes in the workspace, so the one above it counts. */
export async function findNotingSession(sessions: SessionDirectory, { task }: SessionSummary): Promise<Session> {
	const seen = new Set<string>();
	for (let id = task?.caller.session; id !== undefined && !seen.has(id); ) {
		seen.add(id);
		const above = await sessions.services.store.find(id);
		if (above && !(above.task && hasChangedCopy(above.task))) return sessions.get(id);
		id = above?.task?.caller.session;
	}
	throw new UserError(t("The session that started this task no longer exists. Nothing was taken."));
}

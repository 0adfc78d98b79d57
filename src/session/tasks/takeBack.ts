// Takes what a background task has changed in its copy of the workspace back into the person's files.

// Always an act of the person. Each file stands for itself: judged, written, and recorded for Undo.
import type { FileChange, SessionSummary } from "../../core/events.ts";
import type { CopyChange, CopyVersions, WorkspaceCopy } from "../../core/ports/copies.ts";
import { FileConflict, type FileEdit, type Workspace } from "../../core/ports/workspace.ts";
import { hasChangedCopy, isTaskOver } from "../../core/task.ts";
import { t } from "../../shared/l10n.ts";
import { contentHash, sha256 } from "../../shared/node/hash.ts";
import type { TaskCopies } from "../context.ts";
import type { SessionDirectory } from "../delegation/directory.ts";
import { toAbsolutePath, toDisplayChange, toDisplayPath } from "../displayPaths.ts";
import type { Session } from "../session.ts";
import { formatSessionTitle } from "../sessionTitle.ts";
import { type ChangeGroup, judgeChange, needsContent } from "./judgeChange.ts";
import { hasNothingLeft } from "./oldCopies.ts";

/** A file that differs in the copy, for display. */
export interface TaskChange
	extends Pick<
		CopyChange,
		"action" | "added" | "removed" | "diff" | "lineEnds" | "encoding" | "unshown" | "changedMeanwhile" | "ignored" | "dependency"
	> {
	/** Display path in the workspace. */
	path: string;
	/** Absolute paths in the workspace and in the copy. */
	real: string;
	copiedPath: string;
	group: ChangeGroup;
	/** Why it isn't takeable, as a sentence. */
	reason?: string;
	/** Identifies what is shown of the change. */
	shown: string;
}

export interface TaskChanges {
	/** Sorted by folder and path. */
	changes: readonly TaskChange[];
	/** Sentences about what was left out of the copy. */
	notes: readonly string[];
	/** Sentences about what may differ and isn't among the changes. */
	left: readonly string[];
	/** Identifies what is shown of all changes. */
	shown: string;
}

/** What to take. `shown` is that of the change or, without a path, of all: only what the person has seen is taken. */
export interface TakeSelection {
	shown: string;
	/** Display path of one file; all takeable files if absent. */
	path?: string;
	/** Indexes of hunks in the diff of `path`; all if absent. */
	hunks?: readonly number[];
}

/**
 * `same`: there was nothing left to write. `conflict`: the person has changed the file too, and `versions` has what a merge needs.
 * `apart`: it has to be named. `failed`: it could not be written.
 */
export type TakeOutcome = "taken" | "same" | "conflict" | "apart" | "refused" | "failed";

export interface TakenFile {
	path: string;
	outcome: TakeOutcome;
	/** A sentence; absent if all went well. */
	reason?: string;
}

export interface TakeResult {
	files: readonly TakenFile[];
	/** Nothing was left to take, so the copy was deleted. */
	deleted: boolean;
}

interface OpenedTask {
	copies: TaskCopies;
	copy: WorkspaceCopy;
	summary: SessionSummary;
}

type ListedChange = { change: CopyChange; view: TaskChange };

/** `changes`: what was written, with absolute paths. */
type WrittenFile = TakenFile & { changes?: readonly FileChange[] };

export class TakeBack {
	private readonly sessions: SessionDirectory;
	private readonly onChange: (taskId: string) => void;
	/** The end of the last act: one at a time, so that none judges what another is about to write. */
	private last: Promise<unknown> = Promise.resolve();

	/** `onChange`: something of a task was taken, or its copy was deleted. */
	constructor(sessions: SessionDirectory, onChange: (taskId: string) => void) {
		this.sessions = sessions;
		this.onChange = onChange;
	}

	/** Rejects with a sentence if there is no copy. */
	async list(taskId: string): Promise<TaskChanges> {
		return (await this.read(await this.open(taskId))).view;
	}

	/** Rejects with a sentence if nothing can be taken at all; otherwise every file has its own outcome. */
	take(taskId: string, { shown, path, hunks }: TakeSelection): Promise<TakeResult> {
		return this.inOrder(taskId, async () => {
			const opened = await this.open(taskId);
			const noting = await this.findNotingSession(opened.summary);
			// Before the first write, which could not be recorded otherwise.
			await noting.lease.take();
			await this.noteInterrupted(opened.summary, noting);
			const { listed, view } = await this.read(opened);
			if (path === undefined && shown !== view.shown)
				throw new Error(t("The task's changes are no longer those that were shown. Nothing was taken. Look at them again."));
			const chosen = path === undefined ? listed : listed.filter((one) => one.view.path === path);
			// What a part writes is known later.
			const whole = hunks ? [] : chosen.filter(({ view }) => view.group === "takeable" || path !== undefined);
			await this.mark(taskId, whole.flatMap(toExpectedChanges));
			const recorded: Promise<TakenFile>[] = [];
			for (const one of chosen) {
				const taken = await this.takeListed(opened, one, path === undefined ? {} : { shown, hunks });
				// The next file is written meanwhile.
				recorded.push(this.record(taken, opened.summary, noting, hunks !== undefined));
			}
			const files = await Promise.all(recorded);
			if (path !== undefined && files.length === 0)
				files.push({ path, outcome: "same", reason: t("There is nothing left to take of {0}.", path) });
			await this.mark(taskId, []);
			const written = files.some(({ outcome }) => outcome === "taken" || outcome === "same");
			return { files, deleted: written && (await this.deleteTaken(opened)) };
		});
	}

	/** The versions of a file for a three-way merge. Rejects with a sentence if there is no copy, or no such change. */
	async versions(taskId: string, path: string): Promise<CopyVersions & Pick<TaskChange, "real" | "copiedPath">> {
		const opened = await this.open(taskId);
		const { changes } = await opened.copies.changes(opened.copy);
		const change = changes.find(({ real }) => this.toShownPath(real) === path);
		if (!change) throw new Error(t("There is nothing left to take of {0}.", path));
		const { real, copied } = change;
		return { real, copiedPath: copied, ...(await opened.copies.versions(opened.copy, change)) };
	}

	/**
	 * Drops a change that the person has merged or doesn't want; with the last one, the copy is deleted. Rejects with a sentence if
	 * it is no longer the one that was shown.
	 */
	discardChange(taskId: string, path: string, shown: string): Promise<void> {
		return this.inOrder(taskId, async () => {
			const opened = await this.open(taskId);
			const found = (await this.read(opened)).listed.find(({ view }) => view.path === path);
			if (!found) return;
			if (found.view.shown !== shown)
				throw new Error(t("The change of {0} is no longer the one that was shown. Nothing was discarded.", path));
			await opened.copies.discard(opened.copy, found.change);
			await this.deleteTaken(opened);
		});
	}

	/** Deletes the copy with everything that was not taken; the task can't go on. Rejects with a sentence if nothing was deleted. */
	discard(taskId: string): Promise<void> {
		return this.inOrder(taskId, () => this.deleteCopy(taskId));
	}

	private async open(taskId: string): Promise<OpenedTask> {
		const { copies, store } = this.sessions.services;
		const summary = await store.find(taskId);
		if (!copies || !summary?.task?.copied) throw new Error(t("This task has no copy of the workspace."));
		const copy = await copies.find(taskId);
		if (!copy) throw new Error(t("The task's copy of the workspace is gone, and with it what wasn't taken. Your files were left alone."));
		return { copies, copy, summary };
	}

	private async read({ copies, copy }: OpenedTask): Promise<{ listed: ListedChange[]; view: TaskChanges }> {
		const { changes, notes } = await copies.changes(copy);
		const listed: ListedChange[] = [];
		for (const change of changes) {
			const content = needsContent(change) ? (await copies.versions(copy, change)).copied : EMPTY;
			const { group, reason } = await judgeChange(this.sessions.services, change, change.action === "delete" ? undefined : content);
			listed.push({ change, view: this.toView(change, group, reason) });
		}
		const views = listed.map(({ view }) => view);
		const shown = contentHash(changes.map(({ real, action, now, link }) => ({ real, action, now, link })));
		return { listed, view: { changes: views, notes: copy.notes, left: notes, shown } };
	}

	private toView(change: CopyChange, group: ChangeGroup, reason: string | undefined): TaskChange {
		const { action, added, removed, diff, lineEnds, encoding, unshown, changedMeanwhile, ignored, dependency, real, copied, base, now } =
			change;
		return {
			path: this.toShownPath(real),
			real,
			copiedPath: copied,
			action,
			added,
			removed,
			diff,
			...(lineEnds && { lineEnds }),
			...(encoding !== undefined && { encoding }),
			...(unshown && { unshown }),
			changedMeanwhile,
			...(ignored && { ignored }),
			...(dependency && { dependency }),
			group,
			...(reason !== undefined && { reason }),
			shown: contentHash({ real, action, base, now, diff }),
		};
	}

	private toShownPath(real: string): string {
		return toDisplayPath(this.sessions.services.window.workspace, real);
	}

	/** `named`: the person has named this file, and what they saw of it. */
	private async takeListed(
		opened: OpenedTask,
		{ change, view: { path, shown, group, reason } }: ListedChange,
		named: { shown?: string; hunks?: readonly number[] | undefined },
	): Promise<WrittenFile> {
		const ended = (outcome: TakeOutcome, why?: string): TakenFile => ({ path, outcome, ...(why !== undefined && { reason: why }) });
		const isNamed = named.shown !== undefined;
		if (group === "refused" || (group === "apart" && !isNamed)) return ended(group, reason);
		if (isNamed && named.shown !== shown)
			return ended("refused", t("The change of {0} is no longer the one that was shown. Look at it again, then take it.", path));
		if (named.hunks && change.action !== "update") return ended("refused", t("{0} can only be taken as a whole.", path));
		try {
			return await this.write(opened, change, isNamed, named.hunks, ended);
		} catch (error) {
			if (error instanceof FileConflict) return ended("conflict", conflictReason(path));
			this.sessions.services.log(`${path} was not taken from ${opened.copy.id}: ${String(error)}`);
			return ended("failed", t("{0} was not taken. {1}", path, error instanceof Error ? error.message : String(error)));
		}
	}

	private async write(
		{ copies, copy }: OpenedTask,
		change: CopyChange,
		isNamed: boolean,
		hunks: readonly number[] | undefined,
		ended: (outcome: TakeOutcome, why?: string) => TakenFile,
	): Promise<WrittenFile> {
		const { services } = this.sessions;
		const taken = await copies.take(copy, change, hunks);
		const path = this.toShownPath(change.real);
		if (taken.kind === "same") return ended("same", t("{0} is in the workspace already.", path));
		if (taken.kind !== "write") return ended(taken.kind, taken.reason);
		const { edit } = taken;
		const content = "content" in edit ? edit.content : undefined;
		// Anew, with the bytes that are written: the list may be old, and hunks are less than the file.
		const { group, reason, target } = await judgeChange(services, change, content);
		if (group === "refused" || (group === "apart" && !isNamed)) return ended(group, reason);
		if (hunks && content) await this.mark(copy.id, toExpectedChanges({ change: { ...change, now: sha256(content) }, view: { path } }));
		return { ...ended("taken"), changes: await writeExactly(services.window.workspace, edit, target) };
	}

	/** For Undo. Never rejects. */
	private async record({ changes, ...taken }: WrittenFile, task: SessionSummary, noting: Session, isPart: boolean): Promise<TakenFile> {
		if (!changes) return taken;
		const { window, log } = this.sessions.services;
		const shown = changes.map((one) => toDisplayChange(window.workspace, one));
		try {
			await noting.note(takenText(taken.path, task, isPart), { changes: shown, redo: true });
			return taken;
		} catch (error) {
			log(`taking ${taken.path} was not recorded: ${String(error)}`);
			return { ...taken, reason: t("{0} was taken, but this could not be recorded, so it can't be reverted here.", taken.path) };
		}
	}

	/** Before the first of them is written, so that Undo is offered even if the window dies between a write and its record. */
	private async mark(taskId: string, changes: readonly FileChange[]): Promise<void> {
		const { store } = this.sessions.services;
		const { [TAKING]: known, ...others } = (await store.find(taskId))?.attributes ?? {};
		if (known === undefined && changes.length === 0) return;
		await store.update(taskId, { attributes: { ...others, ...(changes.length > 0 && { [TAKING]: changes }) } });
	}

	/** Records what a window wrote that died before it could. */
	private async noteInterrupted(summary: SessionSummary, noting: Session): Promise<void> {
		const { workspace } = this.sessions.services.window;
		for (const change of (summary.attributes?.[TAKING] ?? []) as readonly FileChange[]) {
			if (noting.state.changed.get(change.path)?.after === change.after) continue;
			const now = await workspace.version(toAbsolutePath(workspace, change.path));
			if ((now?.hash ?? "") === change.after) await noting.note(takenText(change.path, summary), { changes: [change], redo: true });
		}
	}

	/** The session that started the task. A task with its own copy has no changes in the workspace, so the one above it counts. */
	private async findNotingSession({ task }: SessionSummary): Promise<Session> {
		const seen = new Set<string>();
		for (let id = task?.caller.session; id !== undefined && !seen.has(id); ) {
			seen.add(id);
			const above = await this.sessions.services.store.find(id);
			if (above && !(above.task && hasChangedCopy(above.task))) return this.sessions.get(id);
			id = above?.task?.caller.session;
		}
		throw new Error(t("The session that started this task no longer exists. Nothing was taken."));
	}

	/** Deletes the copy of a task that is over once nothing of it is left. */
	private async deleteTaken({ copies, copy }: OpenedTask): Promise<boolean> {
		const task = (await this.sessions.services.store.find(copy.id))?.task;
		if (!task || !isTaskOver(task.state)) return false;
		if (!hasNothingLeft(await copies.changes(copy))) return false;
		return this.deleteCopy(copy.id).then(
			() => true,
			(error: unknown) => {
				this.sessions.services.log(`the copy ${copy.id} was not deleted: ${String(error)}`);
				return false;
			},
		);
	}

	private async deleteCopy(taskId: string): Promise<void> {
		const { services } = this.sessions;
		const { copies } = services;
		const summary = await services.store.find(taskId);
		if (!copies || !summary?.task?.copied) throw new Error(t("This task has no copy of the workspace."));
		const session = await this.sessions.get(taskId);
		if (session.isRunning || !(isTaskOver(summary.task.state) || summary.task.state === "waiting"))
			throw new Error(t("The task still works in its copy. Nothing was deleted. Stop the task first."));
		if (!(await session.lease.takeFree())) throw new Error(t("Another window has this task open. Nothing was deleted."));
		if (summary.attributes?.[TAKING]) await this.noteInterrupted(summary, await this.findNotingSession(summary));
		session.endBackground();
		await copies.remove(taskId);
		await session.note(t("The task's copy of the workspace was deleted, so the task can't go on."));
	}

	private inOrder<Result>(taskId: string, act: () => Promise<Result>): Promise<Result> {
		const next = this.last.then(act).finally(() => this.onChange(taskId));
		this.last = next.catch(() => undefined);
		return next;
	}
}

/** An editor with unsaved text may format what it saves: then the bytes that were taken are written again, now to the disk. */
async function writeExactly(workspace: Workspace, edit: FileEdit, target: string): Promise<FileChange[]> {
	const { path } = edit;
	const [wanted] = workspace.unsaved?.(path) ? await workspace.preview([edit]) : [];
	const real = new Map([[path, target]]);
	const changes = await workspace.apply([edit], real);
	const [written] = changes;
	if (!wanted || !written || !("content" in edit) || !edit.content || written.after === wanted.after) return changes;
	const base = await workspace.version(path);
	// The person goes on writing.
	if (base?.hash !== written.after || workspace.unsaved?.(path)) return changes;
	await workspace.apply([{ path, action: "update", content: edit.content, base }], real);
	return [{ ...wanted, ...(written.before && { before: written.before }) }];
}

function takenText(path: string, task: SessionSummary, isPart = false): string {
	const name = formatSessionTitle(task);
	return isPart
		? t("Took a part of {0} from the background task “{1}”.", path, name)
		: t("Took {0} from the background task “{1}”.", path, name);
}

function conflictReason(path: string): string {
	return t("{0} has changed in the workspace since it was copied. It was left alone; merge the two.", path);
}

/** What taking all of a change writes; none if its content was not read. */
function toExpectedChanges({ change, view: { path } }: { change: CopyChange; view: Pick<TaskChange, "path"> }): FileChange[] {
	const { action, added, removed, base, now } = change;
	if (now === undefined) return [];
	return [{ path, action, diff: "", added, removed, ...(base && { before: { blob: base, size: 0 } }), after: now }];
}

/** Session attribute with the changes that are being written. */
const TAKING = "taking";

/** The gate's answer doesn't depend on the content. */
const EMPTY = new Uint8Array();

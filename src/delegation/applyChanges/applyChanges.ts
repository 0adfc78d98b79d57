// Applies what a background task has changed in its copy of the workspace to the person's files.

// Always an act of the person. Each file stands for itself: judged, written, and recorded for Undo.
import type { FileChange } from "../../core/events.ts";
import { toDisplayPath } from "../../core/paths.ts";
import type { CopyChange, CopyVersions, TakenWrite } from "../../core/ports/copies.ts";
import { FileConflict, type FileEdit } from "../../core/ports/workspace/files.ts";
import { isTaskFinished, isTaskIdle } from "../../core/task.ts";
import { UserError } from "../../core/userError.ts";
import type { Session } from "../../session/session.ts";
import type { SessionDirectory } from "../../sessions/directory.ts";
import { t } from "../../shared/l10n.ts";
import { contentHash, sha256 } from "../../shared/node/hash.ts";
import { Serial } from "../../shared/node/serial.ts";
import { withTimeout } from "../../shared/node/withTimeout.ts";
import { describeForLog, reasonOf } from "../../shared/reasonOf.ts";
import { hasNothingLeft } from "../oldCopies.ts";
import { type ChangeGroup, judgeChange, needsContent } from "./judgeChange.ts";
import { endWrite, findNotingSession, type OpenedTask, recordOpenWrites, recordTaken, type WrittenChange } from "./recordTaken.ts";

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
	/** Reason why it isn't takeable, as a sentence. */
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

/** Selection of changes to take. `shown` is that of the change or, without a path, of all: only what the person has seen is taken. */
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

type ListedChange = { change: CopyChange; view: TaskChange };

type WrittenFile = TakenFile & { written?: WrittenChange };

export class ApplyChanges {
	private readonly sessions: SessionDirectory;
	/** The end of the last act: one at a time, so that none judges what another is about to write. */
	private readonly changes = new Serial();
	private isClosing = false;

	constructor(sessions: SessionDirectory) {
		this.sessions = sessions;
	}

	/** Rejects with a sentence if there is no copy. */
	async list(taskId: string): Promise<TaskChanges> {
		return (await this.read(await this.open(taskId))).view;
	}

	/** Rejects with a sentence if nothing can be taken at all; otherwise every file has its own outcome. */
	take(taskId: string, selection: TakeSelection): Promise<TakeResult> {
		return this.inOrder(taskId, async () => {
			const opened = await this.open(taskId);
			const noting = await findNotingSession(this.sessions, opened.summary);
			// Before the first write, which could not be recorded otherwise.
			return noting.lease.hold(() => this.takeChosen(opened, noting, selection));
		});
	}

	private async takeChosen(opened: OpenedTask, noting: Session, { shown, path, hunks }: TakeSelection): Promise<TakeResult> {
		await recordOpenWrites(this.sessions.services, opened, noting);
		const { listed, view } = await this.read(opened);
		if (path === undefined && shown !== view.shown)
			throw new UserError(t("The task's changes are no longer those that were shown. Nothing was taken. Look at them again."));
		const chosen = path === undefined ? listed : listed.filter((one) => one.view.path === path);
		const recorded: Promise<TakenFile>[] = [];
		for (const one of chosen) {
			const taken = await this.takeListed(opened, one, path === undefined ? {} : { shown, hunks });
			// The next file is written meanwhile.
			recorded.push(this.record(opened, noting, taken));
		}
		const files = await Promise.all(recorded);
		if (path !== undefined && files.length === 0)
			files.push({ path, outcome: "same", reason: t("There is nothing left to take of {0}.", path) });
		const written = files.some(({ outcome }) => outcome === "taken" || outcome === "same");
		return { files, deleted: written && (await this.deleteTaken(opened)) };
	}

	/** Records what windows wrote that died before they could. Call it once at the start. Never rejects. */
	async recover(): Promise<void> {
		const { copies, log } = this.sessions.services;
		const recoverOne = async (taskId: string): Promise<void> => {
			const copy = await copies?.find(taskId);
			if (!copy || (await copies?.openWrites(copy))?.size === 0) return;
			await this.inOrder(taskId, async () => {
				const opened = await this.open(taskId);
				const noting = await findNotingSession(this.sessions, opened.summary);
				// Another window has it and may be writing.
				if (await noting.lease.takeFree()) await noting.lease.hold(() => recordOpenWrites(this.sessions.services, opened, noting));
			});
		};
		for (const { id } of (await copies?.list().catch(() => [])) ?? [])
			await recoverOne(id).catch((error: unknown) => log(`what was taken from ${id} was not recorded: ${String(error)}`));
	}

	/** Nothing more is written. Resolves once what was written is recorded, or late. */
	async close(): Promise<void> {
		this.isClosing = true;
		await withTimeout(this.changes.whenSettled(), SETTLE_TIMEOUT, () => undefined);
	}

	/** The versions of a file for a three-way merge. Rejects with a sentence if there is no copy, or no such change. */
	async versions(taskId: string, path: string): Promise<CopyVersions> {
		const found = (await this.versionsOf(taskId, [path])).get(path);
		if (!found) throw new UserError(t("There is nothing left to take of {0}.", path));
		return found;
	}

	/** The same of several files, by path; without those that have no change left. */
	async versionsOf(taskId: string, paths: readonly string[]): Promise<Map<string, CopyVersions>> {
		const { copies, copy } = await this.open(taskId);
		const wanted = new Set(paths);
		const found = new Map<string, CopyVersions>();
		for (const change of (await copies.changes(copy)).changes) {
			const path = this.toShownPath(change.real);
			if (wanted.has(path)) found.set(path, await copies.versions(copy, change));
		}
		return found;
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
				throw new UserError(t("The change of {0} is no longer the one that was shown. Nothing was discarded.", path));
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
		if (!copies || !summary?.task?.copied) throw new UserError(t("This task has no copy of the workspace."));
		const copy = await copies.find(taskId);
		if (!copy) throw new UserError(goneReason());
		return { copies, copy, summary };
	}

	private async read({ copies, copy }: OpenedTask): Promise<{ listed: ListedChange[]; view: TaskChanges }> {
		const { changes, notes } = await copies.changes(copy);
		const listed: ListedChange[] = [];
		for (const change of changes) {
			const content = needsContent(change) ? (await copies.versions(copy, change)).copied : EMPTY;
			const { group, reason } = await judgeChange(this.sessions, change, change.action === "delete" ? undefined : content);
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
		if (this.isClosing) return ended("failed", t("{0} was not taken, because the window is closing.", path));
		if (group === "refused" || (group === "apart" && !isNamed)) return ended(group, reason);
		if (isNamed && named.shown !== shown)
			return ended("refused", t("The change of {0} is no longer the one that was shown. Look at it again, then take it.", path));
		if (named.hunks && change.action !== "update") return ended("refused", t("{0} can only be taken as a whole.", path));
		try {
			return await this.write(opened, change, isNamed, named.hunks, ended);
		} catch (error) {
			if (error instanceof FileConflict) return ended("conflict", conflictReason(path));
			this.sessions.services.log(`${path} was not taken from ${opened.copy.id}: ${describeForLog(error)}`);
			if (!(await opened.copies.find(opened.copy.id))) return ended("failed", goneReason());
			return ended("failed", t("{0} was not taken. {1}", path, reasonOf(error, undefined)));
		}
	}

	private async write(
		opened: OpenedTask,
		change: CopyChange,
		isNamed: boolean,
		hunks: readonly number[] | undefined,
		ended: (outcome: TakeOutcome, why?: string) => TakenFile,
	): Promise<WrittenFile> {
		const { services } = this.sessions;
		const { copies, copy } = opened;
		const taken = await copies.take(copy, change, hunks);
		const path = this.toShownPath(change.real);
		if (taken.kind === "same") return ended("same", t("{0} is in the workspace already.", path));
		if (taken.kind !== "write") return ended(taken.kind, taken.reason);
		const { edit } = taken;
		const content = "content" in edit ? edit.content : undefined;
		// Judged again, with the bytes that are written: the list may be old, and hunks are less than the file.
		const { group, reason, target } = await judgeChange(this.sessions, change, content);
		if (group === "refused" || (group === "apart" && !isNamed)) return ended(group, reason);
		const { action } = edit;
		const before = "base" in edit && edit.base && { before: { blob: edit.base.hash, size: edit.base.size } };
		const after = content ? sha256(content) : "";
		const { added, removed } = change;
		const at = services.now().toISOString();
		const write: TakenWrite = { change: { path, action, diff: "", added, removed, ...before, after }, ...(hunks && { isPart: true }), at };
		const id = await copies.beginWrite(copy, write);
		try {
			return { ...ended("taken"), written: { id, write, changes: await this.writeExactly(edit, target) } };
		} catch (error) {
			const now = await services.window.workspace.version(edit.path).catch(() => undefined);
			// It may be there all the same, which the next act looks at.
			if ((now?.hash ?? "") !== after) await endWrite(services, opened, id);
			throw error;
		}
	}

	/** An editor with unsaved text may format what it saves: then the bytes that were taken are written again, now to the disk. */
	private async writeExactly(edit: FileEdit, target: string): Promise<FileChange[]> {
		const { window, log } = this.sessions.services;
		const { workspace } = window;
		const { path } = edit;
		const [wanted] = workspace.unsaved?.(path) ? await workspace.preview([edit]) : [];
		const real = new Map([[path, target]]);
		const changes = await workspace.apply([edit], real);
		const [written] = changes;
		if (!wanted || !written || !("content" in edit) || !edit.content || written.after === wanted.after) return changes;
		const base = await workspace.version(path);
		// The person goes on writing.
		if (base?.hash !== written.after || workspace.unsaved?.(path)) return changes;
		try {
			await workspace.apply([{ path, action: "update", content: edit.content, base }], real);
		} catch (error) {
			log(`${path} stays as an editor has formatted it: ${String(error)}`);
			return changes;
		}
		return [{ ...wanted, ...(written.before && { before: written.before }) }];
	}

	private async record(opened: OpenedTask, noting: Session, { written, ...taken }: WrittenFile): Promise<TakenFile> {
		if (!written || (await recordTaken(this.sessions.services, opened, noting, written))) return taken;
		return { ...taken, reason: t("{0} was taken, but this isn't recorded yet. Undo is offered after the next take or start.", taken.path) };
	}

	/** Deletes the copy of a task that is over once nothing of it is left, and all that was written is recorded. Never rejects. */
	private async deleteTaken({ copies, copy }: OpenedTask): Promise<boolean> {
		try {
			const task = (await this.sessions.services.store.find(copy.id))?.task;
			// An interrupted task can go on in its copy.
			if (this.isClosing || !task || !isTaskFinished(task.state)) return false;
			if ((await copies.openWrites(copy)).size > 0 || !hasNothingLeft(await copies.changes(copy))) return false;
			await this.deleteCopy(copy.id);
			return true;
		} catch (error) {
			this.sessions.services.log(`the copy ${copy.id} was not deleted: ${String(error)}`);
			return false;
		}
	}

	private async deleteCopy(taskId: string): Promise<void> {
		const { services } = this.sessions;
		const { copies } = services;
		const summary = await services.store.find(taskId);
		if (!copies || !summary?.task?.copied) throw new UserError(t("This task has no copy of the workspace."));
		const session = await this.sessions.get(taskId);
		const isIdle = isTaskIdle(summary.task.state);
		if (isIdle) await session.turnOver();
		if (session.isRunning || !isIdle) throw new UserError(t("The task still works in its copy. Nothing was deleted. Stop the task first."));
		if (!(await session.lease.takeFree())) throw new UserError(t("Another window has this task open. Nothing was deleted."));
		const copy = await copies.find(taskId);
		if (copy && (await copies.openWrites(copy)).size > 0) {
			const noting = await findNotingSession(this.sessions, summary);
			await noting.lease.hold(() => recordOpenWrites(services, { copies, copy, summary }, noting));
		}
		session.endBackground();
		await copies.remove(taskId);
		await session.note(t("The task's copy of the workspace was deleted, so the task can't go on."));
	}

	private inOrder<Result>(taskId: string, act: () => Promise<Result>): Promise<Result> {
		return this.changes.run(() => act().finally(() => this.sessions.changed(taskId)));
	}
}

function goneReason(): string {
	return t("The task's copy of the workspace is gone, and with it what wasn't taken. Your files were left alone.");
}

function conflictReason(path: string): string {
	return t("{0} has changed in the workspace since it was copied. It was left alone; merge the two.", path);
}

/** Milliseconds that a closing window waits for a write. */
const SETTLE_TIMEOUT = 1_000;

/** The gate's answer doesn't depend on the content. */
const EMPTY = new Uint8Array();

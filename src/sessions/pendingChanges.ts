// Tracks file changes of all sessions that the user has neither kept nor undone, for the review.

import type { BlobRef, ChangedFile, FileChange, SessionSummary, TranscriptEvent } from "../core/events.ts";
import { toAbsolutePath } from "../core/paths.ts";
import { hasChangedCopy } from "../core/task.ts";
import { changesInView } from "../core/transcript/changes.ts";
import type { ChangedFiles } from "../core/transcript/state.ts";
import { planRestore, type RestorePlan, restoreFiles, type SkippedFile } from "../session/history/restoreFiles.ts";
import type { Services } from "../session/services.ts";
import type { SessionContext } from "../session/sessionContext.ts";
import { formatSessionTitle } from "../session/transcript/sessionTitle.ts";
import { t } from "../shared/l10n.ts";
import { createListeners } from "../shared/listeners.ts";
import { Serial } from "../shared/node/serial.ts";
import type { SessionsListener } from "./directory.ts";

/** A file to review, and the sessions that changed it, each with the path it uses for the file. */
export interface FileUnderReview extends ChangedFile {
	absolute: string;
	sessions: { id: string; path: string }[];
	/** Names of the background tasks among them. */
	tasks?: string[];
}

/** The part of this window's sessions that a review needs. */
interface ReviewedSessions {
	readonly services: Services;
	listen(listener: SessionsListener): unknown;
	get(sessionId: string): Promise<SessionContext>;
	list(): Promise<readonly SessionSummary[]>;
	tasks(): Promise<readonly SessionSummary[]>;
	find(sessionId: string): Promise<SessionSummary | undefined>;
	mark(sessionId: string, name: string, value: unknown): Promise<void>;
}

export class PendingChanges {
	private readonly owners: ReviewedSessions;
	private readonly sessions = new Map<string, ChangedFiles>();
	/** Names by id of the background tasks among the sessions. */
	private readonly taskNames = new Map<string, string>();
	/** True for each session that is a background task, by id: read before its first change. */
	private readonly kinds = new Map<string, Promise<boolean>>();
	private readonly listeners = createListeners<() => void>();
	private loading: Promise<void> | undefined;
	private readonly marking = new Serial();

	constructor(owners: ReviewedSessions) {
		this.owners = owners;
		owners.listen({
			event: (id, event) => void (touchesFiles(event) ? this.look(id) : this.isTask(id)),
			reloaded: (id) => void this.look(id),
			changed: (id) => void (id === undefined && this.forgetDeleted()),
		});
	}

	/** Loads unreviewed changes of sessions from earlier windows. */
	load(): Promise<void> {
		this.loading ??= this.readSessions();
		return this.loading;
	}

	/** Sorted by path. */
	files(): FileUnderReview[] {
		return merged([...this.sessions].flatMap(([id, files]) => [...files.values()].map((file) => ({ id, file })))).map((file) => {
			const tasks = file.sessions.flatMap(({ id }) => this.taskNames.get(id) ?? []);
			const absolute = toAbsolutePath(this.owners.services.window.workspace, file.path);
			return { ...file, absolute, ...(tasks.length > 0 && { tasks }) };
		});
	}

	onChange(listener: () => void): { dispose(): void } {
		return this.listeners.add(listener);
	}

	/** Accepts the changes to these files, so that they no longer need review. */
	async keep(paths: readonly string[]): Promise<void> {
		const files = this.named(paths);
		const text = files.length === 1 ? t("Kept changes in {0}.", files[0]?.path ?? "") : t("Kept changes in {0} files.", files.length);
		await this.settle(files, text);
	}

	/** Accepts part of a file's changes: the file is compared with these bytes from now on. */
	async keepPart(path: string, bytes: Uint8Array): Promise<void> {
		const [file] = this.named([path]);
		if (!file) return;
		const { blobs, window } = this.owners.services;
		const original: BlobRef = { blob: await blobs.put(bytes), size: bytes.length };
		const now = await window.workspace.version(file.absolute);
		const all = now?.hash === original.blob && file.was === undefined;
		await this.settle([file], t("Kept some changes in {0}.", file.path), all ? undefined : original);
	}

	/** Part of a file was undone in its editor. `change` continues from our last version unless the user changed the file too. */
	async partUndone(path: string, change: FileChange): Promise<void> {
		const [file] = this.named([path]);
		const last = file?.sessions.at(-1);
		if (!file || !last) return;
		const session = await this.owners.get(last.id);
		await session.note(t("Reverted some changes in {0}.", file.path), { changes: [{ ...change, path: last.path }] });
	}

	/** Only changes in the window's own workspace are reviewed here. */
	private get restoring() {
		const { services } = this.owners;
		return { services, workspace: services.window.workspace };
	}

	planUndo(paths: readonly string[]): Promise<RestorePlan> {
		return planRestore(this.restoring, this.named(paths));
	}

	/** Restores these files; returns the skipped ones with the reason. */
	async undo(paths: readonly string[]): Promise<SkippedFile[]> {
		const files = this.named(paths);
		const plan = await planRestore(this.restoring, files);
		const { changes, left } = await restoreFiles(this.restoring, plan);
		const stayed = new Set(left.map(({ path }) => path));
		const done = files.filter(({ path }) => !stayed.has(path));
		const text = done.length === 1 ? t("Reverted changes in {0}.", done[0]?.path ?? "") : t("Reverted changes in {0} files.", done.length);
		await this.settle(done, text, undefined, changes);
		return left;
	}

	private named(paths: readonly string[]): FileUnderReview[] {
		return this.files().filter(({ path }) => paths.includes(path));
	}

	/** Records the review in every session that changed the files; the undo's changes go to the one that changed them last. */
	private async settle(
		files: readonly FileUnderReview[],
		text: string,
		original?: BlobRef,
		changes: readonly FileChange[] = [],
	): Promise<void> {
		if (files.length === 0) return;
		const reviewed = new Map<string, string[]>();
		for (const { id, path } of files.flatMap(({ sessions }) => sessions)) reviewed.set(id, [...(reviewed.get(id) ?? []), path]);
		const last = files.reduce((left, right) => (right.until > left.until ? right : left)).sessions.at(-1)?.id;
		for (const [id, paths] of reviewed) {
			// The session may know a file that was moved back by another path.
			const put = id === last ? changes.map(({ path }) => path) : [];
			const undone = changes.length > 0 && { undone: true as const };
			const marks = [...new Set([...paths, ...put])].map((path) => ({ path, ...(original && { original }), ...undone }));
			const session = await this.owners.get(id);
			await session.note(text, { reviewed: marks, ...(id === last && changes.length > 0 && { changes: [...changes] }) });
			await this.look(id);
		}
		await this.marking.whenSettled();
	}

	private async look(id: string): Promise<void> {
		const session = await this.owners.get(id).catch(() => undefined);
		if (!session) return;
		if (!(await this.isTask(id))) return this.take(id, session.state.changed);
		const summary = await this.owners.find(id).catch(() => undefined);
		if (summary) await this.takeFrom(summary, session.state.changed);
	}

	private isTask(id: string): Promise<boolean> {
		const known = this.kinds.get(id);
		if (known !== undefined) return known;
		const found = this.owners.find(id).then(
			(summary) => summary?.kind === "task",
			() => false,
		);
		this.kinds.set(id, found);
		return found;
	}

	/** Changes in a task's copy of the workspace are not changes of the user's files. */
	private async takeFrom(summary: SessionSummary, files: ChangedFiles): Promise<void> {
		const { sessionId, task } = summary;
		if (task && hasChangedCopy(task)) return;
		if (task) this.taskNames.set(sessionId, formatSessionTitle(summary));
		await this.take(sessionId, files);
	}

	private async take(id: string, files: ChangedFiles): Promise<void> {
		const known = this.sessions.has(id);
		if (files.size > 0) this.sessions.set(id, files);
		else this.sessions.delete(id);
		if (known || files.size > 0) this.tell();
		if (known === files.size > 0) return;
		// Nothing waits for the mark: if it is lost, it is set again when the session is read.
		const mark = () =>
			this.owners
				.mark(id, UNREVIEWED, files.size > 0 || undefined)
				.catch((error) => this.owners.services.log(`what is to be reviewed could not be marked: ${String(error)}`));
		await this.marking.run(mark);
	}

	private async readSessions(): Promise<void> {
		const { store, log } = this.owners.services;
		const [sessions, tasks] = await Promise.all([this.owners.list(), this.owners.tasks()]);
		for (const summary of [...sessions, ...tasks]) {
			const { sessionId, attributes } = summary;
			if (attributes?.[UNREVIEWED] !== true || this.sessions.has(sessionId)) continue;
			try {
				const { changed } = (await store.load(sessionId)).state;
				if (!this.sessions.has(sessionId)) await this.takeFrom(summary, changed);
			} catch (error) {
				log(`changes of the session ${sessionId} could not be read: ${String(error)}`);
			}
		}
	}

	private async forgetDeleted(): Promise<void> {
		const deleted: string[] = [];
		for (const id of this.sessions.keys()) if (!(await this.owners.find(id))) deleted.push(id);
		for (const id of deleted) {
			this.sessions.delete(id);
			this.kinds.delete(id);
		}
		if (deleted.length > 0) this.tell();
	}

	private tell(): void {
		this.listeners.tell((listener) => listener());
	}
}

/** Session attribute for unreviewed changes. */
const UNREVIEWED = "unreviewed";

function touchesFiles(event: TranscriptEvent): boolean {
	if (event.type === "result") return changesInView(event.view).length > 0;
	return event.type === "compacted" || (event.type === "status" && (event.changes ?? event.reviewed) !== undefined);
}

type Part = { id: string; file: ChangedFile };

/** If several sessions changed a file, it is compared with the version that the first one found. */
function merged(parts: readonly Part[]): Omit<FileUnderReview, "absolute">[] {
	const files = new Map<string, Omit<FileUnderReview, "absolute">>();
	for (const { id, file } of [...parts].sort((left, right) => (left.file.at < right.file.at ? -1 : 1))) {
		const session = { id, path: file.path };
		const previousPath = file.was !== undefined && !files.has(file.path) ? file.was : file.path;
		const earlier = files.get(previousPath);
		if (!earlier) {
			files.set(file.path, { ...file, sessions: [session] });
			continue;
		}
		files.delete(previousPath);
		const continues = (file.created ? "" : file.original?.blob) === earlier.after;
		const was = earlier.was ?? (previousPath === file.path ? undefined : file.was);
		const both: Omit<FileUnderReview, "absolute"> = {
			...earlier,
			path: file.path,
			after: file.after,
			until: [file.until, earlier.until].sort().at(-1) ?? file.until,
			added: earlier.added + file.added,
			removed: earlier.removed + file.removed,
			turns: [...earlier.turns, ...file.turns],
			sessions: [...earlier.sessions, session],
			...((earlier.mixed || file.mixed || !continues) && { mixed: true }),
		};
		files.set(file.path, was === undefined || both.created ? both : { ...both, was });
	}
	return [...files.values()].sort((left, right) => (left.path < right.path ? -1 : 1));
}

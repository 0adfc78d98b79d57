// Tracks file changes of all sessions that the user has neither kept nor undone, for the review.

import type { BlobRef, ChangedFile, FileChange, SessionSummary, TranscriptEvent } from "../../core/events.ts";
import { changesInView } from "../../core/transcript/changes.ts";
import type { ChangedFiles } from "../../core/transcript/state.ts";
import { t } from "../../shared/l10n.ts";
import { createListeners } from "../../shared/listeners.ts";
import type { Services, SessionContext, SessionsListener } from "../context.ts";
import { toAbsolutePath } from "../displayPaths.ts";
import { planRestore, type RestorePlan, restoreFiles, type SkippedFile } from "./restoreFiles.ts";

/** A file to look at, and the sessions that changed it with the path they know it by. */
export interface FileUnderReview extends ChangedFile {
	absolute: string;
	sessions: { id: string; path: string }[];
}

/** All sessions of this window, as far as a review needs them. */
interface ReviewedSessions {
	readonly services: Services;
	listen(listener: SessionsListener): unknown;
	get(sessionId: string): Promise<SessionContext>;
	list(): Promise<readonly SessionSummary[]>;
	mark(sessionId: string, name: string, value: unknown): Promise<void>;
}

export class PendingChanges {
	private readonly owners: ReviewedSessions;
	private readonly sessions = new Map<string, ChangedFiles>();
	private readonly listeners = createListeners<() => void>();
	private loading: Promise<void> | undefined;
	private marking: Promise<void> = Promise.resolve();

	constructor(conversations: ReviewedSessions) {
		this.owners = conversations;
		conversations.listen({
			event: (id, event) => void (touchesFiles(event) && this.look(id)),
			reloaded: (id) => void this.look(id),
			changed: (id) => void (id === undefined && this.forgetDeleted()),
		});
	}

	/** Finds what sessions of earlier windows have left to look at. */
	load(): Promise<void> {
		this.loading ??= this.readSessions();
		return this.loading;
	}

	/** By path. */
	files(): FileUnderReview[] {
		return merged([...this.sessions].flatMap(([id, files]) => [...files.values()].map((file) => ({ id, file })))).map((file) => ({
			...file,
			absolute: toAbsolutePath(this.owners.services.workspace, file.path),
		}));
	}

	onChange(listener: () => void): { dispose(): void } {
		return this.listeners.add(listener);
	}

	/** What was done to these files stands: they are no longer to be looked at. */
	async keep(paths: readonly string[]): Promise<void> {
		const files = this.named(paths);
		const text = files.length === 1 ? t("Kept changes in {0}.", files[0]?.path ?? "") : t("Kept changes in {0} files.", files.length);
		await this.settle(files, text);
	}

	/** A part of a file stands: from here on it is compared with these bytes. */
	async keepPart(path: string, bytes: Uint8Array): Promise<void> {
		const [file] = this.named([path]);
		if (!file) return;
		const { blobs, workspace } = this.owners.services;
		const original: BlobRef = { blob: await blobs.put(bytes), size: bytes.length };
		const now = await workspace.version(file.absolute);
		const all = now?.hash === original.blob && file.was === undefined;
		await this.settle([file], t("Kept some changes in {0}.", file.path), all ? undefined : original);
	}

	/** A part of a file was put back in its editor. `change` leads on from where we left it, or the person has changed it, too. */
	async partUndone(path: string, change: FileChange): Promise<void> {
		const [file] = this.named([path]);
		const last = file?.sessions.at(-1);
		if (!file || !last) return;
		const conversation = await this.owners.get(last.id);
		await conversation.note(t("Reverted some changes in {0}.", file.path), { changes: [{ ...change, path: last.path }] });
	}

	planUndo(paths: readonly string[]): Promise<RestorePlan> {
		return planRestore(this.owners.services, this.named(paths));
	}

	/** Puts these files back as they were; tells which it left, and why. */
	async undo(paths: readonly string[]): Promise<SkippedFile[]> {
		const files = this.named(paths);
		const plan = await planRestore(this.owners.services, files);
		const { changes, left } = await restoreFiles(this.owners.services, plan);
		const stayed = new Set(left.map(({ path }) => path));
		const done = files.filter(({ path }) => !stayed.has(path));
		const text = done.length === 1 ? t("Reverted changes in {0}.", done[0]?.path ?? "") : t("Reverted changes in {0} files.", done.length);
		await this.settle(done, text, undefined, changes);
		return left;
	}

	private named(paths: readonly string[]): FileUnderReview[] {
		return this.files().filter(({ path }) => paths.includes(path));
	}

	/** Written down in every session that had a part in it; what was changed for it in the one that was at it last. */
	private async settle(
		files: readonly FileUnderReview[],
		text: string,
		original?: BlobRef,
		changes: readonly FileChange[] = [],
	): Promise<void> {
		if (files.length === 0) return;
		const reviewed = new Map<string, string[]>();
		for (const { id, path } of files.flatMap(({ sessions }) => sessions)) reviewed.set(id, [...(reviewed.get(id) ?? []), path]);
		const last = files.reduce((one, other) => (other.until > one.until ? other : one)).sessions.at(-1)?.id;
		for (const [id, paths] of reviewed) {
			// What was moved back is where that session did not know it to be.
			const put = id === last ? changes.map(({ path }) => path) : [];
			const undone = changes.length > 0 && { undone: true as const };
			const marks = [...new Set([...paths, ...put])].map((path) => ({ path, ...(original && { original }), ...undone }));
			const conversation = await this.owners.get(id);
			await conversation.note(text, { reviewed: marks, ...(id === last && changes.length > 0 && { changes: [...changes] }) });
			await this.look(id);
		}
		await this.marking;
	}

	private async look(id: string): Promise<void> {
		const conversation = await this.owners.get(id).catch(() => undefined);
		if (conversation) await this.take(id, conversation.state.changed);
	}

	private async take(id: string, files: ChangedFiles): Promise<void> {
		const known = this.sessions.has(id);
		if (files.size > 0) this.sessions.set(id, files);
		else this.sessions.delete(id);
		if (known || files.size > 0) this.tell();
		if (known === files.size > 0) return;
		// A mark that is lost is found again when the session is read: nothing waits for it.
		const mark = () =>
			this.owners
				.mark(id, UNREVIEWED, files.size > 0 || undefined)
				.catch((error) => this.owners.services.log(`what is to be reviewed could not be marked: ${String(error)}`));
		this.marking = this.marking.then(mark, mark);
		await this.marking;
	}

	private async readSessions(): Promise<void> {
		const { store, log } = this.owners.services;
		for (const { sessionId, attributes } of await this.owners.list()) {
			if (attributes?.[UNREVIEWED] !== true || this.sessions.has(sessionId)) continue;
			try {
				const { changed } = (await store.load(sessionId)).state;
				if (!this.sessions.has(sessionId)) await this.take(sessionId, changed);
			} catch (error) {
				log(`changes of the session ${sessionId} could not be read: ${String(error)}`);
			}
		}
	}

	private async forgetDeleted(): Promise<void> {
		if (this.sessions.size === 0) return;
		const there = new Set((await this.owners.list()).map(({ sessionId }) => sessionId));
		const gone = [...this.sessions.keys()].filter((id) => !there.has(id));
		for (const id of gone) this.sessions.delete(id);
		if (gone.length > 0) this.tell();
	}

	private tell(): void {
		this.listeners.tell((listener) => listener());
	}
}

/** The mark of a session, among its attributes, that has something left to look at. */
const UNREVIEWED = "unreviewed";

function touchesFiles(event: TranscriptEvent): boolean {
	if (event.type === "result") return changesInView(event.view).length > 0;
	return event.type === "compacted" || (event.type === "status" && (event.changes ?? event.reviewed) !== undefined);
}

type Part = { id: string; file: ChangedFile };

/** Several sessions may have changed a file: it is compared with what the first of them found. */
function merged(parts: readonly Part[]): Omit<FileUnderReview, "absolute">[] {
	const files = new Map<string, Omit<FileUnderReview, "absolute">>();
	for (const { id, file } of [...parts].sort((one, other) => (one.file.at < other.file.at ? -1 : 1))) {
		const session = { id, path: file.path };
		const home = file.was !== undefined && !files.has(file.path) ? file.was : file.path;
		const earlier = files.get(home);
		if (!earlier) {
			files.set(file.path, { ...file, sessions: [session] });
			continue;
		}
		files.delete(home);
		const leadsOn = (file.created ? "" : file.original?.blob) === earlier.after;
		const was = earlier.was ?? (home === file.path ? undefined : file.was);
		const both: Omit<FileUnderReview, "absolute"> = {
			...earlier,
			path: file.path,
			after: file.after,
			until: [file.until, earlier.until].sort().at(-1) ?? file.until,
			added: earlier.added + file.added,
			removed: earlier.removed + file.removed,
			turns: [...earlier.turns, ...file.turns],
			sessions: [...earlier.sessions, session],
			...((earlier.mixed || file.mixed || !leadsOn) && { mixed: true }),
		};
		files.set(file.path, was === undefined || both.created ? both : { ...both, was });
	}
	return [...files.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

// Keeps the page up to date: the session it shows, its snapshot, its status, and updates that wait for it.
import type { Session } from "../session/session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { t } from "../shared/l10n.ts";
import type { ChatStatus, Update } from "../shared/protocol/chat.ts";
import type { UpdateTracker } from "../shared/updateTracker.ts";
import type { ChatHost } from "./chatHost.ts";
import type { NewestEvents } from "./eventPages.ts";

interface ChatPage {
	/** The session that is shown; undefined before the first one is. */
	readonly session: string | undefined;
	/** The session of the page's snapshot, if that is the one that is shown. */
	readonly loaded: string | undefined;
	/** True if the page has asked for a snapshot. */
	readonly isOpen: boolean;
	/** The session that is shown; chooses or creates the first one. */
	shownSession(): Promise<string>;
	show(id: string): Promise<void>;
	/** Sends everything that the page shows. */
	snapshot(): Promise<void>;
	/** Sends the status again. */
	refresh(): Promise<void>;
	/** Sends an update; drops it before the page has a snapshot, which will contain it. */
	post(update: Update): void;
	/** Sends an update that must reach the page. */
	postWhenReady(update: Update): void;
	/** The page is gone until it asks for a snapshot. */
	close(): void;
}

interface PageOptions {
	sessions: Sessions;
	host: ChatHost;
	/** The session to show first; the newest one if it no longer exists. */
	remembered: string | undefined;
	updates: UpdateTracker;
	createStatus(): Promise<ChatStatus>;
	newest(session: Session): NewestEvents;
	token(): string;
	/** Called with the session that the next snapshot shows. */
	opened(session: Session): void;
	/** Called when the page has the snapshot of that session. */
	sent(sessionId: string): void;
}

export function createChatPage(options: PageOptions): ChatPage {
	const { sessions, host, remembered, updates, createStatus } = options;
	let sessionId: string | undefined;
	/** The page has asked for a snapshot; `ready` once it has one. Updates posted before that would be lost. */
	let snapshotRequested = false;
	let ready = false;
	/** The session of the last snapshot. */
	let onPage: string | undefined;
	/** Updates from before the page's first snapshot. */
	const waiting: Update[] = [];
	/** Numbers of the last status that was begun, and of the one on the page. */
	let statusNumber = 0;
	let statusOnPage = 0;

	const post = (update: Update): void => {
		if (ready) host.post(update);
	};
	const refresh = (): Promise<void> => updates.track(postStatus());

	async function shownSession(): Promise<string> {
		if (sessionId !== undefined) return sessionId;
		const known = remembered === undefined ? undefined : await sessions.find(remembered);
		const first = known ?? (await sessions.list())[0];
		sessionId = first?.sessionId ?? (await sessions.create()).sessionId;
		host.shown(sessionId);
		return sessionId;
	}

	async function snapshot(): Promise<void> {
		snapshotRequested = true;
		const id = await shownSession();
		const session = await sessions.get(id);
		if (session.damaged > 0) host.notify("warning", formatDamage(session.damaged));
		session.damaged = 0;
		statusNumber += 1;
		const number = statusNumber;
		options.opened(session);
		const status = await createStatus();
		// Another session was selected meanwhile; its own snapshot follows.
		if (id !== sessionId) return;
		const { follow, ...newest } = options.newest(session);
		ready = true;
		onPage = id;
		statusOnPage = Math.max(statusOnPage, number);
		post({
			type: "snapshot",
			...newest,
			status,
			live: session.spoken(),
			...printedIn(session),
			token: options.token(),
		});
		for (const update of waiting.splice(0)) post(update);
		if (statusNumber > number) void refresh();
		options.sent(id);
		follow();
	}

	async function postStatus(): Promise<void> {
		statusNumber += 1;
		// The snapshot is followed by a newer status.
		if (!ready) return;
		const [id, number] = [sessionId, statusNumber];
		const status = await createStatus();
		// The page shows another session by now, or a later status.
		if (id !== sessionId || number < statusOnPage) return;
		statusOnPage = number;
		post({ type: "status", status });
	}

	return {
		get session() {
			return sessionId;
		},
		get loaded() {
			return ready && onPage === sessionId ? sessionId : undefined;
		},
		get isOpen() {
			return snapshotRequested;
		},
		shownSession,
		async show(id) {
			sessionId = id;
			host.shown(id);
			if (snapshotRequested) await updates.track(snapshot());
		},
		snapshot: () => updates.track(snapshot()),
		refresh,
		post,
		postWhenReady(update) {
			if (ready) post(update);
			else waiting.push(update);
		},
		close() {
			snapshotRequested = false;
			ready = false;
		},
	};
}

function printedIn({ printed }: Session): { printed?: Record<string, string> } {
	return printed.size > 0 ? { printed: Object.fromEntries(printed) } : {};
}

function formatDamage(lines: number): string {
	return lines === 1
		? t("1 line of this session can't be read and isn't shown. The rest of the session is complete, and the session file is unchanged.")
		: t(
				"{0} lines of this session can't be read and aren't shown. The rest of the session is complete, and the session file is unchanged.",
				lines,
			);
}

// Notifies the user of pending requests with a badge, view and tab titles, and messages.
import * as vscode from "vscode";
import { findSessionsInCharge } from "../../chat/linkedSessions.ts";
import type { SessionSummary, TranscriptEvent } from "../../core/events.ts";
import { formatSessionTitle } from "../../session/transcript/sessionTitle.ts";
import { t } from "../../shared/l10n.ts";
import type { ChatViews } from "../chat/chatViews.ts";
import type { LazyEngine } from "../engine.ts";
import { showNotification } from "../notifications.ts";
import type { RoleStatusBarItem } from "../statusBar/roleItem.ts";
import { PENDING_EVENTS, type PendingTracker } from "./pendingTracker.ts";

interface Parts {
	engine: LazyEngine;
	views: ChatViews;
	/** The view whose icon shows the badge, from activation on. */
	badge: Pick<vscode.TreeView<unknown>, "badge">;
	attention: PendingTracker;
	/** Receives the counts of running turns and pending requests. */
	status: Pick<RoleStatusBarItem, "setActivity">;
}

export interface PendingNotifier {
	/** Resolves once the session's pending requests are known. */
	handleEvent(sessionId: string, event: TranscriptEvent): Promise<void>;
	/** Call when the sessions and tasks were read from the index or disk. */
	updateSessions(sessions: readonly SessionSummary[]): void;
	/** Call when sessions were added, renamed or deleted, or another one is shown. */
	reloadSessions(): Promise<void>;
}

const LONGEST = 120;

export function createPendingNotifier({ engine, views, badge, attention, status }: Parts): PendingNotifier {
	let titles = new Map<string, string>();
	const running = new Set<string>();
	const draw = (): void => {
		const total = attention.totalRequestCount();
		status.setActivity({ runningTurns: running.size, pendingRequests: total });
		const tooltip = total === 1 ? t("1 approval or question pending") : t("{0} approvals and questions pending", total);
		badge.badge = total === 0 ? undefined : { value: total, tooltip };
		void views.updateTitles((sessionId) => ({ title: titles.get(sessionId ?? ""), waiting: attention.requestCount(sessionId) }));
	};
	const updateSessions = (sessions: readonly SessionSummary[]): void => {
		titles = new Map(sessions.map((session) => [session.sessionId, formatSessionTitle(session)]));
		attention.updateSessions(sessions);
		draw();
	};
	const reloadSessions = async (): Promise<void> => {
		const { sessions } = engine.current() ?? {};
		if (sessions) updateSessions((await Promise.all([sessions.list(), sessions.tasks()])).flat());
	};
	const announce = async (sessionId: string, summary: string): Promise<void> => {
		const sessions = engine.current()?.sessions;
		for (const id of sessions ? await findSessionsInCharge(sessions, sessionId) : [sessionId]) if (await views.inSight(id)) return;
		const show = t("Show");
		const answer = await showNotification("info", t("Troupe needs your approval: {0}", truncateMiddle(summary)), show);
		if (answer === show) await vscode.commands.executeCommand("troupe.showWaiting", { sessionId });
	};
	return {
		async handleEvent(sessionId, event) {
			if (!PENDING_EVENTS[event.type]) return;
			if (event.type === "started") running.add(sessionId);
			if (event.type === "ended") running.delete(sessionId);
			if (event.type === "started" || event.type === "ended") draw();
			const { state } = (await engine.current()?.sessions.get(sessionId)) ?? {};
			if (state && attention.updateSession(sessionId, state)) draw();
			// The first message names the session; the list has a task's state.
			if (event.type === "user" || event.type === "task") void reloadSessions();
			// Each request is asked once, so it is announced once.
			if (event.type === "asked") void announce(sessionId, event.summary);
		},
		updateSessions: updateSessions,
		reloadSessions: reloadSessions,
	};
}

/** Truncates the middle: the end of a summary matters as much as the beginning. */
function truncateMiddle(summary: string): string {
	const characters = [...summary];
	return characters.length > LONGEST ? `${characters.slice(0, LONGEST - 40).join("")}…${characters.slice(-40).join("")}` : summary;
}

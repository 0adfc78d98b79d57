// Tells the person what waits: a number on the view's icon, the sessions' names on view and tabs, a message for what is out of sight.
import * as vscode from "vscode";
import type { SessionSummary, TranscriptEvent } from "../../core/events.ts";
import { sessionTitle } from "../../session/sessionTitle.ts";
import { t } from "../../shared/l10n.ts";
import type { ChatViews } from "../chat/chatView.ts";
import { notify } from "../dialogs.ts";
import type { LazyEngine } from "../engine.ts";
import type { RoleItem } from "../statusBar.ts";
import { type Attention, CHANGES_WAITING } from "./attention.ts";

interface Parts {
	engine: LazyEngine;
	views: ChatViews;
	/** Whose badge the view's icon shows, from activation on. */
	badge: Pick<vscode.TreeView<unknown>, "badge">;
	attention: Attention;
	/** Hears how much runs and waits. */
	status: Pick<RoleItem, "activity">;
}

export interface Notices {
	/** Something has happened in a session. Resolves once it is known what waits in it. */
	took(sessionId: string, event: TranscriptEvent): Promise<void>;
	/** The list of sessions was read, from the index or from disk. */
	listed(sessions: readonly SessionSummary[]): void;
	/** Sessions may be new, renamed or gone, or another one is open. */
	sessionsChanged(): Promise<void>;
}

const LONGEST = 120;

export function notices({ engine, views, badge, attention, status }: Parts): Notices {
	let titles = new Map<string, string>();
	const running = new Set<string>();
	const draw = (): void => {
		const total = attention.total();
		status.activity({ running: running.size, waiting: total });
		const tooltip = total === 1 ? t("1 approval or question waits for you") : t("{0} approvals and questions wait for you", total);
		badge.badge = total === 0 ? undefined : { value: total, tooltip };
		void views.mark((sessionId) => ({ title: titles.get(sessionId ?? ""), waiting: attention.of(sessionId) }));
	};
	const listed = (sessions: readonly SessionSummary[]): void => {
		titles = new Map(sessions.map((session) => [session.sessionId, sessionTitle(session)]));
		attention.listed(sessions);
		draw();
	};
	const sessionsChanged = async (): Promise<void> => {
		const sessions = await engine.loaded()?.sessions.list();
		if (sessions) listed(sessions);
	};
	const tell = async (sessionId: string, summary: string): Promise<void> => {
		if (await views.inSight(sessionId)) return;
		const show = t("Show");
		const answer = await notify("info", t("Troupe waits for your approval: {0}", bothEnds(summary)), show);
		if (answer === show) await vscode.commands.executeCommand("troupe.showWaiting", { sessionId });
	};
	return {
		async took(sessionId, event) {
			if (!CHANGES_WAITING.has(event.type)) return;
			if (event.type === "started") running.add(sessionId);
			if (event.type === "ended") running.delete(sessionId);
			if (event.type === "started" || event.type === "ended") draw();
			const { state } = (await engine.loaded()?.sessions.get(sessionId)) ?? {};
			if (state && attention.look(sessionId, state)) draw();
			// The first message names a session.
			if (event.type === "user") void sessionsChanged();
			// Each request is asked once, so it is told once.
			if (event.type === "asked") void tell(sessionId, event.summary);
		},
		listed,
		sessionsChanged,
	};
}

/** Of a long summary the end counts as much as the beginning. */
function bothEnds(summary: string): string {
	const words = [...summary];
	return words.length > LONGEST ? `${words.slice(0, LONGEST - 40).join("")}…${words.slice(-40).join("")}` : summary;
}

// Tells the person that something waits for them: a number on the view's icon and on tabs, and a message when it is out of sight.
import * as vscode from "vscode";
import type { TranscriptEvent } from "../core/events.ts";
import { t } from "../l10n.ts";
import type { ChatViews } from "./chatView.ts";
import { notify } from "./dialogs.ts";
import type { LazyEngine } from "./engine.ts";
import { CHANGES_WAITING, waitingCounts } from "./waitingCounts.ts";

interface Parts {
	engine: LazyEngine;
	views: ChatViews;
	/** Whose badge the view's icon shows, from activation on. */
	badge: Pick<vscode.TreeView<unknown>, "badge">;
	memory: vscode.Memento;
}

export interface Notices {
	/** Something has happened in a session. */
	took(sessionId: string, event: TranscriptEvent): Promise<void>;
	/** Sessions may be gone. */
	sessionsChanged(): Promise<void>;
}

const LONGEST = 120;

export function notices({ engine, views, badge, memory }: Parts): Notices {
	const counts = waitingCounts(memory);
	const draw = (): void => {
		const total = counts.total();
		const tooltip = total === 1 ? t("1 approval or question waits for you") : t("{0} approvals and questions wait for you", total);
		badge.badge = total === 0 ? undefined : { value: total, tooltip };
		void views.mark((sessionId) => counts.of(sessionId));
	};
	if (counts.total() > 0) draw();
	return {
		async took(sessionId, event) {
			if (!CHANGES_WAITING.has(event.type)) return;
			const { state } = (await engine.loaded()?.conversations.get(sessionId)) ?? {};
			if (state && counts.look(sessionId, state)) draw();
			// Each request is asked once, so it is told once.
			if (event.type !== "asked" || (await views.inSight(sessionId))) return;
			const show = t("Show");
			const answer = await notify("info", t("Troupe waits for your approval: {0}", bothEnds(event.summary)), show);
			if (answer === show) await vscode.commands.executeCommand("troupe.showWaiting", { sessionId });
		},
		async sessionsChanged() {
			const sessions = counts.total() > 0 ? await engine.loaded()?.conversations.list() : undefined;
			if (sessions && counts.keep(sessions.map(({ sessionId }) => sessionId))) draw();
		},
	};
}

/** Of a long summary the end counts as much as the beginning. */
function bothEnds(summary: string): string {
	const words = [...summary];
	return words.length > LONGEST ? `${words.slice(0, LONGEST - 40).join("")}…${words.slice(-40).join("")}` : summary;
}

// A list of sessions to search: titles at once, the words of their messages a moment later.
import * as vscode from "vscode";
import type { SessionSummary } from "../core/events.ts";
import { t } from "../l10n.ts";
import { labelText } from "../shared/safeText.ts";
import type { Engine } from "./engine.ts";
import { sessionTitle } from "./sessionTitle.ts";

/** Milliseconds without a key before files are read, sessions that are listed with their words, and letters it takes. */
const PAUSE = 150;
const MOST = 50;
const LEAST = 2;

interface Item extends vscode.QuickPickItem {
	sessionId?: string;
}

/** The session that the person picks. */
export async function searchSessions(engine: Engine): Promise<string | undefined> {
	const sessions = await engine.conversations.list();
	const { services } = engine.conversations;
	const names = new Map(services.agents().map(({ agentId, displayName }) => [agentId, displayName]));
	const byTitle = sessions.map((session) => itemOf(session, names));
	const titles = new Map(byTitle.map((item) => [item.sessionId, item]));
	const picker = vscode.window.createQuickPick<Item>();
	picker.title = t("Search Sessions");
	picker.placeholder = t("Words of a title or of a message");
	picker.matchOnDescription = true;
	picker.matchOnDetail = true;
	picker.items = byTitle;
	let search = new AbortController();
	let pause: NodeJS.Timeout | undefined;

	async function lookFor(words: string, { signal }: AbortController): Promise<void> {
		const found: Item[] = [];
		for await (const { sessionId, text } of services.store.search([...titles.keys()] as string[], words, signal)) {
			if (signal.aborted) return;
			const known = titles.get(sessionId);
			if (known) found.push({ ...known, detail: labelText(text), alwaysShow: true });
			if (found.length === MOST) break;
		}
		if (signal.aborted) return;
		const hits = new Set(found.map(({ sessionId }) => sessionId));
		const separator: Item = { label: t("In messages"), kind: vscode.QuickPickItemKind.Separator };
		picker.items = [...byTitle.filter(({ sessionId }) => !hits.has(sessionId)), ...(found.length > 0 ? [separator, ...found] : [])];
		picker.busy = false;
	}

	picker.onDidChangeValue((value) => {
		search.abort();
		clearTimeout(pause);
		const words = value.trim();
		picker.busy = words.length >= LEAST;
		if (!picker.busy) {
			picker.items = byTitle;
			return;
		}
		search = new AbortController();
		const current = search;
		pause = setTimeout(() => void lookFor(words, current).catch((error: unknown) => engine.log(`search failed: ${String(error)}`)), PAUSE);
	});
	return new Promise((resolve) => {
		picker.onDidAccept(() => {
			resolve(picker.selectedItems[0]?.sessionId);
			picker.hide();
		});
		picker.onDidHide(() => {
			search.abort();
			clearTimeout(pause);
			picker.dispose();
			resolve(undefined);
		});
		picker.show();
	});
}

function itemOf(session: SessionSummary, names: ReadonlyMap<string, string>): Item {
	const title = sessionTitle(session);
	const snippet = session.lastSnippet && session.lastSnippet !== title ? session.lastSnippet : undefined;
	return {
		label: session.pinnedAt ? `$(pinned) ${labelText(title)}` : labelText(title),
		description: labelText(names.get(session.agentId) ?? session.agentId),
		...(snippet && { detail: labelText(snippet) }),
		sessionId: session.sessionId,
	};
}

// Quick Pick to open, rename, pin, delete and search recent sessions, and to find background tasks.

// Titles match immediately; message text is searched after a pause.
import * as vscode from "vscode";
import type { SessionSummary } from "../../core/events.ts";
import { formatSessionTitle } from "../../session/transcript/sessionTitle.ts";
import { t } from "../../shared/l10n.ts";
import { formatRelativeTime } from "../../shared/relativeTime.ts";
import { escapeLabel } from "../../shared/safeText.ts";
import type { Engine } from "../engine.ts";
import { showError } from "../errorNotifications.ts";
import { describeTask } from "./taskItems.ts";

/** Milliseconds without typing before files are read, maximum results, and minimum query length. */
const TYPING_DELAY = 150;
const MAX_RESULTS = 50;
const MIN_QUERY = 2;

interface Item extends vscode.QuickPickItem {
	sessionId?: string;
}

interface Facts {
	/** Display names by agent id. */
	names: ReadonlyMap<string, string>;
	running: ReadonlySet<string>;
	/** The session that the chat shows. */
	open: string | undefined;
}

type Act = "renameSession" | "pinSession" | "unpinSession" | "deleteSession";

/** Resolves with the picked session's id. */
export async function pickFromSessionSearch(engine: Engine, open?: string): Promise<string | undefined> {
	const { sessions } = engine;
	const { services, policy } = sessions;
	const names = new Map(policy.agents().map(({ agentId, displayName }) => [agentId, displayName]));
	const picker = vscode.window.createQuickPick<Item>();
	picker.title = t("Sessions");
	picker.placeholder = t("Search titles and messages");
	picker.matchOnDescription = true;
	picker.matchOnDetail = true;
	let byTitle: Item[] = [];
	/** Listed only for a query, because there may be many. */
	let tasks: Item[] = [];
	let search = new AbortController();
	let pause: NodeJS.Timeout | undefined;
	/** Another dialog covers the list, which returns after it. */
	let covered = false;

	async function list(): Promise<void> {
		const facts = { names, running: new Set(await sessions.running()), open };
		byTitle = itemsOf(await sessions.list(), facts);
		tasks = (await sessions.tasks()).map((task) => taskItemOf(task, facts));
		updateQuery(picker.value);
	}

	async function searchMessages(query: string, { signal }: AbortController): Promise<void> {
		const all = withTasks();
		const titles = new Map(all.flatMap((item) => (item.sessionId === undefined ? [] : [[item.sessionId, item] as const])));
		const found: Item[] = [];
		for await (const { sessionId, text } of services.store.search([...titles.keys()], query, signal)) {
			if (signal.aborted) return;
			const known = titles.get(sessionId);
			if (known && !matches(known, query)) found.push({ ...known, detail: escapeLabel(text), alwaysShow: true });
			if (found.length === MAX_RESULTS) break;
		}
		if (signal.aborted) return;
		// VS Code knows an accepted item by its place, even in a list that was replaced meanwhile: what is listed keeps its place.
		picker.items = [...all, ...(found.length > 0 ? [separator(t("In messages")), ...found] : [])];
		picker.busy = false;
	}

	function withTasks(): Item[] {
		return tasks.length === 0 ? byTitle : [...byTitle, separator(t("Background Tasks")), ...tasks];
	}

	function updateQuery(value: string): void {
		search.abort();
		clearTimeout(pause);
		const query = value.trim();
		picker.busy = query.length >= MIN_QUERY;
		if (!picker.busy) {
			picker.items = byTitle;
			return;
		}
		search = new AbortController();
		const current = search;
		pause = setTimeout(
			() => void searchMessages(query, current).catch((error: unknown) => engine.log(`search failed: ${String(error)}`)),
			TYPING_DELAY,
		);
	}

	/** Runs the command, which asks for the name or for confirmation. */
	async function run(act: Act, sessionId: string): Promise<void> {
		covered = act !== "pinSession" && act !== "unpinSession";
		await vscode.commands.executeCommand(`troupe.${act}`, { sessionId });
		await list();
		if (covered) picker.show();
		covered = false;
	}

	await list();
	return new Promise((resolve) => {
		picker.onDidChangeValue(updateQuery);
		picker.onDidTriggerItemButton(({ item: { sessionId }, button }) => {
			const act = (button as Partial<ActButton>).act;
			if (sessionId === undefined || act === undefined) return;
			run(act, sessionId).catch((error: unknown) => {
				covered = false;
				void showError(error, engine.log);
			});
		});
		picker.onDidAccept(() => {
			resolve(picker.selectedItems[0]?.sessionId);
			picker.hide();
		});
		picker.onDidHide(() => {
			if (covered) return;
			search.abort();
			clearTimeout(pause);
			picker.dispose();
			resolve(undefined);
		});
		picker.show();
	});
}

interface ActButton extends vscode.QuickInputButton {
	act: Act;
}

function buttonsOf({ pinnedAt }: SessionSummary): ActButton[] {
	return [
		{ act: "renameSession", iconPath: new vscode.ThemeIcon("edit"), tooltip: t("Rename") },
		pinnedAt
			? { act: "unpinSession", iconPath: new vscode.ThemeIcon("pinned"), tooltip: t("Unpin") }
			: { act: "pinSession", iconPath: new vscode.ThemeIcon("pin"), tooltip: t("Pin") },
		{ act: "deleteSession", iconPath: new vscode.ThemeIcon("trash"), tooltip: t("Delete") },
	];
}

/** The list shows it for the query without a search of its messages. */
function matches({ label, description = "", detail = "" }: Item, query: string): boolean {
	return [label, description, detail].some((text) => text.toLowerCase().includes(query.toLowerCase()));
}

/** Pinned, today's and earlier sessions, each under a heading. */
function itemsOf(sessions: readonly SessionSummary[], facts: Facts): Item[] {
	const today = new Date().toDateString();
	const groupOf = ({ pinnedAt, updatedAt }: SessionSummary): string => {
		if (pinnedAt) return t("Pinned");
		return new Date(updatedAt).toDateString() === today ? t("Today") : t("Earlier");
	};
	let group = "";
	return sessions.flatMap((session) => {
		const sessionGroup = groupOf(session);
		const heading = sessionGroup === group ? [] : [separator(sessionGroup)];
		group = sessionGroup;
		return [...heading, itemOf(session, facts)];
	});
}

const separator = (label: string): Item => ({ label, kind: vscode.QuickPickItemKind.Separator });

function itemOf(session: SessionSummary, { names, running, open }: Facts): Item {
	const { sessionId, agentId, lastSnippet, updatedAt, waits, outcome } = session;
	const title = formatSessionTitle(session);
	const snippet = lastSnippet && lastSnippet !== title ? lastSnippet : undefined;
	const state = waits ? "waiting" : running.has(sessionId) ? "running" : outcome;
	const [icon, note] = STATES()[state ?? ""] ?? ["comment", undefined];
	const facts = [
		names.get(agentId) ?? agentId,
		formatRelativeTime(updatedAt) ?? t("now"),
		...(sessionId === open ? [t("open in the chat")] : []),
	];
	return {
		label: `$(${icon}) ${escapeLabel(title)}`,
		description: escapeLabel([...(note === undefined ? [] : [note]), ...facts].join(" · ")),
		...(snippet && { detail: escapeLabel(snippet) }),
		buttons: buttonsOf(session),
		sessionId,
	};
}

/** A background task says so, with its state; its changes are made elsewhere. */
function taskItemOf(summary: SessionSummary, facts: Facts): Item {
	const { buttons: _, ...item } = itemOf(summary, facts);
	const { icon, label } = describeTask(summary);
	const age = formatRelativeTime(summary.updatedAt) ?? t("now");
	return {
		...item,
		label: `$(${icon}) ${escapeLabel(formatSessionTitle(summary))}`,
		description: escapeLabel([t("background task"), label, age].join(" · ")),
	};
}

const STATES = (): Record<string, readonly [icon: string, note: string]> => ({
	waiting: ["circle-filled", t("needs your attention")],
	running: ["loading~spin", t("running")],
	failed: ["error", t("failed")],
	interrupted: ["warning", t("interrupted")],
});

// Handles the chat's intents and posts the shown session's events as updates.
import type { TranscriptEvent } from "../core/events.ts";
import type { Delegation } from "../delegation/delegation.ts";
import type { SwitchRequest } from "../delegation/switch/agentSwitch.ts";
import { findFailedProvider } from "../session/agent/sessionAgent.ts";
import { createAnswerToken } from "../session/approvals/answerToken.ts";
import { USAGE_EVENT_TYPES } from "../session/contextWindow/usage.ts";
import { createContextActions } from "../session/prompt/editorContext.ts";
import { AnswerRefusedError } from "../session/state/pendingApprovals.ts";
import { runInTerminal } from "../session/turn/call/terminalRun.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { t } from "../shared/l10n.ts";
import type { ChatStatus, FocusTarget, Intent, IntentOf } from "../shared/protocol/chat.ts";
import { reasonOf } from "../shared/reasonOf.ts";
import { createUpdateTracker } from "../shared/updateTracker.ts";
import { createAcknowledgments } from "./acknowledgments.ts";
import { createAgentSwitching } from "./agentSwitching.ts";
import { createCalledSessions } from "./calledSessions.ts";
import type { ChatHost } from "./chatHost.ts";
import { createChatPage } from "./chatPage.ts";
import { createChatStatus, measureUsage } from "./chatStatus.ts";
import { createComposer } from "./composer.ts";
import { createEarlierEventsLoader, findNewestPageStart, toDisplayEvent } from "./eventPages.ts";
import { createReviewActions, createRewindActions } from "./historyActions.ts";
import { createLinkedTitles, hasLinks } from "./linkedSessions.ts";
import { createOpenActions } from "./openActions.ts";
import { createSessionSwitcher, executePlan } from "./sessionSwitcher.ts";
import { createTaskActions } from "./taskActions.ts";
import { createTaskChanges } from "./taskChanges.ts";
import { createWiderRoles } from "./widerRoles.ts";

export interface ChatController {
	/** The session that is shown. */
	readonly sessionId: string | undefined;
	/** Handles a validated intent, with the turn that it begins. Never rejects. `acknowledge`: its updates are posted, see `Acknowledgments`. */
	handle(intent: Intent, acknowledge?: () => void): Promise<void>;
	show(sessionId: string): Promise<void>;
	focus(where: FocusTarget): void;
	compose(text: string): void;
	/** Sends the status again: a setting, workspace trust or the storage's health has changed. */
	refresh(): void;
	/** Continues the shown session with another agent, with a message that the user wrote. Never rejects. */
	switchAgent(request: SwitchRequest): Promise<void>;
	/** The page is gone until it requests a snapshot; updates that must reach it are queued. */
	pageGone(): void;
	dispose(): void;
}

/** The sessions of a window, and the work of agents in them. */
export interface ChatSessions {
	readonly sessions: Sessions;
	readonly delegation: Delegation;
}

type Acts = { [T in Intent["type"]]: (intent: IntentOf<T>) => unknown };

/** `remembered` is the session to show first; the newest one if it no longer exists. */
export function createChatController({ sessions, delegation }: ChatSessions, host: ChatHost, remembered?: string): ChatController {
	const { services, policy } = sessions;
	const { calls, tasks } = delegation;
	/** Events on the page that name other sessions. */
	let links: TranscriptEvent[] = [];
	const titles = createLinkedTitles(sessions);
	const wider = createWiderRoles(sessions);
	const updates = createUpdateTracker();
	const page = createChatPage({
		...{ sessions, host, remembered, updates, createStatus },
		newest: (session) => earlier.newest(session),
		token: () => token.current,
		opened({ state }) {
			links = state.events.slice(findNewestPageStart(state)).filter(hasLinks);
		},
		sent(id) {
			called.restart();
			taskChanges.restart();
			composer.collect(id);
		},
	});
	const { post, postWhenReady, show } = page;
	const refresh = (): void => void page.refresh();
	const acknowledgments = createAcknowledgments(updates, () => page.session);
	const on = (id: string) => sessions.get(id);

	async function createStatus(): Promise<ChatStatus> {
		const offers = page.session === undefined ? [] : await wider.of(await on(page.session), links);
		const found = { linked: await titles.of(links), wider: offers };
		const status = await createChatStatus(sessions, page.session, host.health(), refresh, found);
		return { ...status, queued: [...composer.gathering(page.session), ...status.queued] };
	}

	async function postUsage(id: string): Promise<void> {
		const session = await on(id);
		if (id === page.session) post({ type: "context", session: id, context: measureUsage(session) });
	}

	const token = createAnswerToken({
		post,
		focusedFor: () => host.focusedFor(),
		forged: t("The answer didn't come from the chat's buttons."),
	});
	const useToken = (given: string) => token.use(given);
	const { setRole, setAgent } = createSessionSwitcher({
		...{ policy, host, refresh: page.refresh },
		open: async (agentId) => show((await sessions.latest(agentId)).sessionId),
	});
	const composer = createComposer({
		...{ sessions, host, refresh, setRole, setAgent, show },
		post: postWhenReady,
		shows: (session) => session === page.loaded,
	});
	const switching = createAgentSwitching({
		sessions,
		host,
		bring: composer.bring,
		async show(id) {
			await show(id);
			postWhenReady({ type: "focus", where: "composer" });
		},
		shown: () => page.session,
		useToken,
	});
	const context = createContextActions(services, post);
	const shown = () => page.loaded;
	const called = createCalledSessions({ sessions, calls, shown, post });
	const taskChanges = createTaskChanges({ sessions, applyChanges: tasks.applyChanges, host, shown, post, useToken });
	const shows = (id: string) => id === page.session;
	const earlier = createEarlierEventsLoader({
		...{ on, shows },
		post(update) {
			post(update);
			if (update.type !== "earlier") return;
			links.push(...update.events.filter(hasLinks));
			if (update.last && links.length > 0) refresh();
		},
		notify: (text) => host.notify("info", text),
	});
	const acts: Acts = {
		ready: page.snapshot,
		focused: ({ focused }) => host.pageFocus(focused),
		...composer.acts,
		...context.acts,
		...earlier.acts,
		...taskChanges.acts,
		...createTaskActions({ sessions, tasks, useToken, setRole }),
		...createRewindActions({ on, host, bring: composer.bring, returnToComposer: (id, message) => sessions.returnToComposer(id, message) }),
		...createReviewActions(sessions, host),
		...createRequestActions({ sessions, host, useToken }),
		...createOpenActions({ sessions, host, shown: page.shownSession, shows, post }),
		...switching.acts,
		openSession: async ({ session }) => show(await sessions.existing(session)),
		stopCalled: ({ session, call }) => called.stop(session, call),
		role: async ({ session, role }) => setRole(await on(session), role),
		moreRoles: async ({ session: sessionId }) => {
			const session = await on(sessionId);
			const role = await host.pickRole(session.state.role);
			if (role !== undefined) await setRole(session, role);
		},
		agent: async ({ session, agent }) => setAgent(await on(session), agent),
		command: async ({ command }) => {
			const failed = page.session === undefined ? undefined : findFailedProvider((await on(page.session)).state);
			if ((await host.command(command, failed)) === "done") post({ type: "helped" });
		},
	};

	function handle(intent: Intent, acknowledge?: () => void): Promise<void> {
		const handled = attempt(() => (acts[intent.type] as (intent: Intent) => unknown)(intent));
		if (acknowledge) void acknowledgments.waitUntilHandled(intent, handled).then(acknowledge);
		return handled;
	}

	async function attempt(act: () => unknown): Promise<void> {
		try {
			await act();
		} catch (error) {
			if (error instanceof AnswerRefusedError) services.log(`answer dropped: ${error.message}`);
			else host.notify("error", reasonOf(error, services.log));
			await page.refresh();
		}
	}

	const listening = sessions.listen({
		event: (id, event) => {
			called.notice(id, event);
			taskChanges.notice(id, event);
			if (shows(id)) post({ type: "event", session: id, event: toDisplayEvent(event) });
			acknowledgments.notice(id, event);
			if (!shows(id)) return;
			if (hasLinks(event)) links.push(event);
			if (STATUS_EVENTS.has(event.type)) refresh();
			else if (changesUsage(event)) void updates.track(postUsage(id));
		},
		live: (id, event) => {
			called.notice(id);
			if (shows(id)) post({ type: "live", session: id, event });
		},
		changed: (id) => {
			titles.forget(id);
			if (id !== undefined) taskChanges.notice(id);
			if (wider.forget(id) || id === page.session) refresh();
		},
		reloaded: (id) => {
			if (shows(id) && page.isOpen) void page.snapshot();
		},
		// The page has no snapshot yet of a session that is being opened.
		reading: (id, part) => {
			if (shows(id) && page.isOpen) host.post({ type: "reading", session: id, ...(part !== undefined && { part }) });
		},
		deleted(session) {
			titles.forget(session);
			called.deleted(session);
			postWhenReady({ type: "forget", session });
		},
		returned: (id) => composer.collect(id),
	});

	return {
		get sessionId() {
			return page.session;
		},
		handle,
		show,
		focus: (where) => postWhenReady({ type: "focus", where }),
		compose: (text) => postWhenReady({ type: "compose", text }),
		refresh,
		switchAgent: (request) => attempt(async () => switching.switchTo(await page.shownSession(), request)),
		pageGone() {
			host.pageFocus(false);
			page.close();
		},
		dispose() {
			host.pageFocus(false);
			earlier.dispose();
			called.dispose();
			taskChanges.dispose();
			page.close();
			listening.dispose();
			composer.dispose();
			context.dispose();
		},
	};
}

interface RequestOptions {
	sessions: Sessions;
	host: Pick<ChatHost, "notify" | "pickAgent">;
	useToken(given: string): Promise<void>;
}

type RequestActs = Pick<Acts, "answer" | "runInTerminal" | "dismiss" | "execute">;

/** Answers requests and plans, with clicks that can only come from the page. */
function createRequestActions({ sessions, host, useToken }: RequestOptions): RequestActs {
	const on = (id: string) => sessions.get(id);
	return {
		answer: async ({ session, request, answer, hash, token }) => {
			await useToken(token);
			await (await on(session)).answer(request, answer, "person", hash);
		},
		runInTerminal: async ({ session: sessionId, request, hash, token }) => {
			await useToken(token);
			const session = await on(sessionId);
			// This may take as long as the user likes, so nothing waits for it.
			runInTerminal(session, request, hash).catch((error: unknown) => host.notify("error", reasonOf(error, sessions.services.log)));
		},
		dismiss: async ({ session, request }) => (await on(session)).answer(request, { allow: false }, "person"),
		execute: async ({ session, planId, version, hash, token }) => {
			await useToken(token);
			await executePlan(await on(session), { planId, version, hash }, host.pickAgent);
		},
	};
}

/** Events that change the chat's status. */
const STATUS_EVENTS = new Set(["role", "agent", "started", "ended", "delegated", "queued", "unqueued"]);

function changesUsage(event: TranscriptEvent): boolean {
	return USAGE_EVENT_TYPES.has(event.type) || (event.type === "result" && event.view?.kind === "agent");
}

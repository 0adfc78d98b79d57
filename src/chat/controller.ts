// Handles the chat's intents and posts the shown session's events as updates.
import type { TranscriptEvent } from "../core/events.ts";
import type { Workspace } from "../core/ports/workspace.ts";
import { createAnswerToken } from "../session/approvals/answerToken.ts";
import { AnswerRefusedError } from "../session/approvals/approvals.ts";
import { USAGE_EVENT_TYPES } from "../session/contextWindow/usage.ts";
import type { SwitchRequest } from "../session/delegation/agentSwitch.ts";
import { toAbsolutePath } from "../session/displayPaths.ts";
import { findEvent, findResult } from "../session/eventLookup.ts";
import { formatPlanAsMarkdown, readArchiveAsMarkdown } from "../session/history/exportSession.ts";
import { createContextActions } from "../session/prompt/editorContext.ts";
import type { Session } from "../session/session.ts";
import { findFailedProvider } from "../session/sessionAgent.ts";
import type { Sessions } from "../session/sessions.ts";
import { truncateMiddle } from "../session/truncate.ts";
import { runInTerminal } from "../session/turn/terminalRun.ts";
import { t } from "../shared/l10n.ts";
import type { ChatStatus, FocusTarget, Intent, Update } from "../shared/protocol/chat.ts";
import { createUpdateTracker } from "../shared/updateTracker.ts";
import { createAcknowledgments } from "./acknowledgments.ts";
import { createAgentSwitching } from "./agentSwitching.ts";
import { createCalledSessions } from "./calledSessions.ts";
import type { ChatHost } from "./chatHost.ts";
import { createChatStatus, measureUsage } from "./chatStatus.ts";
import { createComposer } from "./composer.ts";
import { createEarlierEventsLoader, findNewestPageStart, toDisplayEvent } from "./eventPages.ts";
import { filterWorkspaceFiles, findWorkspaceFile } from "./filePaths.ts";
import { createReviewActions, createRewindActions } from "./historyActions.ts";
import { createLinkedTitles, hasLinks } from "./linkedSessions.ts";
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

type Of<T extends Intent["type"]> = Extract<Intent, { type: T }>;
type Acts = { [T in Intent["type"]]: (intent: Of<T>) => unknown };

/** `remembered` is the session to show first; the newest one if it no longer exists. */
export function createChatController(conversations: Sessions, host: ChatHost, remembered?: string): ChatController {
	const { services } = conversations;
	let sessionId: string | undefined;
	/** The page has asked for a snapshot; `ready` once it has one. Updates posted before that would be lost. */
	let snapshotRequested = false;
	let ready = false;
	/** The session of the last snapshot. */
	let onPage: string | undefined;
	/** Updates from before the page's first snapshot. */
	const waiting: Update[] = [];
	const post = (update: Update): void => {
		if (ready) host.post(update);
	};
	/** Events on the page that name other sessions. */
	let links: TranscriptEvent[] = [];
	const titles = createLinkedTitles(conversations);
	const wider = createWiderRoles(conversations);
	const updates = createUpdateTracker();
	const acknowledgments = createAcknowledgments(updates, () => sessionId);

	/** Numbers of the last status that was begun, and of the one on the page. */
	let statusNumber = 0;
	let statusOnPage = 0;

	async function snapshot(): Promise<void> {
		snapshotRequested = true;
		const id = await shownSession();
		const conversation = await conversations.get(id);
		if (conversation.damaged > 0) host.notify("warning", formatDamage(conversation.damaged));
		conversation.damaged = 0;
		statusNumber += 1;
		const number = statusNumber;
		links = conversation.state.events.slice(findNewestPageStart(conversation.state)).filter(hasLinks);
		const status = await createStatus();
		// Another session was selected meanwhile; its own snapshot follows.
		if (id !== sessionId) return;
		const { follow, ...newest } = earlier.newest(conversation);
		ready = true;
		onPage = id;
		statusOnPage = Math.max(statusOnPage, number);
		post({
			type: "snapshot",
			...newest,
			surroundings: status,
			live: conversation.spoken(),
			...printedIn(conversation),
			token: token.current,
		});
		for (const update of waiting.splice(0)) post(update);
		if (statusNumber > number) void refresh();
		called.restart();
		taskChanges.restart();
		composer.collect(id);
		follow();
	}

	function whenReady(update: Update): void {
		if (ready) post(update);
		else waiting.push(update);
	}

	async function shownWorkspace(): Promise<Workspace> {
		return (await conversations.get(await shownSession())).workspace;
	}

	async function shownSession(): Promise<string> {
		if (sessionId !== undefined) return sessionId;
		const known = remembered === undefined ? undefined : await conversations.find(remembered);
		const shown = known ?? (await conversations.list())[0];
		sessionId = shown?.sessionId ?? (await conversations.create()).sessionId;
		host.shown(sessionId);
		return sessionId;
	}

	async function createStatus(): Promise<ChatStatus> {
		const offers = sessionId === undefined ? [] : await wider.of(await conversations.get(sessionId), links);
		const found = { linked: await titles.of(links), wider: offers };
		const status = await createChatStatus(conversations, sessionId, host.health(), () => void refresh(), found);
		return { ...status, queued: [...composer.gathering(sessionId), ...status.queued] };
	}

	const refresh = (): Promise<void> => updates.track(postStatus());

	async function postStatus(): Promise<void> {
		statusNumber += 1;
		// The snapshot is followed by a newer status.
		if (!ready) return;
		const [id, number] = [sessionId, statusNumber];
		const surroundings = await createStatus();
		// The page shows another session by now, or a later status.
		if (id !== sessionId || number < statusOnPage) return;
		statusOnPage = number;
		post({ type: "surroundings", surroundings });
	}

	async function postUsage(id: string): Promise<void> {
		const conversation = await conversations.get(id);
		if (id === sessionId) post({ type: "context", session: id, context: measureUsage(conversation) });
	}

	const token = createAnswerToken({
		post,
		focusedFor: () => host.focusedFor(),
		forged: t("The answer didn't come from the chat's buttons."),
	});

	const { setRole, setAgent } = createSessionSwitcher({
		...{ services, host, refresh },
		open: async (agentId) => show((await conversations.latest(agentId)).sessionId),
	});

	async function show(id: string): Promise<void> {
		sessionId = id;
		host.shown(id);
		if (snapshotRequested) await snapshot();
	}

	const composer = createComposer({
		conversations,
		host,
		post: whenReady,
		refresh: () => void refresh(),
		shows: (session) => ready && session === sessionId && session === onPage,
		setRole,
		setAgent,
		show,
	});
	const switching = createAgentSwitching({
		sessions: conversations,
		host,
		bring: composer.bring,
		async show(id) {
			await show(id);
			whenReady({ type: "focus", where: "composer" });
		},
		shown: () => sessionId,
		useToken: (given) => token.use(given),
	});
	const context = createContextActions(services, post);
	const shownOnPage = () => (ready && onPage === sessionId ? sessionId : undefined);
	const called = createCalledSessions({ sessions: conversations, shown: shownOnPage, post });
	const taskChanges = createTaskChanges({
		sessions: conversations,
		host,
		shown: shownOnPage,
		post,
		useToken: (given) => token.use(given),
	});
	const earlier = createEarlierEventsLoader({
		on: (id) => conversations.get(id),
		shows: (id) => id === sessionId,
		post(update) {
			post(update);
			if (update.type !== "earlier") return;
			links.push(...update.events.filter(hasLinks));
			if (update.last && links.length > 0) void refresh();
		},
		notify: (text) => host.notify("info", text),
	});
	const on = (id: string) => conversations.get(id);
	const acts: Acts = {
		ready: snapshot,
		focused: ({ focused }) => host.pageFocus(focused),
		...composer.acts,
		...context.acts,
		...earlier.acts,
		...taskChanges.acts,
		...createTaskActions({ sessions: conversations, useToken: (given) => token.use(given), setRole }),
		...createRewindActions({ on, host, bring: composer.bring, giveBack: (id, message) => conversations.giveBack(id, message) }),
		...createReviewActions(conversations, host),
		openSession: async ({ session }) => show(await conversations.existing(session)),
		stopCalled: ({ session, call }) => called.stop(session, call),
		role: async ({ session, role }) => setRole(await on(session), role),
		moreRoles: async ({ session }) => {
			const conversation = await on(session);
			const role = await host.pickRole(conversation.state.role);
			if (role !== undefined) await setRole(conversation, role);
		},
		agent: async ({ session, agent }) => setAgent(await on(session), agent),
		answer: async ({ session, request, answer, hash, token: given }) => {
			await token.use(given);
			await (await on(session)).answer(request, answer, "person", hash);
		},
		runInTerminal: async ({ session, request, hash, token: given }) => {
			await token.use(given);
			const conversation = await on(session);
			// This may take as long as the user likes, so nothing waits for it.
			runInTerminal(conversation, request, hash).catch((error: Error) => host.notify("error", error.message));
		},
		...switching.acts,
		dismiss: async ({ session, request }) => (await on(session)).answer(request, { allow: false }, "person"),
		execute: async ({ session, planId, version, hash, token: given }) => {
			await token.use(given);
			await executePlan(await on(session), { planId, version, hash }, host.pickAgent);
		},
		savePlan: async ({ session, planId, version }) => {
			const plan = await findEvent(await on(session), (event) =>
				event.type === "plan" && event.planId === planId && event.version === version ? event.plan : undefined,
			);
			if (plan) await host.save(`${slug(plan.goal)}.md`, `${formatPlanAsMarkdown(plan)}\n`);
		},
		openFile: async ({ path, line }) => host.openFile(toAbsolutePath(await shownWorkspace(), path), line),
		findPaths: async ({ paths }) => post({ type: "paths", asked: paths, files: await filterWorkspaceFiles(await shownWorkspace(), paths) }),
		openPath: async ({ path, line }) => {
			const file = await findWorkspaceFile(await shownWorkspace(), path);
			if (file === undefined) return host.notify("warning", t("{0} is no longer a file in this workspace.", path));
			return host.openFile(file, line);
		},
		showOutput: async ({ session, call }) => {
			const result = await findResult(await on(session), call);
			if (result) await host.openText(result.output);
		},
		insertCode: ({ code }) => host.insertCode(code),
		applyCode: async ({ code, file }) =>
			host.applyCode(code, file === undefined ? undefined : toAbsolutePath(await shownWorkspace(), file)),
		loadOutput: async ({ session, call }) => {
			const result = await findResult(await on(session), call);
			if (result && session === sessionId) post({ type: "output", session, call, text: truncateMiddle(result.output, MOST_OUTPUT) });
		},
		openArchive: async ({ session, archive }) => host.openText(await readArchiveAsMarkdown(conversations, session, archive)),
		showTerminal: async ({ session, call }) => {
			const result = (await on(session)).state.calls.get(call)?.result;
			const command = result?.view?.kind === "command" ? result.view.command : undefined;
			host.showTerminal(call, result && command !== undefined ? { command, output: result.output } : undefined);
		},
		openLink: ({ url, text }) => host.openLink(url, text),
		command: async ({ command }) => {
			const failed = sessionId === undefined ? undefined : findFailedProvider((await on(sessionId)).state);
			if ((await host.command(command, failed)) === "done") post({ type: "helped" });
		},
	};

	function handle(intent: Intent, acknowledge?: () => void): Promise<void> {
		const handled = attempt(() => (acts[intent.type] as (intent: Intent) => unknown)(intent));
		if (acknowledge) void acknowledgments.due(intent, handled).then(acknowledge);
		return handled;
	}

	async function attempt(act: () => unknown): Promise<void> {
		try {
			await act();
		} catch (error) {
			if (error instanceof AnswerRefusedError) services.log(`answer dropped: ${error.message}`);
			else host.notify("error", error instanceof Error ? error.message : String(error));
			await refresh();
		}
	}

	const listening = conversations.listen({
		event: (id, event) => {
			called.notice(id, event);
			taskChanges.notice(id, event);
			if (id === sessionId) post({ type: "event", session: id, event: toDisplayEvent(event) });
			acknowledgments.notice(id, event);
			if (id !== sessionId) return;
			if (hasLinks(event)) links.push(event);
			if (STATUS_EVENTS.has(event.type)) void refresh();
			else if (changesUsage(event)) void updates.track(postUsage(id));
		},
		live: (id, event) => {
			called.notice(id);
			if (id === sessionId) post({ type: "live", session: id, event });
		},
		changed: (id) => {
			titles.forget(id);
			if (id !== undefined) taskChanges.notice(id);
			if (wider.forget(id) || id === sessionId) void refresh();
		},
		reloaded: (id) => {
			if (id === sessionId && snapshotRequested) void updates.track(snapshot());
		},
		// The page has no snapshot yet of a session that is being opened.
		reading: (id, part) => {
			if (id === sessionId && snapshotRequested) host.post({ type: "reading", session: id, ...(part !== undefined && { part }) });
		},
		deleted(session) {
			titles.forget(session);
			called.deleted(session);
			whenReady({ type: "forget", session });
		},
		returned: (id) => composer.collect(id),
	});

	return {
		get sessionId() {
			return sessionId;
		},
		handle,
		show,
		focus: (where) => whenReady({ type: "focus", where }),
		compose: (text) => whenReady({ type: "compose", text }),
		refresh: () => void refresh(),
		switchAgent: (request) => attempt(async () => switching.switchTo(await shownSession(), request)),
		pageGone() {
			host.pageFocus(false);
			snapshotRequested = false;
			ready = false;
		},
		dispose() {
			host.pageFocus(false);
			earlier.dispose();
			called.dispose();
			taskChanges.dispose();
			ready = false;
			listening.dispose();
			composer.dispose();
			context.dispose();
		},
	};
}

/** Maximum bytes of output that a page can show. */
const MOST_OUTPUT = 500_000;

function printedIn({ printed }: Session): { printed?: Record<string, string> } {
	return printed.size > 0 ? { printed: Object.fromEntries(printed) } : {};
}

/** Events that change the chat's status. */
const STATUS_EVENTS = new Set(["role", "agent", "started", "ended", "delegated", "queued", "unqueued"]);

function changesUsage(event: TranscriptEvent): boolean {
	return USAGE_EVENT_TYPES.has(event.type) || (event.type === "result" && event.view?.kind === "agent");
}

function formatDamage(lines: number): string {
	return lines === 1
		? t("1 line of this session can't be read and isn't shown. The rest of the session is complete, and the session file is unchanged.")
		: t(
				"{0} lines of this session can't be read and aren't shown. The rest of the session is complete, and the session file is unchanged.",
				lines,
			);
}

function slug(goal: string): string {
	const joined = goal.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
	return joined.replace(/^-|-$/g, "").slice(0, 60) || "plan";
}

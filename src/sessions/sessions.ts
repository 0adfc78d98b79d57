// Manages all sessions of this window: opens each once, keeps their summaries, and notifies listeners.
import { randomUUID } from "node:crypto";
import type { Author, SessionSummary, TranscriptEvent } from "../core/events.ts";
import { compareSessions, isSessionId, StorageError } from "../core/ports/sessions.ts";
import type { Tool } from "../core/ports/tool.ts";
import { pendingRequests } from "../core/transcript/state.ts";
import { UserError } from "../core/userError.ts";
import { requireSpeakingAgent } from "../session/agent/channelOf.ts";
import {
	findOnlySessionId,
	getAgent,
	isRoleAllowed,
	listAllowedRoles,
	requireAgent,
	resolveInitialRole,
} from "../session/agent/sessionAgent.ts";
import type { SessionGrants } from "../session/approvals/grantRows.ts";
import { postToInbox } from "../session/queue/inbox.ts";
import type { Services, SessionPolicy } from "../session/services.ts";
import { Session, type SessionOptions } from "../session/session.ts";
import { type Message, mergeMessages, type Sender, toSender } from "../session/state/message.ts";
import { SessionExistsError } from "../session/state/sessionBlocked.ts";
import { RUNTIME_ATTRIBUTE } from "../session/turn/runtimeStore.ts";
import { formatList, t } from "../shared/l10n.ts";
import { createListeners } from "../shared/listeners.ts";
import type { SessionsListener } from "./directory.ts";
import type { OwnParts, SessionLifecycle } from "./lifecycle.ts";
import { PendingChanges } from "./pendingChanges.ts";
import { SWITCHED_FROM } from "./switchAttributes.ts";
import { groupTasks, tasksBelow } from "./taskTree.ts";

interface NewSession {
	agentId?: string;
	sessionId?: string;
	name?: string;
	role?: string;
	/** Writes initial events before the session is opened. */
	begin?(session: SessionSummary): Promise<void>;
}

export class Sessions {
	readonly services: Services;
	readonly policy: SessionPolicy;
	private readonly lifecycles: SessionLifecycle[] = [];
	private readonly tools: Tool[];
	private readonly open = new Map<string, Promise<Session>>();
	/** Sessions that are being created, cleared or deleted, and can't be opened meanwhile. */
	private readonly changing = new Map<string, Promise<void>>();
	private readonly listeners = createListeners<SessionsListener>((error) => this.services.log(`listener failed: ${String(error)}`));
	/** The user's messages that no turn took, by session id, until a chat shows them. */
	private readonly returned = new Map<string, Message[]>();
	/** Changes that the user has not reviewed yet. */
	readonly review: PendingChanges;

	/** `policy`: what sessions work under unless they have their own. */
	constructor(services: Services, policy: SessionPolicy) {
		this.tools = [...services.tools];
		this.services = { ...services, tools: this.tools };
		this.policy = policy;
		this.review = new PendingChanges(this);
		services.store.onWanted((id) => {
			this.open
				.get(id)
				?.then((session) => session.giveWay())
				.catch(services.log);
		});
		services.store.onInbox((id) => {
			this.open
				.get(id)
				?.then((session) => session.resume())
				.catch(services.log);
		});
	}

	/** Adds what is built over the sessions. Call it before a session is opened. */
	onLifecycle(lifecycle: SessionLifecycle): void {
		this.lifecycles.push(lifecycle);
	}

	/** Adds tools that need the sessions. Call it before a session is opened. */
	addTools(tools: readonly Tool[]): void {
		this.tools.push(...tools);
	}

	/** The record of a session has changed, or something else that its events don't tell. */
	changed(sessionId: string): void {
		this.listeners.tell((listener) => listener.changed?.(sessionId));
	}

	/** Returns the id. Rejects if there is no such session: the list it was chosen from may be out of date. */
	async existing(sessionId: string): Promise<string> {
		if (await this.find(sessionId)) return sessionId;
		throw new UserError(t("This session no longer exists."));
	}

	/** A session or a task; undefined if there is none with this id. */
	find(sessionId: string): Promise<SessionSummary | undefined> {
		return this.services.store.find(sessionId);
	}

	/** The background tasks of all sessions, newest first. */
	tasks(): Promise<SessionSummary[]> {
		return this.services.store.list("task");
	}

	/** The tasks of a session or a task, and those that they started; each after the one that started it. */
	async tasksOf(sessionId: string): Promise<SessionSummary[]> {
		return tasksBelow(groupTasks(await this.tasks()), sessionId);
	}

	/** Sessions, newest first, after the pinned ones. */
	async list(): Promise<SessionSummary[]> {
		return (await this.services.store.list()).sort(compareSessions);
	}

	/**
	 * Creates a session. With the id of an existing one, returns that unchanged: its name and role stay. Throws SessionExistsError if
	 * it belongs to another agent than `agentId`, or is a task. The id of a deleted session is free again.
	 */
	async create(options: NewSession = {}): Promise<SessionSummary> {
		const { services, policy } = this;
		const given = findOnlySessionId(policy, options.agentId) ?? options.sessionId;
		const sessionId = given ?? randomUUID();
		if (!isSessionId(sessionId)) throw new UserError(t("A session ID must be 1 to 128 letters, digits, - or _."));
		const existing = given === undefined ? undefined : await this.attach(sessionId, options.agentId);
		if (existing) return existing;
		const agent = requireAgent(policy, options.agentId ?? services.registry.lastUsed());
		const { agentId } = agent;
		const role = options.role ?? resolveInitialRole(policy, agent);
		const known = policy.roles().some(({ id }) => id === role);
		if (!known || !isRoleAllowed(agent, role)) {
			const allowed = listAllowedRoles(policy, agent).map(({ id }) => id);
			throw new UserError(
				known
					? t("The agent {0} can't use the role {1}. Available roles: {2}.", agentId, role, formatList(allowed))
					: t("The role {0} doesn't exist. Available roles: {1}.", role, formatList(allowed)),
			);
		}
		const at = services.now().toISOString();
		const name = options.name?.trim();
		const summary: SessionSummary = { sessionId, agentId, ...(name && { name }), createdAt: at, updatedAt: at, messageCount: 0, role };
		try {
			await this.whileClosed([sessionId], async () => {
				await services.store.create(summary);
				await options.begin?.(summary);
				// An earlier `get` of this id, before the session existed, has cached nothing useful.
				this.open.delete(sessionId);
			});
		} catch (cause) {
			// Another window was faster.
			const taken = cause instanceof StorageError && cause.code === "EEXIST" ? await this.attach(sessionId, options.agentId) : undefined;
			if (!taken) throw cause;
			return taken;
		}
		await this.get(sessionId);
		this.listeners.tell((listener) => listener.changed?.(sessionId));
		return summary;
	}

	/** Whoever opens a session meanwhile waits, and never gets an outdated one, or a second one that writes the same transcript. */
	private async whileClosed(sessionIds: readonly string[], change: () => Promise<void>): Promise<void> {
		const changed = Promise.all(sessionIds.map((id) => this.changing.get(id))).then(change);
		const settled = changed
			.catch(() => undefined)
			.then(() => {
				for (const id of sessionIds) if (this.changing.get(id) === settled) this.changing.delete(id);
			});
		for (const id of sessionIds) this.changing.set(id, settled);
		await settled;
		await changed;
	}

	/** The session with this id; undefined if the id is free. Without `agentId`, that of any agent. Throws SessionExistsError. */
	private async attach(sessionId: string, agentId: string | undefined): Promise<SessionSummary | undefined> {
		const found = await this.find(sessionId);
		const differs = found && agentId !== undefined && agentId !== found.agentId;
		if (found?.kind === "task" || differs) throw new SessionExistsError(found);
		return found;
	}

	/** An agent's default session: the one that changed last, else a new one. */
	async latest(agentId: string): Promise<SessionSummary> {
		const ofAgent = (await this.services.store.list()).filter((session) => session.agentId === agentId);
		const [newest] = ofAgent.sort((left, right) => right.updatedAt.localeCompare(left.updatedAt));
		return newest ?? this.create({ agentId });
	}

	/** The session that messages from other channels than the chat go to. */
	async speaking(): Promise<Session> {
		return this.get((await this.latest(requireSpeakingAgent(this.policy).agentId)).sessionId);
	}

	/** Opens a session, closing what a dead host left open in it. Messages of others that wait in it get their turns. */
	get(sessionId: string): Promise<Session> {
		const changing = this.changing.get(sessionId);
		if (changing !== undefined) return changing.then(() => this.get(sessionId));
		const known = this.open.get(sessionId);
		if (known) return known;
		const opening = this.openSession(sessionId);
		this.open.set(sessionId, opening);
		opening.then(
			(session) => this.goOn(session).catch(this.services.log),
			() => this.open.delete(sessionId),
		);
		return opening;
	}

	private async openSession(sessionId: string): Promise<Session> {
		const summary = await this.find(sessionId);
		let own: OwnParts | undefined;
		for (const { opening } of this.lifecycles) own ??= summary && (await opening?.(summary));
		const { policy, workspace } = own ?? { policy: this.policy, workspace: this.services.window };
		return new Session(sessionId, { services: this.services, policy, listener: this.createListener(), own: workspace }).open();
	}

	private async each(step: (lifecycle: SessionLifecycle) => Promise<void> | undefined): Promise<void> {
		for (const lifecycle of this.lifecycles) await step(lifecycle);
	}

	private createListener(): SessionOptions["listener"] {
		return {
			event: (id, event) => this.forwardEvent(id, event),
			live: (id, event) => this.listeners.tell((listener) => listener.live?.(id, event)),
			changed: (id) => this.listeners.tell((listener) => listener.changed?.(id)),
			reloaded: (id) => this.listeners.tell((listener) => listener.reloaded?.(id)),
			taken: (id) =>
				void this.open
					.get(id)
					?.then((session) => this.each(({ taken }) => taken?.(session)))
					.catch(this.services.log),
			reading: (id, part) => this.listeners.tell((listener) => listener.reading?.(id, part)),
			returned: (id, message) => this.returnToComposer(id, message),
		};
	}

	/** Lets a session go on. This is not part of opening: two sessions that called each other would wait for each other. */
	private async goOn(session: Session): Promise<void> {
		await this.each(({ taken }) => taken?.(session));
		await session.resume();
	}

	/** Opens the sessions with work from an earlier window, which goes on in them. Call it once at the start. */
	async recover(): Promise<Session[]> {
		if (this.services.restricted() !== undefined) return [];
		await this.each(({ recovering }) => recovering?.());
		const unsettled = (await this.services.store.list()).filter((session) => session.unsettled);
		const opened = await Promise.allSettled(unsettled.map(({ sessionId }) => this.get(sessionId)));
		const sessions = opened.flatMap((opening) => (opening.status === "fulfilled" ? [opening.value] : []));
		// Those that were open while the workspace was not trusted have not gone on yet.
		for (const session of sessions) this.goOn(session).catch(this.services.log);
		return sessions;
	}

	/**
	 * Passes a message of an agent or a channel to a session, in whichever window that is. Resolves once it is on disk, not with its
	 * turn. A message whose id waits or was answered there changes nothing. Throws SessionBlockedError if too many messages wait.
	 */
	async deliverMessage(sessionId: string, message: Message, sender: Sender): Promise<void> {
		const session = await this.get(sessionId);
		if (await session.lease.takeFree()) await session.enqueue(message, sender);
		else await postToInbox(session, message, toSender(sender));
	}

	async rename(sessionId: string, name: string): Promise<void> {
		await this.update(sessionId, { name: name.trim() || undefined });
	}

	/** Sets an attribute; undefined removes it. Attributes that the host sets do not count as changes of the session. */
	async mark(sessionId: string, name: string, value: unknown, by: Author = "host"): Promise<void> {
		const summary = await this.find(sessionId);
		if (!summary) return;
		const { [name]: _, ...rest } = summary.attributes ?? {};
		const change = { attributes: { ...rest, ...(value !== undefined && { [name]: value }) } };
		if (by === "host") await this.services.store.update(sessionId, change);
		else await this.update(sessionId, change);
	}

	async pin(sessionId: string, pinned: boolean): Promise<void> {
		await this.update(sessionId, { pinnedAt: pinned ? this.services.now().toISOString() : undefined });
	}

	/** Deletes the history; the session keeps its id, name, agent, role and pin. */
	async clear(sessionId: string): Promise<void> {
		await this.each(({ losing }) => losing?.(sessionId, "cleared"));
		await this.shut(sessionId, { clear: true });
		await this.whileClosed([sessionId], async () => {
			await this.services.store.clear(sessionId);
			// The title comes from the first message.
			await this.mark(sessionId, "title", undefined, "person");
			for (const key of [RUNTIME_ATTRIBUTE, SWITCHED_FROM]) await this.mark(sessionId, key, undefined);
		});
		await this.get(sessionId);
		this.listeners.tell((listener) => listener.reloaded?.(sessionId));
		this.listeners.tell((listener) => listener.changed?.(sessionId));
	}

	/** Deletes a session with its tasks, or a task with those that it started. Deletes nothing if another window has one of them. */
	async delete(sessionId: string): Promise<void> {
		// Before what started them, so that a crash leaves no task without it.
		const order = (await this.shutWithTasks(sessionId)).toReversed();
		const all = [...order, sessionId];
		await this.whileClosed(all, () => this.services.store.delete(sessionId, order));
		await this.each(({ deleted }) => deleted?.(all));
		for (const id of all) {
			this.returned.delete(id);
			this.listeners.tell((listener) => listener.deleted?.(id));
		}
		this.listeners.tell((listener) => listener.changed?.(undefined));
	}

	/** Closes a session and its tasks, from the top, so that nothing starts another one. Returns the ids of the tasks. */
	private async shutWithTasks(sessionId: string): Promise<string[]> {
		const ids = new Set([sessionId]);
		for (const id of ids) {
			await this.each(({ losing }) => losing?.(id, "deleted"));
			const mayHaveStarted = id === sessionId || this.open.has(id);
			await this.shut(id, { clear: true });
			if (mayHaveStarted) for (const task of await this.tasksOf(id)) ids.add(task.sessionId);
		}
		ids.delete(sessionId);
		return [...ids];
	}

	/** Stores a message that no turn took, for the chat that shows its session now or next. */
	returnToComposer(sessionId: string, message: Message): void {
		this.returned.set(sessionId, [...(this.returned.get(sessionId) ?? []), message]);
		this.listeners.tell((listener) => listener.returned?.(sessionId));
	}

	/** Takes the returned messages; the first caller gets them. */
	takeReturned(sessionId: string): Message | undefined {
		const messages = this.returned.get(sessionId);
		this.returned.delete(sessionId);
		return messages && mergeMessages(messages);
	}

	listen(listener: SessionsListener): { dispose(): void } {
		return this.listeners.add(listener);
	}

	/** Sessions that this window has opened. */
	async opened(): Promise<Session[]> {
		const all = await Promise.all([...this.open.values()].map((opening) => opening.catch(() => undefined)));
		return all.filter((session) => session !== undefined);
	}

	/** Ids of open sessions with a pending approval or question. */
	async waiting(): Promise<string[]> {
		return (await this.opened()).filter(({ state }) => pendingRequests(state).length > 0).map(({ sessionId }) => sessionId);
	}

	/** Open sessions with their session approvals. */
	async approvedInSessions(): Promise<SessionGrants[]> {
		const rows: SessionGrants[] = [];
		for (const session of await this.opened()) {
			const grants = session.decisions.approved.of(getAgent(session));
			if (grants.length === 0) continue;
			const { sessionId: id, state } = session;
			rows.push({ id, name: (await this.find(id))?.name ?? state.title ?? id, grants });
		}
		return rows;
	}

	/** Revokes a session approval. */
	async revokeInSession(sessionId: string, agentId: string, entry: string): Promise<void> {
		(await this.open.get(sessionId))?.decisions.approved.revoke(agentId, entry);
	}

	/** Stops what is running, closes all sessions, and resolves once what tasks were recording is on disk. */
	async close(): Promise<void> {
		await this.each(({ closing }) => closing?.());
		while (this.open.size > 0) {
			await Promise.all([...this.open.keys()].map((sessionId) => this.shut(sessionId)));
			await this.each(({ closed }) => closed?.());
		}
	}

	/** Ids of sessions with a running turn. */
	async running(): Promise<string[]> {
		const all = await Promise.all(this.open.values());
		return all.filter((session) => session.isRunning).map(({ sessionId }) => sessionId);
	}

	private async shut(sessionId: string, options: { clear?: boolean } = {}): Promise<void> {
		const session = await this.open.get(sessionId)?.catch(() => undefined);
		await session?.close(options);
		this.open.delete(sessionId);
	}

	private async update(sessionId: string, change: Parameters<Services["store"]["update"]>[1]): Promise<void> {
		await this.services.store.update(sessionId, { ...change, updatedAt: this.services.now().toISOString() });
		this.listeners.tell((listener) => listener.changed?.(sessionId));
	}

	private forwardEvent(sessionId: string, event: TranscriptEvent): void {
		this.listeners.tell((listener) => listener.event?.(sessionId, event));
	}
}

// Manages all sessions of this window: opens each once, keeps their summaries, and notifies listeners.
import { randomUUID } from "node:crypto";
import type { Author, SessionSummary, TranscriptEvent } from "../core/events.ts";
import { compareSessions, isSessionId, StorageError } from "../core/ports/sessions.ts";
import { pendingRequests } from "../core/transcript/fold.ts";
import { formatList, t } from "../shared/l10n.ts";
import { createListeners } from "../shared/listeners.ts";
import type { SessionGrants } from "./approvals/grantRows.ts";
import type { Services, SessionsListener } from "./context.ts";
import { PendingChanges } from "./history/pendingChanges.ts";
import { type Message, mergeMessages } from "./messageQueue.ts";
import { Session } from "./session.ts";
import { getAgent, isRoleAllowed, listAllowedRoles, requireAgent, resolveInitialRole } from "./sessionAgent.ts";
import { RUNTIME_ATTRIBUTE } from "./turn/runtimeStore.ts";

interface NewSession {
	agentId?: string;
	sessionId?: string;
	name?: string;
	role?: string;
	/** Writes initial events before the session is opened. */
	begin?(session: SessionSummary): Promise<void>;
}

/** The id is taken. Callers may continue with `session` instead, which may belong to another agent or be a task. */
export class SessionExistsError extends Error {
	override readonly name = "SessionExistsError";
	readonly code = "exists";
	readonly session: SessionSummary;
	constructor(session: SessionSummary) {
		super(t("The session {0} already exists.", session.sessionId));
		this.session = session;
	}
}

export class Sessions {
	readonly services: Services;
	private readonly open = new Map<string, Promise<Session>>();
	private readonly listeners = createListeners<SessionsListener>((error) => this.services.log(`listener failed: ${String(error)}`));
	/** By session id: the user's messages that no turn took, until a chat shows them. */
	private readonly returned = new Map<string, Message[]>();
	/** Changes that the user has not reviewed yet. */
	readonly review: PendingChanges;

	constructor(services: Services) {
		this.services = services;
		this.review = new PendingChanges(this);
		services.store.onWanted((id) => {
			this.open
				.get(id)
				?.then((conversation) => conversation.giveWay())
				.catch(services.log);
		});
	}

	/** Returns the id. Rejects if there is no such session: the list it was chosen from may be out of date. */
	async existing(sessionId: string): Promise<string> {
		if ((await this.list()).some((session) => session.sessionId === sessionId)) return sessionId;
		throw new Error(t("This session no longer exists."));
	}

	/** Newest first, after the pinned ones. */
	async list(): Promise<SessionSummary[]> {
		return (await this.services.store.list()).sort(compareSessions);
	}

	/** Throws SessionExistsError if the id is taken. The id of a deleted session is free again. */
	async create(options: NewSession = {}): Promise<SessionSummary> {
		const { services } = this;
		const sessionId = options.sessionId ?? randomUUID();
		if (!isSessionId(sessionId)) throw new Error(t("A session ID must be 1 to 128 letters, digits, - or _."));
		await this.refuseTaken(sessionId);
		const agent = requireAgent(services, options.agentId ?? services.registry.lastUsed());
		const { agentId } = agent;
		const role = options.role ?? resolveInitialRole(services, agent);
		const known = services.roles().some(({ id }) => id === role);
		if (!known || !isRoleAllowed(agent, role)) {
			const allowed = listAllowedRoles(services, agent).map(({ id }) => id);
			throw new Error(
				known
					? t("The agent {0} can't use the role {1}. Available roles: {2}.", agentId, role, formatList(allowed))
					: t("The role {0} doesn't exist. Available roles: {1}.", role, formatList(allowed)),
			);
		}
		const at = services.now().toISOString();
		const name = options.name?.trim();
		const summary: SessionSummary = { sessionId, agentId, ...(name && { name }), createdAt: at, updatedAt: at, messageCount: 0, role };
		await services.store.create(summary).catch(async (cause: unknown) => {
			// Another window was faster.
			if (cause instanceof StorageError && cause.code === "EEXIST") await this.refuseTaken(sessionId);
			throw cause;
		});
		await options.begin?.(summary);
		// An earlier `get` of this id, before the session existed, has cached nothing useful.
		this.open.delete(sessionId);
		await this.get(sessionId);
		this.listeners.tell((listener) => listener.changed?.(sessionId));
		return summary;
	}

	private async refuseTaken(sessionId: string): Promise<void> {
		const { store } = this.services;
		for (const kind of ["session", "task"] as const) {
			const taken = (await store.list(kind)).find((summary) => summary.sessionId === sessionId);
			if (taken) throw new SessionExistsError(taken);
		}
	}

	/** An agent's default session: the one that changed last, else a new one. */
	async latest(agentId: string): Promise<SessionSummary> {
		const ofAgent = (await this.services.store.list()).filter((session) => session.agentId === agentId);
		const [newest] = ofAgent.sort((left, right) => right.updatedAt.localeCompare(left.updatedAt));
		return newest ?? this.create({ agentId });
	}

	/** Opens a session, closing what a dead host left open in it. */
	get(sessionId: string): Promise<Session> {
		const known = this.open.get(sessionId);
		if (known) return known;
		const conversation = new Session(sessionId, this.services, {
			event: (id, event) => this.forwardEvent(id, event),
			live: (id, event) => this.listeners.tell((listener) => listener.live?.(id, event)),
			changed: (id) => this.listeners.tell((listener) => listener.changed?.(id)),
			reloaded: (id) => this.listeners.tell((listener) => listener.reloaded?.(id)),
			reading: (id, part) => this.listeners.tell((listener) => listener.reading?.(id, part)),
			returned: (id, message) => this.giveBack(id, message),
		});
		const opening = conversation.open();
		this.open.set(sessionId, opening);
		opening.catch(() => this.open.delete(sessionId));
		return opening;
	}

	async rename(sessionId: string, name: string): Promise<void> {
		await this.update(sessionId, { name: name.trim() || undefined });
	}

	/** Sets an attribute; undefined removes it. Attributes that the host sets do not count as changes of the session. */
	async mark(sessionId: string, name: string, value: unknown, by: Author = "host"): Promise<void> {
		const summary = (await this.services.store.list()).find((session) => session.sessionId === sessionId);
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
		await this.shut(sessionId);
		await this.services.store.clear(sessionId);
		// The title comes from the first message.
		await this.mark(sessionId, "title", undefined, "person");
		await this.mark(sessionId, RUNTIME_ATTRIBUTE, undefined);
		await this.get(sessionId);
		this.listeners.tell((listener) => listener.reloaded?.(sessionId));
		this.listeners.tell((listener) => listener.changed?.(sessionId));
	}

	async delete(sessionId: string): Promise<void> {
		await this.shut(sessionId);
		await this.services.store.delete(sessionId);
		this.returned.delete(sessionId);
		this.listeners.tell((listener) => listener.deleted?.(sessionId));
		this.listeners.tell((listener) => listener.changed?.(undefined));
	}

	/** Stores a message that no turn took, for the chat that shows its session now or next. */
	giveBack(sessionId: string, message: Message): void {
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

	/** Ids of open sessions with a pending approval or question. */
	async waiting(): Promise<string[]> {
		const all = await Promise.all([...this.open.values()].map((opening) => opening.catch(() => undefined)));
		return all.flatMap((session) => (session && pendingRequests(session.state).length > 0 ? [session.sessionId] : []));
	}

	/** Open sessions with their session approvals. */
	async approvedInSessions(): Promise<SessionGrants[]> {
		const all = await Promise.all([...this.open.values()].map((opening) => opening.catch(() => undefined)));
		const sessions = await this.services.store.list();
		return all.flatMap((conversation) => {
			const grants = conversation?.decisions.approved.of(getAgent(conversation)) ?? [];
			if (!conversation || grants.length === 0) return [];
			const { sessionId: id, state } = conversation;
			return [{ id, name: sessions.find(({ sessionId }) => sessionId === id)?.name ?? state.title ?? id, grants }];
		});
	}

	/** Revokes a session approval. */
	async revokeInSession(sessionId: string, agentId: string, entry: string): Promise<void> {
		(await this.open.get(sessionId))?.decisions.approved.revoke(agentId, entry);
	}

	/** Stops what is running and closes all sessions. */
	async close(): Promise<void> {
		await Promise.all([...this.open.keys()].map((sessionId) => this.shut(sessionId)));
	}

	/** Ids of sessions with a running turn. */
	async running(): Promise<string[]> {
		const all = await Promise.all(this.open.values());
		return all.filter((conversation) => conversation.isRunning).map((conversation) => conversation.sessionId);
	}

	private async shut(sessionId: string): Promise<void> {
		const conversation = await this.open.get(sessionId)?.catch(() => undefined);
		await conversation?.close();
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

/** The user's name for it, else the title from the first message. */
export function formatSessionTitle({ name, attributes, lastSnippet }: SessionSummary): string {
	const title = attributes?.["title"];
	return name || (typeof title === "string" && title) || lastSnippet || t("New session");
}

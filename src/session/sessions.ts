// All sessions of this window: opens each once, keeps their summaries, and tells listeners what happens in any of them.
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
	/** Writes what it has before it is opened. */
	begin?(session: SessionSummary): Promise<void>;
}

/** The id is taken: who can, goes on with `session` instead, which may be another agent's, or no session but a task. */
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
	/** By session: messages of the person that no turn took, until a chat shows it. */
	private readonly returned = new Map<string, Message[]>();
	/** What they changed and the person has not looked at yet. */
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

	/** Its id again. Rejects where there is none: the list that it was chosen from may be older than the sessions. */
	async existing(sessionId: string): Promise<string> {
		if ((await this.list()).some((session) => session.sessionId === sessionId)) return sessionId;
		throw new Error(t("This session no longer exists."));
	}

	/** Newest first, pinned ones before. */
	async list(): Promise<SessionSummary[]> {
		return (await this.services.store.list()).sort(compareSessions);
	}

	/** Throws SessionExistsError for an id that is taken. That of a deleted session is free again. */
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
			const able = listAllowedRoles(services, agent).map(({ id }) => id);
			throw new Error(
				known
					? t("The agent {0} can't use the role {1}. Available roles: {2}.", agentId, role, formatList(able))
					: t("The role {0} doesn't exist. Available roles: {1}.", role, formatList(able)),
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
		// Whoever asked for one of that id before there was one holds nothing.
		this.open.delete(sessionId);
		await this.get(sessionId);
		this.listeners.tell((listener) => listener.changed?.(sessionId));
		return summary;
	}

	private async refuseTaken(sessionId: string): Promise<void> {
		const { store } = this.services;
		for (const kind of ["session", "task"] as const) {
			const taken = (await store.list(kind)).find((one) => one.sessionId === sessionId);
			if (taken) throw new SessionExistsError(taken);
		}
	}

	/** The session that an agent is turned to where none is named: the one that changed last, else a new one. */
	async latest(agentId: string): Promise<SessionSummary> {
		const own = (await this.services.store.list()).filter((session) => session.agentId === agentId);
		const [newest] = own.sort((left, right) => right.updatedAt.localeCompare(left.updatedAt));
		return newest ?? this.create({ agentId });
	}

	/** Opens a session, closing what a host that died left open in it. */
	get(sessionId: string): Promise<Session> {
		const known = this.open.get(sessionId);
		if (known) return known;
		const conversation = new Session(sessionId, this.services, {
			event: (id, event) => this.took(id, event),
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

	/** Sets an attribute; undefined takes it away. What the host notes for itself is no change of the session. */
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

	/** Wipes the history; the session keeps its id, name, agent, role and pin. */
	async clear(sessionId: string): Promise<void> {
		await this.shut(sessionId);
		await this.services.store.clear(sessionId);
		// The title is what was said first.
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

	/** A message that no turn took, for the chat that shows its session now or next. */
	giveBack(sessionId: string, message: Message): void {
		this.returned.set(sessionId, [...(this.returned.get(sessionId) ?? []), message]);
		this.listeners.tell((listener) => listener.returned?.(sessionId));
	}

	/** What was given back, to whoever asks first. */
	takeReturned(sessionId: string): Message | undefined {
		const messages = this.returned.get(sessionId);
		this.returned.delete(sessionId);
		return messages && mergeMessages(messages);
	}

	listen(listener: SessionsListener): { dispose(): void } {
		return this.listeners.add(listener);
	}

	/** Open sessions in which an approval or a question waits. */
	async waiting(): Promise<string[]> {
		const all = await Promise.all([...this.open.values()].map((opening) => opening.catch(() => undefined)));
		return all.flatMap((one) => (one && pendingRequests(one.state).length > 0 ? [one.sessionId] : []));
	}

	/** Open sessions with what each has been allowed for itself. */
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

	/** Takes back what a session was allowed for itself. */
	async revokeInSession(sessionId: string, agentId: string, entry: string): Promise<void> {
		(await this.open.get(sessionId))?.decisions.approved.revoke(agentId, entry);
	}

	/** Stops what runs and lets go of every session. */
	async close(): Promise<void> {
		await Promise.all([...this.open.keys()].map((sessionId) => this.shut(sessionId)));
	}

	/** Sessions whose turn runs now. */
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

	private took(sessionId: string, event: TranscriptEvent): void {
		this.listeners.tell((listener) => listener.event?.(sessionId, event));
	}
}

/** The person's name for it, else what they first asked. */
export function formatSessionTitle({ name, attributes, lastSnippet }: SessionSummary): string {
	const title = attributes?.["title"];
	return name || (typeof title === "string" && title) || lastSnippet || t("New session");
}

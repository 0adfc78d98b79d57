// Finds or creates the session that a call or a switch to another agent goes to.

import { randomUUID } from "node:crypto";
import type { SessionSummary } from "../../core/events.ts";
import { ToolError } from "../../core/ports/tool.ts";
import { currentPlan, pendingRequests } from "../../core/transcript/state.ts";
import type { Session } from "../../session/session.ts";
import type { SessionDirectory } from "../../sessions/directory.ts";

/** Ways to choose a session of the agent; any other text is a session's id. */
export const STRATEGIES = ["latest", "create", "latest-or-create"] as const;

export interface TargetRequest {
	agentId: string;
	/** One of STRATEGIES, or a session's id. */
	strategy: string;
	/** Sessions that wait for this one, directly or not; a call to them would never end. */
	callers: readonly string[];
}

export interface Target {
	session: Session;
	summary: SessionSummary;
	created: boolean;
}

/** Sessions that a call is using, so that two calls at the same time never get the same one. */
const claimed = new WeakMap<SessionDirectory, Set<string>>();

/** Throws ToolError with a sentence for the model. The session is claimed until `release`. */
export async function findTarget(sessions: SessionDirectory, request: TargetRequest): Promise<Target & { release(): void }> {
	const { agentId, strategy } = request;
	const ofAgent = (await sessions.list()).filter((summary) => summary.agentId === agentId);
	if (!(STRATEGIES as readonly string[]).includes(strategy)) return findNamed(sessions, ofAgent, request);
	if (strategy !== "create") {
		const found = await findFree(sessions, ofAgent, request.callers);
		if (found) return found;
	}
	if (strategy === "latest") {
		const why = ofAgent.length === 0 ? "has no session yet" : "has no session that is free";
		throw new ToolError(`The agent ${agentId} ${why}. Nothing was sent. Use session "latest-or-create" or "create".`);
	}
	return createTarget(sessions, agentId);
}

/** Claims a new session before another call can find it in the list. */
export async function createTarget(sessions: SessionDirectory, agentId: string): Promise<Target & { release(): void }> {
	const sessionId = randomUUID();
	const release = claim(sessions, sessionId);
	try {
		const summary = await sessions.create({ agentId, sessionId });
		return { session: await sessions.get(sessionId), summary, created: true, release };
	} catch (error) {
		release();
		throw error;
	}
}

/** The agent's most recently changed session that nobody uses; undefined if there is none. */
export async function findFree(
	sessions: SessionDirectory,
	ofAgent: readonly SessionSummary[],
	callers: readonly string[],
): Promise<(Target & { release(): void }) | undefined> {
	for (const summary of [...ofAgent].sort((left, right) => right.updatedAt.localeCompare(left.updatedAt))) {
		if (callers.includes(summary.sessionId) || claimsOf(sessions).has(summary.sessionId)) continue;
		const release = claim(sessions, summary.sessionId);
		// One that can't be read is passed over.
		const session = await sessions.get(summary.sessionId).catch(() => undefined);
		if (session && !(await isBusy(session).catch(() => true))) return { session, summary, created: false, release };
		release();
	}
	return undefined;
}

/** Resolves to true if it runs, waits for the user, has messages or a plan running, or belongs to another window. */
export async function isBusy(session: Session): Promise<boolean> {
	if (isAtWork(session)) return true;
	return !(await session.lease.takeFree()) || isAtWork(session);
}

/** The same without asking whether another window has it. */
export function isAtWork({ state, isRunning }: Session): boolean {
	if (isRunning || state.turn || state.run || state.queue.size > 0 || pendingRequests(state).length > 0) return true;
	return currentPlan(state)?.state === "proposed" && state.outcome === "waiting";
}

/** Ids of the agents that have a busy session, in this window or another. Takes and opens none. */
export async function findBusyAgents(sessions: SessionDirectory): Promise<ReadonlySet<string>> {
	const busy = new Set((await sessions.opened()).filter(isAtWork).map(({ state }) => state.agent));
	for (const { agentId, sessionId, waits } of await sessions.list()) {
		if (busy.has(agentId)) continue;
		if (waits || (await sessions.services.store.isHeldElsewhere(sessionId).catch(() => false))) busy.add(agentId);
	}
	return busy;
}

async function findNamed(
	sessions: SessionDirectory,
	ofAgent: readonly SessionSummary[],
	{ agentId, strategy: id, callers }: TargetRequest,
): Promise<Target & { release(): void }> {
	const own = id === callers.at(-1) ? "is your own, and would wait for itself" : "waits for the answer to a call that led here";
	if (callers.includes(id)) throw new ToolError(`The session ${id} ${own}. Nothing was sent. Use another session or none.`);
	const summary = ofAgent.find(({ sessionId }) => sessionId === id);
	if (!summary)
		throw new ToolError(
			`The agent ${agentId} has no session ${JSON.stringify(id.slice(0, 128))}. Nothing was sent. Use session "latest-or-create" or "create".`,
		);
	if (!claimsOf(sessions).has(id)) {
		const release = claim(sessions, id);
		try {
			const session = await sessions.get(id).catch(() => undefined);
			if (session && !(await isBusy(session))) return { session, summary, created: false, release };
		} catch (error) {
			release();
			throw error;
		}
		release();
	}
	throw new ToolError(
		`The session ${id} is busy. Nothing was sent. Wait until it has ended, or use session "latest-or-create" or "create".`,
	);
}

function claim(sessions: SessionDirectory, sessionId: string): () => void {
	const claims = claimsOf(sessions);
	claims.add(sessionId);
	return () => void claims.delete(sessionId);
}

function claimsOf(sessions: SessionDirectory): Set<string> {
	const known = claimed.get(sessions) ?? new Set<string>();
	claimed.set(sessions, known);
	return known;
}

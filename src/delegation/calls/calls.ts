// Calls other agents: finds their sessions, limits and follows their turns, and brings their answers back.
import { randomUUID } from "node:crypto";
import type { Caller, CallMode, CallView, CallWait } from "../../core/caller.ts";
import type { EventOf, TranscriptEvent } from "../../core/events.ts";
import { type DelegatedCall, StoppedCall, ToolError } from "../../core/ports/tool.ts";
import { type PromptParts, toSingleLine } from "../../core/prompt.ts";
import { type AgentDefinition, isCallable } from "../../core/role.ts";
import { openDelegations } from "../../core/transcript/delegations.ts";
import type { Session } from "../../session/session.ts";
import { formatSessionTitle } from "../../session/transcript/sessionTitle.ts";
import type { SessionDirectory } from "../../sessions/directory.ts";
import { modelReasonOf } from "../../shared/reasonOf.ts";
import { sanitizeForPrompt } from "../../shared/safeText.ts";
import { WorkTimer } from "../limits.ts";
import { Retry } from "../report.ts";
import { auditAnswer, auditApproval, auditCall, auditDenial, auditRefusal } from "./callAudit.ts";
import { type CallResult, type CallTarget, createResult, createStartedResult, createView } from "./callResult.ts";
import { findBusyAgents, findTarget } from "./findTarget.ts";
import { type FollowedCall, followCall, followEvent, loseCall } from "./followCall.ts";
import { deliverLateAnswer } from "./lateAnswers.ts";
import { type OpenCall, OpenCalls } from "./openCalls.ts";
import { judgeLeftCalls, restoreCall } from "./restoreCall.ts";

export interface AgentCall {
	agentId: string;
	content: string;
	/** `latest`, `create`, `latest-or-create`, or a session's id. */
	session: string;
	mode: CallMode;
	/** Seconds of work, of waiting for the user, and of waiting for a place, before a synchronous call returns without an answer. */
	timeout: number;
}

/** The calling turn, as it takes part in its call. */
export interface CallingTurn {
	caller: Caller;
	signal: AbortSignal;
	/** Records the call in the calling session. */
	delegated(to: DelegatedCall): Promise<void>;
}

/** Maximum number of calls of a window whose answer is still to come. */
const MAX_OPEN = 100;

/** Maximum number of agents that a refusal names. */
const NAMED = 50;

export class Calls {
	private readonly sessions: SessionDirectory;
	private readonly open: OpenCalls;
	/** Calls that are looking for their session. */
	private beginning = 0;
	private closing = false;

	constructor(sessions: SessionDirectory) {
		this.sessions = sessions;
		this.open = new OpenCalls((turn) => sessions.policy.limits.isReturning(turn));
		sessions.listen({
			event: (id, event) => this.follow(id, event),
			reloaded: (id) => void this.restore(id),
			deleted: (id) => {
				for (const call of this.open.to(id)) this.lose(call, "deleted");
			},
		});
	}

	/**
	 * Resolves with the answer, with the state after the timeout, or at once if asynchronous. Throws ToolError if the call is refused,
	 * and StoppedCall if the calling turn is stopped.
	 */
	async call(
		request: AgentCall,
		turn: CallingTurn,
	): Promise<{ result: CallResult; followed?: FollowedCall; waits?: CallWait | undefined }> {
		const call = await this.begin(request, turn);
		if (request.mode === "async") return { result: createStartedResult(call.target) };
		const expired = await this.wait(call, request.timeout, turn.signal).catch((error: unknown) => {
			throw turn.signal.aborted ? new StoppedCall(viewOf(call)) : error;
		});
		const { target, followed } = call;
		const durationMs = performance.now() - call.began;
		if (!expired || followed.state === "ended") return { result: createResult(target, followed, { durationMs }), followed };
		call.late = true;
		const waits = this.open.waitOf(call);
		return { result: createResult(target, followed, { durationMs, timeout: request.timeout, waits }), followed, waits };
	}

	/** The agents that a caller may call, and whether one of their sessions is busy. */
	async list({ chain, depth }: Caller, peers: PromptParts["peers"]) {
		const { policy } = this.sessions;
		const busy = await findBusyAgents(this.sessions);
		return {
			agents: peers
				.filter(({ agentId }) => !chain.includes(agentId))
				.map(({ agentId, displayName, description }) => ({
					id: agentId,
					name: displayName,
					...(description !== undefined && { description }),
					busy: busy.has(agentId),
				})),
			mayRun: depth > policy.settings().delegation.maxDepth ? 0 : policy.limits.free,
		};
	}

	/**
	 * Judges the calls that an earlier window left in a session's queue, and follows those of the session whose answers are still to
	 * come, unless another window has the session and does so.
	 */
	async recover(session: Session): Promise<void> {
		if (this.sessions.services.restricted() !== undefined) return;
		await judgeLeftCalls(this.sessions, session);
		if (openDelegations(session.state).length === 0) return;
		if (!(await session.lease.takeFree())) return;
		const open = openDelegations(session.state).map(({ event }) => event);
		await Promise.all(open.filter(isRecorded).map((event) => this.resume(session, event)));
	}

	/** The window closes: messages that nobody would wait for are withdrawn, and no call begins any more. */
	async close(): Promise<void> {
		this.closing = true;
		const waiting = this.open.all().filter(({ late, followed }) => !late && followed.state === "queued");
		await Promise.allSettled(waiting.map(({ session, target }) => session?.cancelMessage(target.responseId)));
	}

	private async begin(request: AgentCall, turn: CallingTurn): Promise<OpenCall> {
		this.beginning += 1;
		try {
			const refused = this.refusal(request, turn.caller);
			if (refused !== undefined) throw new ToolError(refused);
			return await this.beginNow(request, turn);
		} catch (error) {
			if (error instanceof ToolError) await auditRefusal(this.sessions.services, turn.caller, request, error.message);
			throw error;
		} finally {
			this.beginning -= 1;
		}
	}

	private refusal({ agentId, content }: AgentCall, { chain, depth }: Caller): string | undefined {
		const { maxDepth } = this.sessions.policy.settings().delegation;
		const path = [...chain, agentId].join(" → ");
		if (chain.includes(agentId))
			return `An agent can't be called by itself: ${path}. Nothing was sent. Do it yourself, or ask another agent.`;
		if (depth > maxDepth)
			return `Calls may be at most ${maxDepth} deep, and this one would be deeper: ${path}. Nothing was sent. Do it yourself, or say in your answer what is missing.`;
		const visible = this.visibleAgents();
		if (!visible.some((agent) => agent.agentId === agentId)) {
			const known = visible
				.filter((agent) => !chain.includes(agent.agentId))
				.map((agent) => `${agent.agentId} (${toSingleLine(agent.displayName)})`);
			const named = known.slice(0, NAMED).join(", ") || "none";
			return `There is no agent ${JSON.stringify(agentId.slice(0, 128))} that can be called. Nothing was sent. Call one of: ${named}.`;
		}
		if (sanitizeForPrompt(content).trim() === "") return "The message has no visible text. Nothing was sent. Write what you ask.";
		if (this.open.size + this.beginning > MAX_OPEN)
			return `${MAX_OPEN} calls are open in this window already. Nothing was sent. Wait until some have ended.`;
		return this.closing ? "The window is closing. Nothing was sent." : undefined;
	}

	private visibleAgents(): AgentDefinition[] {
		return this.sessions.policy.agents().filter(isCallable);
	}

	private async beginNow(request: AgentCall, { caller: asked, delegated, signal }: CallingTurn): Promise<OpenCall> {
		const { services, policy } = this.sessions;
		const content = sanitizeForPrompt(request.content);
		const { sender: from } = await this.sessions.get(asked.session);
		const callers = [...(await this.sessionsAbove(asked)), asked.session];
		const { release, ...found } = await findTarget(this.sessions, { agentId: request.agentId, strategy: request.session, callers });
		try {
			signal.throwIfAborted();
			const budget = policy.limits.share(asked.turn, asked.budget, policy.settings().delegation.maxTokens);
			const caller = { ...asked, budget };
			const { session, summary, created } = found;
			const target: CallTarget = {
				agentId: request.agentId,
				sessionId: summary.sessionId,
				sessionName: formatSessionTitle({ ...summary, askedBy: { agent: caller.agent, session: caller.session } }),
				created,
				responseId: randomUUID(),
			};
			const { sessionId, agentId, responseId } = target;
			const { mode } = request;
			await auditCall(services, { caller, target }, content);
			await delegated({ session: sessionId, agent: agentId, mode, depth: caller.depth, responseId, budget });
			const call = this.open.add({ caller, target, session, mode, release });
			const sender = {
				by: `agent:${caller.agent}` as const,
				session: caller.session,
				caller,
				...(from?.unattended && { unattended: true as const }),
			};
			// Awaited, so that a stop finds the message in the queue.
			call.sent = session.enqueue({ id: responseId, text: content }, sender).catch((error: unknown) => {
				call.followed.error = modelReasonOf(error, services.log);
				this.lose(call, "refused");
			});
			await call.sent;
			return call;
		} catch (error) {
			release();
			throw error;
		}
	}

	/** Sessions that wait for the calling one, from its caller up. */
	private async sessionsAbove({ session }: Caller): Promise<string[]> {
		const { sender } = await this.sessions.get(session);
		return sender?.caller ? [...(await this.sessionsAbove(sender.caller)), sender.caller.session] : [];
	}

	/** Resolves to true if it timed out. Rejects if the calling turn is stopped, which stops the call as well. */
	private async wait(call: OpenCall, seconds: number, signal: AbortSignal): Promise<boolean> {
		const { limits } = this.sessions.policy;
		const stopped = new AbortController();
		const aborted = new Promise<boolean>((_, reject) => {
			signal.addEventListener("abort", () => reject(signal.reason), { once: true, signal: stopped.signal });
			if (signal.aborted) reject(signal.reason);
		});
		let expire: () => void = () => undefined;
		const expired = new Promise<boolean>((resolve) => {
			expire = () => resolve(true);
		});
		const timer = new WorkTimer(seconds, expire);
		call.changed = () => timer.count(TIMED[this.open.activityOf(call)]);
		call.changed();
		const { turn } = call.caller;
		limits.pause(turn);
		try {
			return await Promise.race([call.ended.then(() => false), expired, aborted]);
		} catch (error) {
			await this.stop(call);
			throw error;
		} finally {
			stopped.abort();
			timer.stop();
			call.changed = () => undefined;
			limits.resume(turn);
			await limits.ready(turn, signal);
		}
	}

	/** Stops a call for the user; the turn that made it goes on. Resolves when what it began has ended. */
	async stopCall(sessionId: string, call: string): Promise<void> {
		const open = this.find(sessionId, call);
		if (open) await this.stop(open);
	}

	/** A call of `from` as this window follows it, or else as the loaded events of the called session tell. */
	followed(from: Session, event: EventOf<"delegated">, { state }: Session): FollowedCall {
		const { call, responseId = "" } = event;
		const open = this.find(from.sessionId, call);
		if (open?.session) return open.followed;
		const { agent } = from.state;
		return followCall({ session: from.sessionId, call, agent, chain: chainOf(event, agent) }, responseId, state.events);
	}

	private find(sessionId: string, call: string): OpenCall | undefined {
		return this.open.all().find(({ caller }) => caller.session === sessionId && caller.call === call);
	}

	/** A session is about to lose its history: calls to it end, whatever its turn does. */
	lost(sessionId: string, loss: "cleared" | "deleted"): void {
		for (const call of this.open.to(sessionId)) this.lose(call, loss);
	}

	/** Stops what the call began in its session: its waiting message, or its turn. What it asked there stays for the user. */
	private async stop(call: OpenCall): Promise<void> {
		const { session, target, caller } = call;
		await call.sent;
		await session?.cancelMessage(target.responseId);
		const running = session?.sender?.caller;
		if (running?.session === caller.session && running.call === caller.call) await session?.cancel();
		this.lose(call, call.followed.state === "waiting" ? "superseded" : "takenBack");
	}

	private follow(sessionId: string, event: TranscriptEvent): void {
		if (event.type === "result" && event.view?.kind === "denied") void this.auditDenial(sessionId, event);
		for (const call of this.open.to(sessionId)) {
			const { followed } = call;
			const before = followed.state;
			const approval = event.type === "answered" ? followed.approvals.get(event.request) : undefined;
			followEvent(followed, event);
			if (event.type === "answered" && approval && !followed.approvals.has(event.request))
				auditApproval(this.sessions.services, call, event, approval.text);
			if (followed.state === "ended") this.end(call);
			else if (followed.state !== before) this.changed();
		}
	}

	private async auditDenial(sessionId: string, event: EventOf<"result">): Promise<void> {
		const session = (await this.sessions.opened()).find((one) => one.sessionId === sessionId);
		if (session) await auditDenial(session, event);
	}

	/** Tells all open calls that what time counts as has changed for a call, or for those above, which wait where it does. */
	changed(): void {
		for (const call of this.open.all()) call.changed();
	}

	/** A session was read again: another window wrote to it, or it was cleared. A turn that runs here has been followed all along. */
	private async restore(sessionId: string): Promise<void> {
		const calls = this.open.to(sessionId);
		if (calls.length === 0) return;
		const session = await this.sessions.get(sessionId);
		if (session.isRunning) {
			const summary = session.state.events.find(({ type }) => type === "compacted");
			return summary && this.follow(sessionId, summary);
		}
		for (const call of calls) await this.restoreFrom(call, session, call.session ? "cleared" : "refused");
	}

	/** `unknown`: why the call is lost if the session does not know it. */
	private async restoreFrom(call: OpenCall, session: Session, unknown: "cleared" | "refused"): Promise<void> {
		const followed = await restoreCall(call, session);
		if (call.followed.state === "ended") return;
		if (!followed) return this.lose(call, unknown);
		call.session = session;
		call.followed = followed;
		if (followed.state === "ended") this.end(call);
		else this.changed();
	}

	private lose(call: OpenCall, loss: NonNullable<FollowedCall["loss"]>): void {
		loseCall(call.followed, loss);
		this.end(call);
	}

	private end(call: OpenCall): void {
		if (!this.open.remove(call)) return;
		call.release();
		call.settle();
		this.changed();
		auditAnswer(this.sessions.services, call);
		if (call.late) void this.bringAnswer(call);
	}

	/** Never rejects: what is refused is tried again until the window closes; then the next window brings it. */
	private async bringAnswer(call: OpenCall, retry = new Retry()): Promise<void> {
		if (this.closing) return;
		try {
			await deliverLateAnswer(this.sessions, call);
		} catch (error) {
			this.sessions.services.log(`an answer did not reach the session ${call.caller.session} yet: ${String(error)}`);
			retry.later(() => void this.bringAnswer(call, retry));
		}
	}

	private async resume(session: Session, event: RecordedCall): Promise<void> {
		const { call: id, turn = "", ceiling = [], depth = 1, mode = "async", responseId } = event;
		const { sessionId } = session;
		if (this.open.to(event.session).some(({ caller }) => caller.session === sessionId && caller.call === id)) return;
		const { agent } = session.state;
		const chain = chainOf(event, agent);
		const above = event.caller && { above: [...(event.caller.above ?? []), event.caller.session] };
		const caller: Caller = { session: sessionId, turn, call: id, agent, role: session.state.role, ceiling, depth, chain, ...above };
		const target = { agentId: event.agent, sessionId: event.session, sessionName: event.session, created: false, responseId };
		const call = this.open.add({ caller, target, mode, release: () => undefined, late: true });
		try {
			if (!(await this.sessions.list()).some((known) => known.sessionId === event.session)) return this.lose(call, "deleted");
			const called = await this.sessions.get(event.session);
			// Another window may have begun its turn since this one has read it, and may die before that ends.
			await called.lease.catchUp();
			// If the session does not know it, the window closed between the record of the call and its message.
			await this.restoreFrom(call, called, "refused");
			if (call.followed.state !== "ended") called.lease.awaitOwner();
		} catch (error) {
			this.sessions.services.log(`a call was not resumed: ${String(error)}`);
			this.open.remove(call);
		}
	}
}

function viewOf({ target, followed, began }: OpenCall): CallView {
	return createView(createResult(target, followed, { durationMs: performance.now() - began }), followed);
}

/** Ids of the agents from the first caller to `agent`, which made the call. */
function chainOf({ caller }: EventOf<"delegated">, agent: string): string[] {
	return [...(caller?.chain ?? []), agent];
}

type RecordedCall = EventOf<"delegated"> & Required<Pick<EventOf<"delegated">, "session" | "agent" | "responseId">>;

function isRecorded(event: EventOf<"delegated">): event is RecordedCall {
	return event.session !== undefined && event.responseId !== undefined && event.agent !== undefined;
}

/** Kind of time that counts, by the state of a call. */
const TIMED = { queued: "place", running: "work", waiting: "user", ended: undefined } as const;

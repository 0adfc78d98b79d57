// Types of the extension's exported API, for other extensions. It may grow; existing members keep their meaning.
import type { Outcome, SessionSummary, TranscriptEvent } from "./core/events.ts";

export interface TroupeApi {
	readonly apiVersion: 1;
	agents(): Promise<AgentSummary[]>;
	sessions(): Promise<SessionSummary[]>;
	/**
	 * With the id of an existing session of that agent, or without `agentId`, resolves with that session unchanged: `name` and `role`
	 * apply to a new one only. Rejects with code "exists" if it belongs to another agent or is a task.
	 */
	createSession(options: { agentId?: string; sessionId?: string; name?: string; role?: string }): Promise<SessionSummary>;
	/** During a turn, the message is queued; resolves with the turn that handles it. `context` is sent to the model only, before the text. */
	send(sessionId: string, text: string, options?: { context?: string }): Promise<TurnResult>;
	/** If the files have changed since the plan was made, resolves as `waiting` with a question. */
	executePlan(sessionId: string): Promise<TurnResult>;
	/** Switching to a narrower role while a turn or a plan runs or waits rejects with code "running", unless `stop` is set to stop them. */
	setRole(sessionId: string, role: string, options?: { stop?: boolean }): Promise<void>;
	/**
	 * Rejects if the request has expired or was made less than 500 ms ago. `always: true` means scope `always`; a scope that the
	 * request does not offer is treated as `once`.
	 */
	answer(
		sessionId: string,
		requestId: string,
		answer: { allow: boolean; scope?: "once" | "session" | "always"; always?: boolean; reason?: string } | { value: string },
	): Promise<void>;
	pending(sessionId: string): Promise<PendingRequest[]>;
	cancel(sessionId: string): Promise<void>;
	/** The tools that the gate offers now. */
	tools(sessionId: string): Promise<{ name: string; plugin: string }[]>;
	transcript(sessionId: string): Promise<TranscriptEvent[]>;
	onEvent(listener: (event: { sessionId: string; event: TranscriptEvent }) => unknown): { dispose(): void };
}

export interface AgentSummary {
	agentId: string;
	displayName: string;
	description?: string;
}

export interface TurnResult {
	outcome: Outcome;
	text: string;
	toolCalls: { id: string; name: string; status: string }[];
}

export interface PendingRequest {
	requestId: string;
	kind: "approval" | "question" | "plan";
	summary: string;
}

// The types of what the extension exports; other extensions write against them. It grows, nothing in it changes meaning.
import type { Outcome, SessionSummary, TranscriptEvent } from "./core/events.ts";

export interface TroupeApi {
	readonly apiVersion: 1;
	agents(): Promise<AgentSummary[]>;
	sessions(): Promise<SessionSummary[]>;
	createSession(options: { agentId?: string; sessionId?: string; name?: string; role?: string }): Promise<SessionSummary>;
	/** During a turn the message is queued; resolves with the turn that took it. `context` is for the model alone, before the text. */
	send(sessionId: string, text: string, options?: { context?: string }): Promise<TurnResult>;
	/** A plan that has drifted resolves `waiting` with a question. */
	executePlan(sessionId: string): Promise<TurnResult>;
	/** Narrowing while a turn or a plan runs or waits rejects with the code "running", unless `stop` lets it stop them. */
	setRole(sessionId: string, role: string, options?: { stop?: boolean }): Promise<void>;
	/**
	 * Rejects when the request has expired or was asked less than 500 ms ago. `always: true` is scope always; a scope that the
	 * request does not offer counts as once.
	 */
	answer(
		sessionId: string,
		requestId: string,
		answer: { allow: boolean; scope?: "once" | "session" | "always"; always?: boolean; reason?: string } | { value: string },
	): Promise<void>;
	pending(sessionId: string): Promise<PendingRequest[]>;
	cancel(sessionId: string): Promise<void>;
	/** What the gate offers right now. */
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

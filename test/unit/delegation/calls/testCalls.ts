// Test fixture: agents whose models answer from scripts, and one session that calls the others.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EventOf, TranscriptEvent } from "../../../../src/core/events.ts";
import type { ModelRequest } from "../../../../src/core/ports/model.ts";
import type { AgentDefinition } from "../../../../src/core/role.ts";
import type { Session } from "../../../../src/session/session.ts";
import type { ScriptedAnswer } from "../../../fakes/scriptedModel.ts";
import { type ScriptedModel, scriptedModel } from "../../../fakes/scriptedModel.ts";
import { openTestApp, type TestApp, type TestAppOptions } from "../../../fakes/testApp.ts";

/** The answers of one agent, in order; the last one is repeated. */
export type AgentScript = readonly ScriptedAnswer[] | ((request: ModelRequest, call: number) => ScriptedAnswer | Promise<ScriptedAnswer>);

export interface TestCalls {
	app: TestApp;
	model: ScriptedModel;
	/** The calling session, of the agent `a`. */
	caller: Session;
	/** The clock of the app runs this many milliseconds ahead. */
	clock: { ahead: number };
	/** The only session of that agent. */
	sessionOf(agentId: string): Promise<Session>;
	/** The session of that agent in which a turn begins or began first. */
	sessionOfCalled(agentId: string): Promise<Session>;
	/** Resolves with the first event of that type of that session that is or was emitted and fits. */
	event<T extends TranscriptEvent["type"]>(
		session: Session | string,
		type: T,
		fits?: (event: EventOf<T>) => boolean,
	): Promise<EventOf<T> & { session: string }>;
	/** Answers the pending approval of a session as a person would. */
	answer(session: Session, answer: { allow: boolean; scope?: "once" | "session" | "always" }): Promise<void>;
}

const open: TestApp[] = [];
const homes: string[] = [];

/** A folder that several windows open, one after the other or at the same time. */
export function newHome(): string {
	const home = mkdtempSync(join(tmpdir(), "troupe-delegation-"));
	homes.push(home);
	return home;
}

export const LIMITS = { maxDepth: 1, timeout: 300, maxConcurrent: 4, maxTokens: 1_000_000 };

export const agent = (agentId: string, more: Partial<AgentDefinition> = {}): AgentDefinition => ({
	agentId,
	displayName: agentId.toUpperCase(),
	systemPrompt: `You are the agent <${agentId}>.`,
	...more,
});

export async function openTestCalls(
	scripts: Record<string, AgentScript>,
	options: Omit<TestAppOptions, "model" | "now"> & { role?: string } = {},
): Promise<TestCalls> {
	const asked = new Map<string, number>();
	const model = scriptedModel((request) => {
		// A summary of the conversation, unless a script writes it.
		const summarizes = request.tools.length === 0;
		if (summarizes && !scripts["summary"]) return { text: "## Goal\nDo what was asked." };
		const id = summarizes ? "summary" : (/You are the agent <(\w+)>/.exec(request.system)?.[1] ?? "");
		const script = scripts[id];
		assert.ok(script, `nobody scripted the agent ${id}`);
		const call = asked.get(id) ?? 0;
		asked.set(id, call + 1);
		return typeof script === "function" ? script(request, call) : (script[Math.min(call, script.length - 1)] ?? { text: "Done." });
	});
	const clock = { ahead: 0 };
	const agents = options.agents ?? Object.keys(scripts).map((id) => agent(id));
	const app = await openTestApp({ ...options, agents, model, now: () => new Date(Date.now() + clock.ahead) });
	open.push(app);
	const { sessions } = app;
	const known = (await sessions.list()).find(({ agentId }) => agentId === "a");
	const { sessionId } = known ?? (await sessions.create({ agentId: "a", role: options.role ?? "planner" }));
	const caller = await sessions.get(sessionId);
	const event: TestCalls["event"] = async (session, type, fits = () => true) => {
		const isWanted = (id: string, candidate: TranscriptEvent, agentId: string | undefined) =>
			candidate.type === type && (typeof session === "string" ? agentId === session : id === session.sessionId) && fits(candidate as never);
		for (const one of await sessions.opened()) {
			const past = one.state.events.find((candidate) => isWanted(one.sessionId, candidate, one.state.agent));
			if (past) return { ...past, session: one.sessionId } as never;
		}
		return new Promise((resolve) => {
			const listening = sessions.listen({
				event(id, candidate) {
					void sessions.get(id).then(({ state }) => {
						if (!isWanted(id, candidate, state.agent)) return;
						listening.dispose();
						resolve({ ...candidate, session: id } as never);
					});
				},
			});
		});
	};
	return {
		app,
		model,
		caller,
		clock,
		async sessionOf(agentId) {
			const of = (await sessions.list()).filter((session) => session.agentId === agentId);
			assert.equal(of.length, 1, `sessions of ${agentId}`);
			return sessions.get(of[0]?.sessionId ?? "");
		},
		event,
		sessionOfCalled: async (agentId) => sessions.get((await event(agentId, "started")).session),
		async answer(session, answer) {
			const asked = await event(session, "asked", ({ request }) => session.state.requests.get(request)?.state === "pending");
			clock.ahead += 1_000;
			await session.answer(asked.request, answer, "person", asked.hash);
		},
	};
}

export async function closeTestCalls(): Promise<void> {
	for (const app of open.splice(0)) await app.close();
	for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
}

/** The names of the tools that an agent's model was offered, by request. */
export const offered = ({ model }: TestCalls, agentId: string): string[][] =>
	model.requests.filter(({ system }) => system.includes(`the agent <${agentId}>`)).map(({ tools }) => tools.map(({ name }) => name));

/** The answers of a session's calls as text, refusals included. */
export const outputsOf = ({ state }: Session): string[] => [...state.calls.values()].map(({ result }) => result?.output ?? "");

/** A model's answer that calls another agent. */
export const calling = (agentId: string, content = "Do it", more: object = {}): ScriptedAnswer => ({
	calls: [{ name: "agents_message", input: { agentId, content, ...more } }],
});

/** What the calls of a session returned, parsed; refusals as `{ status, output }`. */
export function answersOf({ state }: Session): Record<string, unknown>[] {
	return [...state.calls.values()]
		.filter(({ call }) => call.name === "agents_message")
		.map(({ result }) => {
			assert.ok(result, "a call has no result");
			const text = result.output;
			return text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : { status: result.status, output: text };
		});
}

// Test fixture: the app with a scripted model, one session, and helpers for its events.
import assert from "node:assert/strict";
import type { ApprovalScope, EventOf, SessionSummary, TranscriptEvent } from "../../../src/core/events.ts";
import type { Session } from "../../../src/session/session.ts";
import { type Script, type ScriptedModel, scriptedModel } from "../../fakes/scriptedModel.ts";
import { openTestApp, type TestApp, type TestAppOptions } from "../../fakes/testApp.ts";

export interface TestSession {
	app: TestApp;
	model: ScriptedModel;
	summary: SessionSummary;
	session: Session;
	/** The clock of the app runs this many milliseconds ahead. */
	clock: { ahead: number };
	/** Resolves with the first event of that type that is or was emitted and fits. */
	event<T extends TranscriptEvent["type"]>(type: T, fits?: (event: EventOf<T>) => boolean): Promise<EventOf<T>>;
	/** Resolves with the next event of that type. */
	next<T extends TranscriptEvent["type"]>(type: T): Promise<EventOf<T>>;
	/** Answers an approval as a person would, once it may be answered. */
	answer(answer: { allow: boolean; scope?: ApprovalScope; always?: boolean; reason?: string }): Promise<void>;
	types(): string[];
}

const open: TestApp[] = [];

export async function openTestSession(
	script: Script,
	options: Omit<TestAppOptions, "model" | "now"> & { role?: string } = {},
): Promise<TestSession> {
	const model = scriptedModel(script);
	const clock = { ahead: 0 };
	const app = await openTestApp({ ...options, model, now: () => new Date(Date.now() + clock.ahead) });
	open.push(app);
	const { sessions } = app;
	const known = await sessions.list();
	const summary = known[0] ?? (await sessions.create({ role: options.role ?? "planner" }));
	const session = await sessions.get(summary.sessionId);
	const event: TestSession["event"] = (type, fits = () => true) => {
		const matches = (candidate: TranscriptEvent) => candidate.type === type && fits(candidate as never);
		const past = session.state.events.find(matches);
		return past ? Promise.resolve(past as never) : coming(matches);
	};
	const coming = <T extends TranscriptEvent["type"]>(matches: (candidate: TranscriptEvent) => boolean): Promise<EventOf<T>> =>
		new Promise((resolve) => {
			const listening = sessions.listen({
				event(_, candidate) {
					if (!matches(candidate)) return;
					listening.dispose();
					resolve(candidate as never);
				},
			});
		});
	return {
		app,
		model,
		summary,
		session,
		clock,
		event,
		next: (type) => coming((candidate) => candidate.type === type),
		async answer(answer) {
			const asked = await event("asked", ({ request }) => session.state.requests.get(request)?.state === "pending");
			clock.ahead += 1_000;
			await session.answer(asked.request, answer, "person", asked.hash);
		},
		types: () => session.state.events.map((candidate) => candidate.type),
	};
}

export async function closeTestSessions(): Promise<void> {
	for (const app of open.splice(0)) await app.close();
}

/** The results of a session by the tool that gave them. */
export function results({ state }: Session): { tool: string; status: string; output: string }[] {
	return [...state.calls.values()].map(({ call, result }) => {
		assert.ok(result, `${call.name} has no result`);
		return { tool: call.name, status: result.status, output: result.output };
	});
}

export const PLAN = {
	goal: "Say hello louder",
	steps: [{ step_number: 1, action: "Change the greeting", files: ["src/hello.ts"], tools_needed: ["update_file"] }],
};

export const FILES = { "src/hello.ts": 'export const greeting = "hello";\n', "README.md": "# Hello\n" };

export const EDIT = { name: "update_file", input: { path: "src/hello.ts", old: '"hello"', new: '"HELLO"' } };

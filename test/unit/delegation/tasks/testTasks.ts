// Test fixture: an agent whose model starts background tasks, and tasks whose models answer from scripts.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EventOf, SessionSummary, TranscriptEvent } from "../../../../src/core/events.ts";
import type { ModelRequest } from "../../../../src/core/ports/model.ts";
import type { AgentDefinition } from "../../../../src/core/role.ts";
import type { TaskState, TaskType, TaskTypes } from "../../../../src/core/task.ts";
import type { Session } from "../../../../src/session/session.ts";
import { type ScriptedAnswer, type ScriptedModel, scriptedModel } from "../../../fakes/scriptedModel.ts";
import { openTestApp, type TestApp, type TestAppOptions } from "../../../fakes/testApp.ts";

/** Answers in order; the last one is repeated. */
export type Script = readonly ScriptedAnswer[] | ((request: ModelRequest, call: number) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** Scripts of the calling agent, and of tasks by a word in their input. */
export type Scripts = { caller: Script } & Record<string, Script>;

export interface TestTasks {
	app: TestApp;
	model: ScriptedModel;
	caller: Session;
	clock: { ahead: number };
	/** All tasks, the first one first. */
	tasks(): Promise<SessionSummary[]>;
	/** Resolves once the only task, or the one of that name, has that state on disk. */
	state(state: TaskState, name?: string): Promise<SessionSummary>;
	/** Resolves with the first event of that type of that session that was or is emitted and fits. */
	event<T extends TranscriptEvent["type"]>(sessionId: string, type: T, fits?: (event: EventOf<T>) => boolean): Promise<EventOf<T>>;
	/** Answers the pending approval of a session as a person would. */
	answer(session: Session, answer: { allow: boolean }): Promise<void>;
}

const open: TestApp[] = [];
const homes: string[] = [];

/** A folder that several windows open, one after the other. */
export function newHome(): string {
	const home = mkdtempSync(join(tmpdir(), "troupe-tasks-"));
	homes.push(home);
	return home;
}

export async function closeTestTasks(): Promise<void> {
	for (const app of open.splice(0)) await app.close();
	for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
}

/** Closes the window as the editor does. */
export async function closeWindow({ app }: TestTasks): Promise<void> {
	open.splice(open.indexOf(app), 1);
	await app.close();
}

export const caller: AgentDefinition = {
	agentId: "caller",
	displayName: "Caller",
	systemPrompt: "You are the agent <caller>.",
	optIn: ["tasks"],
};

export const spawning = (input: string, more: object = {}): ScriptedAnswer => ({
	calls: [{ name: "spawn_subagent", input: { description: input, input, ...more } }],
});

/** What a tool of the session returned, parsed; refusals as text. */
export function outputsOf({ state }: Session, tool: string): unknown[] {
	return [...state.calls.values()]
		.filter(({ call }) => call.name === tool)
		.map(({ result }) => {
			assert.ok(result, "a call has no result");
			return result.output.startsWith("{") ? JSON.parse(result.output) : result.output;
		});
}

export async function openTestTasks(
	scripts: Scripts,
	options: Omit<TestAppOptions, "model" | "now"> & { role?: string } = {},
): Promise<TestTasks> {
	const asked = new Map<string, number>();
	const answerOf = (id: string, request: ModelRequest): ScriptedAnswer | Promise<ScriptedAnswer> => {
		const script = scripts[id];
		assert.ok(script, `nobody scripted ${id}`);
		const call = asked.get(id) ?? 0;
		asked.set(id, call + 1);
		return typeof script === "function" ? script(request, call) : (script[Math.min(call, script.length - 1)] ?? { text: "Done." });
	};
	const model = scriptedModel((request) => {
		if (request.tools.length === 0) return { text: "## Goal\nDo what was asked." };
		if (request.system.includes("<caller>")) return answerOf("caller", request);
		const said = JSON.stringify(request.events.find(({ type }) => type === "user"));
		const id = Object.keys(scripts).find((name) => name !== "caller" && said.includes(name)) ?? "nobody";
		return answerOf(id, request);
	});
	const clock = { ahead: 0 };
	const tasksSetting = { maxConcurrent: 3, maxSteps: 60, maxTokens: 400_000, maxMinutes: 60, isolation: "never" as const, copyIgnored: [] };
	const settings = { tasks: tasksSetting, ...options.settings };
	const app = await openTestApp({ agents: [caller], ...options, settings, model, now: () => new Date(Date.now() + clock.ahead) });
	open.push(app);
	assert.ok(app.services.taskTypes);
	app.services.taskTypes = withQuick(app.services.taskTypes);
	const { sessions, store } = app;
	const known = (await sessions.list()).find(({ agentId }) => agentId === "caller");
	const { sessionId } = known ?? (await sessions.create({ agentId: "caller", role: options.role ?? "actor" }));
	const event: TestTasks["event"] = async (id, type, fits = () => true) => {
		const isWanted = (candidate: TranscriptEvent) => candidate.type === type && fits(candidate as never);
		const past = (await sessions.get(id)).state.events.find(isWanted);
		if (past) return past as never;
		return new Promise((resolve) => {
			const listening = sessions.listen({
				event(from, candidate) {
					if (from !== id || !isWanted(candidate)) return;
					listening.dispose();
					resolve(candidate as never);
				},
			});
		});
	};
	const tasks = async () => (await store.list("task")).sort((left, right) => left.createdAt.localeCompare(right.createdAt));
	return {
		app,
		model,
		caller: await sessions.get(sessionId),
		clock,
		event,
		tasks,
		async state(state, name) {
			const find = async () => (await tasks()).find((task) => task.task?.state === state && (name === undefined || task.name === name));
			const now = await find();
			if (now) return now;
			return new Promise((resolve) => {
				const listening = sessions.listen({
					changed() {
						void find().then((found) => {
							if (!found) return;
							listening.dispose();
							resolve(found);
						});
					},
				});
			});
		},
		async answer(session, answer) {
			const request = await event(session.sessionId, "asked", (one) => session.state.requests.get(one.request)?.state === "pending");
			clock.ahead += 1_000;
			await session.answer(request.request, answer, "person", request.hash);
		},
	};
}

/** The id of the first task that a session's model was told. */
export function taskIdIn(request: ModelRequest): string {
	const [, id] = /\{\\"taskId\\":\\"([0-9a-f-]{36})/.exec(JSON.stringify(request.events)) ?? [];
	assert.ok(id, "the model knows no task");
	return id;
}

/** A type whose tasks end with their first answer. */
const QUICK: TaskType = {
	name: "quick",
	description: "Does it unchecked.",
	source: "person",
	role: "actor",
	prompt: "You do a quick task.",
};

function withQuick(types: TaskTypes): TaskTypes {
	return { ...types, find: (name) => (name === "quick" ? QUICK : types.find(name)) };
}

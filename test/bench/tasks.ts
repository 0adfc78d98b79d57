// Times eight background tasks at once beside one turn, and weighs what finished tasks leave in memory.

// "Work n" is twenty tool calls, one per answer; "Say n" is one sentence.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { PERMISSIONS } from "../../src/core/role.ts";
import { isTaskOver } from "../../src/core/task.ts";
import type { AskedRequest, ScriptedAnswer } from "../fakes/modelServer/script.ts";
import type { TestApp } from "../fakes/testApp.ts";
import { CALLS, callsOf, timeTurn, withTestApp } from "./workload.ts";

const TASKS = 8;
const FINISHED = 100;

function answer({ messages }: AskedRequest): ScriptedAnswer {
	const from = messages.findLastIndex(({ role, text }) => role === "user" && /Work \d+/.test(text));
	const work = /Work (\d+)/.exec(messages[from]?.text ?? "")?.[1];
	if (work === undefined) return { text: "Hello." };
	const next = callsOf(Number(work))[messages.slice(from + 1).filter(({ role }) => role === "tool").length];
	return next ? { calls: [{ ...next, id: `work_${work}_${messages.length}` }] } : { text: "Done." };
}

export interface TaskTimes {
	/** Milliseconds per tool call: of one turn, and of eight tasks at once. */
	one: number;
	eight: number;
	/** 99th percentile of the event loop's delay during the eight, in milliseconds. */
	loop: number;
	/** Bytes of the heap that 100 finished tasks leave. */
	left: number;
}

export async function measureTaskTimes(sample: string): Promise<TaskTimes> {
	const limits = {
		maxConcurrent: TASKS,
		maxSteps: 60,
		maxTokens: 10_000_000,
		maxMinutes: 60,
		isolation: "never" as const,
		copyIgnored: [],
	};
	return withTestApp(sample, answer, { settings: { tasks: limits } }, async (app) => {
		await timeTurn(app, "Say 0");
		await tasks(app, 1, "Say");
		const one = (await timeTurn(app, "Work 9")) / CALLS;
		const delay = monitorEventLoopDelay({ resolution: 5 });
		delay.enable();
		const eight = (await tasks(app, TASKS, "Work")) / (TASKS * CALLS);
		delay.disable();
		const before = heap();
		await tasks(app, FINISHED, "Say");
		return { one, eight, loop: delay.percentile(99) / 1e6, left: Math.max(0, heap() - before) };
	});
}

/** Milliseconds until all of them are over. */
async function tasks({ sessions, delegation, services, store }: TestApp, count: number, what: string): Promise<number> {
	const { sessionId } = await sessions.create({ role: "actor" });
	const type = services.taskTypes?.find("general");
	if (!type) throw new Error("There is no general task.");
	const open = new Set<string>();
	const over = new Promise<void>((resolve, reject) => {
		const listening = sessions.listen({
			changed(id) {
				if (id === undefined || !open.has(id)) return;
				void store.find(id).then((found) => {
					const state = found?.task?.state;
					if (state === "failed") reject(new Error("a task failed"));
					if (state === undefined || !isTaskOver(state)) return;
					open.delete(id);
					if (open.size > 0) return;
					listening.dispose();
					resolve();
				});
			},
		});
	});
	const base = { session: sessionId, turn: "turn", agent: "default", role: "actor", ceiling: PERMISSIONS, depth: 1, chain: ["default"] };
	const began = performance.now();
	const started = Array.from({ length: count }, async (_, index) => {
		const request = { description: `${what} ${index}`, input: `${what} ${index}`, type, isolation: "never" as const };
		const starter = { caller: { ...base, call: `call-${index}` }, delegated: async ({ task = "" }) => void open.add(task) };
		await delegation.tasks.spawn(request, starter);
	});
	await Promise.all(started);
	await over;
	return performance.now() - began;
}

function heap(): number {
	setFlagsFromString("--expose-gc");
	const collect = runInNewContext("gc") as () => void;
	collect();
	return process.memoryUsage().heapUsed;
}

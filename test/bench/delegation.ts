// Times called turns beside turns begun by hand, and four called agents at once beside one.

// "Call 4 work" makes an agent call four others, each of which gets "Work n": twenty tool calls, one per answer.

import { monitorEventLoopDelay } from "node:perf_hooks";
import type { AgentDefinition } from "../../src/core/role.ts";
import type { AskedRequest, ScriptedAnswer } from "../fakes/modelServer/script.ts";
import type { TestApp } from "../fakes/testApp.ts";
import { CALLS, callsOf, checkEnd, timeTurn, withTestApp } from "./workload.ts";

const agent = (agentId: string): AgentDefinition => ({ agentId, displayName: agentId, systemPrompt: `You are ${agentId}.` });

function answer({ messages }: AskedRequest): ScriptedAnswer {
	const from = messages.findLastIndex(({ role, text }) => role === "user" && /(Call|Work) \d+/.test(text));
	const text = messages[from]?.text ?? "";
	const done = messages.slice(from + 1).filter(({ role }) => role === "tool").length;
	const [, count, what] = /Call (\d+) (\w+)/.exec(text) ?? [];
	if (count !== undefined) {
		if (done > 0) return { text: "All have answered." };
		const called = Array.from({ length: Number(count) }, (_, index) => ({
			name: "agents_message",
			id: `call_${from}_${index}`,
			input: {
				agentId: "worker",
				content: what === "work" ? `Work ${from}${index}` : "Say hello",
				session: what === "work" ? "create" : "latest",
			},
		}));
		return { calls: called };
	}
	const work = /Work (\d+)/.exec(text)?.[1];
	if (work === undefined) return { text: "Hello." };
	const next = callsOf(Number(work))[done];
	return next ? { calls: [{ ...next, id: `work_${work}_${done}` }] } : { text: "Done." };
}

export interface DelegationTimes {
	/** Milliseconds of a turn that says one sentence, begun by hand and called. */
	byHand: number[];
	called: number[];
	/** Milliseconds per tool call: of one turn by hand, and of four called turns at once. */
	one: number;
	four: number;
	/** 99th percentile of the event loop's delay during the four, in milliseconds. */
	loop: number;
}

export async function measureCalls(sample: string, rounds: number): Promise<DelegationTimes> {
	return withTestApp(sample, answer, { agents: [agent("default"), agent("worker")] }, async (app) => {
		await timeTurn(app, "Say hello", "worker");
		await called(app, "Call 1 hello");
		const times: DelegationTimes = { byHand: [], called: [], one: 0, four: 0, loop: 0 };
		for (let round = 0; round < rounds; round += 1) {
			times.byHand.push(await timeTurn(app, "Say hello", "worker"));
			times.called.push(await called(app, "Call 1 hello"));
		}
		times.one = (await timeTurn(app, "Work 9", "worker")) / CALLS;
		const delay = monitorEventLoopDelay({ resolution: 5 });
		delay.enable();
		times.four = (await called(app, "Call 4 work")) / (4 * CALLS);
		delay.disable();
		times.loop = delay.percentile(99) / 1e6;
		return times;
	});
}

/** From the moment the model has asked for the calls to the last result. */
async function called({ sessions }: TestApp, text: string): Promise<number> {
	const { sessionId } = await sessions.create({ agentId: "default", role: "actor" });
	const session = await sessions.get(sessionId);
	let [began, ended] = [0, 0];
	const listening = sessions.listen({
		event(id, event) {
			if (id !== sessionId) return;
			if (event.type === "assistant" && event.calls) began = performance.now();
			if (event.type === "result") {
				ended = performance.now();
				if (event.status !== "ok") throw new Error(`a call returned ${event.status}: ${event.output.slice(0, 200)}`);
			}
		},
	});
	checkEnd(await session.send(text));
	listening.dispose();
	return ended - began;
}

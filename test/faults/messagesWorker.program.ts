// The killed process: agents that call each other over real storage, reporting what they recorded.
import type { AgentDefinition } from "../../src/core/role.ts";
import { openDelegations } from "../../src/core/transcript/delegations.ts";
import { pendingRequests } from "../../src/core/transcript/state.ts";
import type { Session } from "../../src/session/session.ts";
import { type ScriptedAnswer, scriptedModel } from "../fakes/scriptedModel.ts";
import { openTestApp } from "../fakes/testApp.ts";
import { answerAll, answerLeft } from "./lateAnswers.ts";
import { messageTrouble } from "./messageTrouble.ts";
import { openShared } from "./sharedSessions.ts";
import { whenFound } from "./whenFound.ts";
import { acknowledge, chance, fastNow, nameNext, pause, pick, soon, toEnd } from "./workerParts.ts";

const [home, mode] = process.argv.slice(2);
if (!home) throw new Error("The worker needs the home it works in.");
let isEnding = mode === "check";

const agent = (agentId: string): AgentDefinition => ({ agentId, displayName: agentId, systemPrompt: `You are the agent <${agentId}>.` });
const message = (agentId: string, asynchronous: boolean) => ({
	name: "agents_message",
	input: { agentId, content: `Look into it, ${process.pid}`, mode: asynchronous ? "async" : "sync" },
});
const list = { name: "list_directory", input: { path: "." } };
const create = () => ({ name: "create_file", input: { path: `${nameNext("file")}.txt`, content: "x" } });
const ask = { name: "ask_question", input: { question: "Which one?", allow_custom: true } };

/** What `c` does first: with approvals, mostly something for which it asks a person. */
const first = (call: number) => (mode === "approve" ? [create(), ask, create(), list][call % 4] : list) ?? list;

/** `a` calls `b` and `c` in every second answer, `b` calls `c` in every third, `c` reads, or asks. */
const behaviors: Record<string, (call: number) => ScriptedAnswer> = {
	a: (call) => (call % 2 === 0 ? { calls: [message("b", chance(0.3)), message("c", chance(0.7))] } : { text: `Answer ${call}.` }),
	b: (call) =>
		call % 3 === 0 ? { calls: [message("c", call % 2 === 0)] } : { text: `Answer ${call}. ${"More of it. ".repeat(call % 20)}` },
	c: (call) => (call % 2 === 0 ? { calls: [first(call / 2)] } : { text: `Answer ${call}.` }),
};

const calls = new Map<string, number>();
const model = scriptedModel((request) => {
	const id = /You are the agent <(\w)>/.exec(request.system)?.[1] ?? "c";
	const call = calls.get(id) ?? 0;
	calls.set(id, call + 1);
	// The last turns call nobody, so that they end.
	if (isEnding) return { text: "Checked." };
	const answer = behaviors[id]?.(call) ?? { text: "Done." };
	const named = answer.calls && { calls: answer.calls.map((one) => ({ ...one, id: nameNext("call") })) };
	// A person can stop only what takes its time.
	return { ...answer, ...named, ...((mode === "stop" || mode === "share") && { until: soon() }) };
});

const app = await openTestApp({
	home,
	model,
	now: fastNow,
	agents: [agent("a"), agent("b"), agent("c")],
	files: { "README.md": "line\n" },
	settings: {
		approval: mode === "approve" ? "ask" : "auto",
		delegation: { maxDepth: 2, timeout: 300, maxConcurrent: 2, maxTokens: 100_000_000 },
	},
});
const { sessions, store } = app;
sessions.listen({ event: (session, event) => acknowledge({ session, seq: event.seq, id: event.id }) });
await store.recover();
const shared = await openShared(sessions);
acknowledge({ opened: shared[0]?.sessionId });
await answerLeft(sessions, store);
await sessions.recover();

if (mode === "check") {
	for (const session of shared) await session.send("The last message");
	const all = await waitUntilSettled(answered);
	for (const { sessionId, state } of all) acknowledge({ session: sessionId, transcript: state.events.map(({ id }) => id) });
	acknowledge({ trouble: messageTrouble(all, app.folder) });
	await sessions.close();
	await store.close();
	process.exit(0);
}

/** What a person does meanwhile, by mode. */
const persons: Record<string, () => Promise<void>> = { work: talk, approve: approve, stop: stop, share: share };
await persons[mode ?? "work"]?.();

/** Writes on while the turn runs. */
async function talk(session = shared[0]): Promise<void> {
	for (let sent = 0; session && !isEnding; sent += 1) {
		const turn = session.send(`Message ${sent}`);
		// Two more wait for the turn.
		await Promise.all([turn, session.send(`And ${sent}`), session.send(`And then ${sent}`)]);
	}
}

/** Answers about half of what is asked. */
async function approve(): Promise<void> {
	sessions.listen({
		event(id, event) {
			if (event.type !== "asked" && event.type !== "question") return;
			acknowledge({ moment: "asked" });
			const answering = async (): Promise<void> => {
				const session = await sessions.get(id);
				await pause(80);
				if (chance(0.5)) return;
				if (event.type === "asked") await session.answer(event.request, { allow: chance(0.7) }, "person", event.hash);
				else await session.answer(event.request, { value: "The first." }, "person");
			};
			answering().catch(() => undefined);
		},
	});
	await talk();
}

/** Stops callers, called agents, and calls. */
async function stop(): Promise<void> {
	sessions.listen({
		event(id, event) {
			if (event.type !== "delegated") return;
			const stopping = async (): Promise<void> => {
				await pause(80);
				const [from, to] = [await sessions.get(id), event.session === undefined ? undefined : await sessions.get(event.session)];
				const act = pick([() => from.cancel(), () => to?.cancel(), () => app.delegation.calls.stopCall(id, event.call)]);
				acknowledge({ moment: "stopping" });
				await act?.();
			};
			if (chance(0.5)) stopping().catch(() => undefined);
		},
	});
	await talk();
}

/** Two windows, in each of which the person goes on in whichever session is free. */
async function share(): Promise<void> {
	toEnd.then(() => {
		isEnding = true;
	}, console.error);
	while (!isEnding) {
		const session = pick(shared);
		await session?.send("Go on").catch(() => undefined);
		await pause(200);
	}
	for (const session of shared) {
		await session.send("The last message");
		// What a person wrote in the other window waits for the next message.
		if (session.state.queue.size > 0) await session.send("The very last message");
	}
	const all = await waitUntilSettled(async () => {
		await answered();
		return shared;
	});
	acknowledge({ trouble: messageTrouble(all, app.folder) });
	await sessions.close();
	await store.close();
	process.exit(0);
}

/** All sessions; the person answers what they ask. */
async function answered(): Promise<Session[]> {
	const all = await Promise.all((await sessions.list()).map(({ sessionId }) => sessions.get(sessionId)));
	for (const session of all) {
		// A window that goes on has read some before the other one wrote there.
		await session.lease.catchUp();
		answerAll(session);
	}
	return all;
}

/** The sessions, once nothing runs or waits in them. */
async function waitUntilSettled(find: () => Promise<readonly Session[]>): Promise<readonly Session[]> {
	return whenFound(sessions, async () => {
		const all = await find();
		const busy = all.some(({ state, isRunning }) => {
			const isAsking = pendingRequests(state).length > 0 && mode === "check";
			return isRunning || isAsking || state.queue.size > 0 || openDelegations(state).length > 0;
		});
		return busy ? undefined : all;
	});
}

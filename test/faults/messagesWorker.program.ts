// The killed process: agents that call each other over real storage, reporting what they recorded.
import { writeSync } from "node:fs";
import type { AgentDefinition } from "../../src/core/role.ts";
import { openDelegations } from "../../src/core/transcript/delegations.ts";
import { openCalls } from "../../src/core/transcript/state.ts";
import type { Session } from "../../src/session/session.ts";
import { buildHouse } from "../fakes/house.ts";
import { type ScriptedAnswer, scriptedModel } from "../fakes/scriptedModel.ts";
import { whenFound } from "./whenFound.ts";

const [home, mode] = process.argv.slice(2);
if (!home) throw new Error("The worker needs the home it works in.");

/** Written at once, so that a kill cannot take it back. */
function acknowledge(line: object): void {
	writeSync(1, `${JSON.stringify(line)}\n`);
}

const agent = (agentId: string): AgentDefinition => ({ agentId, displayName: agentId, systemPrompt: `You are the agent <${agentId}>.` });
const message = (agentId: string, asynchronous: boolean) => ({
	name: "agents_message",
	input: { agentId, content: `Look into it, ${process.pid}`, mode: asynchronous ? "async" : "sync" },
});

/** `a` calls `b` and `c` in every second answer, `b` calls `c` in every third, `c` reads. */
const behaviors: Record<string, (call: number) => ScriptedAnswer> = {
	a: (call) => (call % 2 === 0 ? { calls: [message("b", false), message("c", true)] } : { text: `Answer ${call}.` }),
	b: (call) =>
		call % 3 === 0 ? { calls: [message("c", call % 2 === 0)] } : { text: `Answer ${call}. ${"More of it. ".repeat(call % 20)}` },
	c: (call) => (call % 2 === 0 ? { calls: [{ name: "list_directory", input: { path: "." } }] } : { text: `Answer ${call}.` }),
};

const calls = new Map<string, number>();
const model = scriptedModel((request) => {
	const id = /You are the agent <(\w)>/.exec(request.system)?.[1] ?? "c";
	const call = calls.get(id) ?? 0;
	calls.set(id, call + 1);
	// The last turns of a check call nobody, so that it ends.
	return mode === "check" ? { text: "Checked." } : (behaviors[id]?.(call) ?? { text: "Done." });
});

const house = await buildHouse({
	home,
	model,
	agents: [agent("a"), agent("b"), agent("c")],
	files: { "README.md": "line\n" },
	settings: { approval: "auto", delegation: { maxDepth: 2, timeout: 300, maxConcurrent: 2, maxTokens: 100_000_000 } },
});
const { sessions, store } = house;
sessions.listen({ event: (session, event) => acknowledge({ session, seq: event.seq, id: event.id }) });
await store.recover();
const own = (await sessions.list()).find(({ attributes }) => attributes?.["first"] === true);
const first = own ?? (await sessions.create({ agentId: "a", role: "actor" }));
await sessions.mark(first.sessionId, "first", true);
const session = await sessions.get(first.sessionId);
acknowledge({ opened: first.sessionId });
await sessions.recover();

if (mode === "check") {
	await session.send("The last message");
	const all = await settled();
	for (const { sessionId, state } of all) acknowledge({ session: sessionId, transcript: state.events.map(({ id }) => id) });
	acknowledge({ trouble: all.flatMap(troubleOf) });
	await sessions.close();
	await store.close();
	process.exit(0);
}
for (let sent = 0; ; sent += 1) {
	const turn = session.send(`Message ${sent}`);
	// Two more wait for the turn, as a person who types on.
	await Promise.all([turn, session.send(`And ${sent}`), session.send(`And then ${sent}`)]);
}

/** All sessions, once nothing runs or waits in them. */
async function settled(): Promise<Session[]> {
	const isDone = async (): Promise<Session[] | undefined> => {
		const all = await Promise.all((await sessions.list()).map(({ sessionId }) => sessions.get(sessionId)));
		const busy = all.some(({ state, isRunning }) => isRunning || state.queue.size > 0 || openDelegations(state).length > 0);
		return busy ? undefined : all;
	};
	return whenFound(sessions, isDone);
}

/** One sentence for each thing that must not be. */
function troubleOf({ sessionId, state }: Session): string[] {
	const { events } = state;
	const waited = events.flatMap((event) => (event.type === "queued" ? [event.message] : []));
	const taken = events.flatMap((event) => (event.type === "user" && event.message ? [event.message] : []));
	const gone = events.flatMap((event) => (event.type === "unqueued" ? [event.message] : []));
	const answers = events.flatMap((event) => (event.type === "queued" && event.about ? [event.about.call] : []));
	const times = (list: readonly string[], value: string) => list.filter((other) => other === value).length;
	return [
		...waited.filter((id) => times(waited, id) > 1).map((id) => `message ${id} was queued twice`),
		...waited.filter((id) => times(taken, id) + times(gone, id) !== 1).map((id) => `message ${id} was taken ${times(taken, id)} times`),
		...answers.filter((call) => times(answers, call) > 1).map((call) => `call ${call} was answered twice`),
		...openCalls(state).map(({ call }) => `call ${call.id} has no result`),
		...openDelegations(state).map(({ event }) => `the answer to call ${event.call} is missing`),
	].map((trouble) => `${sessionId}: ${trouble}`);
}

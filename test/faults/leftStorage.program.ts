// Leaves a storage with calls and tasks under way, for scripts/leftStorage.mjs, which kills it.
import { createInterface } from "node:readline";
import type { ModelRequest } from "../../src/core/ports/model.ts";
import type { AgentDefinition } from "../../src/core/role.ts";
import type { Session } from "../../src/session/session.ts";
import { type ScriptedAnswer, scriptedModel } from "../fakes/scriptedModel.ts";
import { openTestApp } from "../fakes/testApp.ts";
import { whenFound } from "./whenFound.ts";
import { acknowledge } from "./workerParts.ts";

const [home, part] = process.argv.slice(2);
if (!home) throw new Error("The program needs the home it works in.");

const agent = (agentId: string): AgentDefinition => ({
	agentId,
	displayName: agentId,
	systemPrompt: `You are the agent <${agentId}>.`,
	optIn: ["tasks"],
});
let ids = 0;
const call = (name: string, input: object): ScriptedAnswer => {
	ids += 1;
	return { calls: [{ name, input, id: `${part}-${ids}` }] };
};
const never = new Promise<never>(() => undefined);
let releaseAnswers: () => void = () => undefined;
/** Once another window has their callers. */
const answersReleased = new Promise<void>((resolve) => {
	releaseAnswers = resolve;
});

/** What the person says is a line of these: it names what the agent does, and with it what its call or task is about. */
const ACTS: Record<string, (about: string) => ScriptedAnswer> = {
	"Call:": (about) => call("agents_message", { agentId: "b", content: about, mode: "sync", session: "create" }),
	"Send:": (about) => call("agents_message", { agentId: "b", content: about, mode: "async", session: "create" }),
	"Start:": (about) => call("spawn_subagent", { description: about, input: about, type: "explore" }),
	"Work:": () => ({ text: "Never.", until: never }),
};

/** Called agents and tasks, by what they are about. */
const WORK: Record<string, () => ScriptedAnswer> = {
	running: () => ({ text: "Never.", until: never }),
	asking: () => call("need_more_info", { question: "Which one?", options: ["red", "blue"] }),
	letter: () => ({ text: "Found.", until: answersReleased }),
};

const model = scriptedModel((request: ModelRequest): ScriptedAnswer => {
	const last = request.events.findLast(({ type }) => type === "user" || type === "result");
	if (last?.type !== "user") return { text: "It is under way." };
	if (!request.system.includes("<a>") || request.system.includes("background task")) {
		const [, work = ""] =
			Object.keys(WORK)
				.map((name) => (last.text.includes(name) ? ["", name] : []))
				.find((found) => found.length > 0) ?? [];
		return WORK[work]?.() ?? { text: "Found." };
	}
	const [act = "", about = ""] = last.text.split(" the ");
	return ACTS[act]?.(about) ?? { text: "I see." };
});

const app = await openTestApp({
	home,
	model,
	agents: [agent("a"), agent("b")],
	files: { "README.md": "line\n" },
	settings: {
		approval: "auto",
		delegation: { maxDepth: 1, timeout: 300, maxConcurrent: 9, maxTokens: 1_000_000 },
		tasks: {
			maxConcurrent: part === "dies" ? 3 : 9,
			maxSteps: 60,
			maxTokens: 400_000,
			maxMinutes: 60,
			isolation: "never",
			copyIgnored: [],
		},
	},
});
const { sessions, store } = app;
await store.recover();
await sessions.recover();

async function caller(name: string): Promise<Session> {
	const known = (await sessions.list()).find((summary) => summary.name === name);
	return sessions.get((known ?? (await sessions.create({ agentId: "a", role: "actor", name }))).sessionId);
}

/** Whether the last event of that type is there, and fits. */
const until = (find: () => Promise<unknown>) => whenFound(sessions, async () => ((await find()) ? true : undefined));
const taskOf = async (name: string) => (await store.list("task")).find((summary) => summary.name === name);
const untilTask = (name: string, state: string) => until(async () => (await taskOf(name))?.task?.state === state);
const untilEvents = ({ state }: Session, type: string, count: number) =>
	until(async () => state.events.filter((event) => event.type === type).length >= count);

if (part === "interrupts") {
	// A window that dies while a task runs.
	const session = await caller("its task was interrupted, and it was told");
	await session.send("Start: the running one that was interrupted");
	const isStarted = async () => (await sessions.opened()).some(({ state }) => state.agent.includes("explore") && state.turn !== undefined);
	await until(isStarted);
} else if (part === "holds") {
	// Another window, which has the sessions to which letters come. It is stopped, and so takes none.
	for (const name of ["the answer to its call is in its inbox", "the news of its task is in its inbox"])
		await (await caller(name)).lease.take();
} else await leaveAll();
acknowledge({ moment: "left" });
await never;

async function leaveAll(): Promise<void> {
	// What the window before left is told.
	await untilTask("running one that was interrupted", "interrupted");
	const interrupted = await caller("its task was interrupted, and it was told");
	await until(async () => interrupted.state.events.filter(({ type }) => type === "ended").length === 2);

	const done = await caller("its task is done, and it was told");
	await done.send("Start: the done one");
	await untilTask("done one", "done");
	await untilEvents(done, "ended", 2);

	const asking = await caller("its task asks, and it was told");
	await asking.send("Start: the asking one");
	await untilTask("asking one", "waiting");
	await untilEvents(asking, "ended", 2);

	const answerQueued = await caller("the answer to its call waits behind a turn");
	await answerQueued.send("Send: the letter that is queued");
	const newsQueued = await caller("the news of its task waits behind a turn");
	await newsQueued.send("Start: the letter task that is queued");
	const inInbox = [await caller("the answer to its call is in its inbox"), await caller("the news of its task is in its inbox")];
	await inInbox[0]?.send("Send: the letter that is posted");
	await inInbox[1]?.send("Start: the letter task that is posted");
	for (const busy of [answerQueued, newsQueued]) {
		void busy.send("Work: the person goes on");
		await untilEvents(busy, "started", 2);
	}
	acknowledge({ moment: "ready" });
	await new Promise<void>((resolve) => createInterface({ input: process.stdin }).once("line", () => resolve()));
	releaseAnswers();
	await untilEvents(answerQueued, "queued", 1);
	await untilEvents(newsQueued, "queued", 1);
	await untilTask("letter task that is queued", "done");
	await untilTask("letter task that is posted", "done");
	for (const session of inInbox) await until(async () => session && (await store.inbox(session.sessionId)).length === 1);

	// From here on, nothing reaches a caller any more: the window dies before it does.
	sessions.deliverMessage = () => never;
	const answered = await caller("its call was answered, and it was not told");
	await answered.send("Send: the answer that is not told");
	const ended = await caller("its task has ended, and it was not told");
	await ended.send("Start: the ended one");
	const isOver = async (agentId: string, text: string) => {
		const all = await sessions.opened();
		return all.some(
			({ state }) => state.agent.includes(agentId) && state.outcome === "done" && JSON.stringify(state.events).includes(text),
		);
	};
	await until(() => isOver("b", "answer that is not told"));
	await until(() => isOver("explore", "ended one"));

	const waits = await caller("its call runs, and it waits for it");
	void waits.send("Call: the running call");
	await untilEvents(waits, "delegated", 1);
	const sent = await caller("its call runs, and its answer is to come later");
	await sent.send("Send: the running message");
	const running = await caller("its tasks run and wait for a place");
	await running.send("Start: the running task");
	await running.send("Start: the other running task");
	await running.send("Start: the task without a place");
	await untilTask("running task", "running");
	await untilTask("other running task", "running");
	await untilTask("task without a place", "queued");
	await until(async () => (await sessions.opened()).filter(({ state, isRunning }) => isRunning && state.agent === "b").length === 2);
}

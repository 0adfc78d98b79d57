// The killed process: an agent with background tasks over real storage, reporting what it recorded.
import { writeSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ModelRequest } from "../../src/core/ports/model.ts";
import type { AgentDefinition } from "../../src/core/role.ts";
import { isTaskOver } from "../../src/core/task.ts";
import type { Session } from "../../src/session/session.ts";
import { buildHouse } from "../fakes/house.ts";
import { type ScriptedAnswer, scriptedModel } from "../fakes/scriptedModel.ts";
import { taskTrouble } from "./taskTrouble.ts";
import { whenFound } from "./whenFound.ts";

const [home, mode] = process.argv.slice(2);
if (!home) throw new Error("The worker needs the home it works in.");
const checks = mode === "check";

/** Written at once, so that a kill cannot take it back. */
function acknowledge(line: object): void {
	writeSync(1, `${JSON.stringify(line)}\n`);
}

const caller: AgentDefinition = { agentId: "a", displayName: "a", systemPrompt: "You are the agent <a>.", optIn: ["tasks"] };
let named = 0;
const nameNext = (kind: string) => {
	named += 1;
	return `${kind} ${process.pid}-${named}`;
};
const chance = (part: number) => Math.random() < part;
const soon = () => new Promise<void>((resolve) => setTimeout(resolve, Math.random() * 40));
const text = (words: string): ScriptedAnswer => ({ text: words, until: soon() });
/** Ids of calls are never given twice, in no process. */
const call = (...calls: { name: string; input: object }[]): ScriptedAnswer => {
	return { calls: calls.map((one) => ({ ...one, id: nameNext("call") })), until: soon() };
};

/** The last message, answer or result. */
const lastSaid = ({ events }: ModelRequest) => events.findLast(({ type }) => type === "user" || type === "assistant" || type === "result");

const KINDS = ["read", "write", "ask", "tell", "person", "break"];

/** Starts several tasks, answers those that ask, and goes on with, looks after or stops some others. */
function answerCaller(request: ModelRequest): ScriptedAnswer {
	const last = lastSaid(request);
	if (last?.type !== "user") return text("They run.");
	const [, id = "", news = ""] =
		/Background task ([0-9a-f-]{36}) \([^)]*\) (needs information|was interrupted|is done|failed|has)/.exec(last.text) ?? [];
	const goOn = call({ name: "resume_task", input: { taskId: id, input: nameNext("read") } });
	if (news === "needs information") return chance(0.6) ? goOn : text("The person knows.");
	if (news === "was interrupted" || news === "failed") return chance(0.4) ? goOn : text("A pity.");
	if (news !== "") return chance(0.2) ? call({ name: "task_stop", input: { taskId: id } }) : text("I see.");
	const kinds = KINDS.filter(() => chance(0.5));
	return call(
		...kinds.map((kind) => {
			const input = nameNext(kind);
			return { name: "spawn_subagent", input: { description: input, input, type: chance(0.7) ? "general" : "explore" } };
		}),
		{ name: "task_list", input: {} },
	);
}

/** Works as the last message's first word says. */
function answerTask(request: ModelRequest): ScriptedAnswer {
	const last = lastSaid(request);
	if (last?.type !== "user") return text(`Done. ${"More of it. ".repeat(Math.random() * 20)}`);
	const [kind = ""] = last.text.split(" ");
	if (kind === "read") return call({ name: "list_directory", input: { path: "." } });
	if (kind === "write") return call({ name: "create_file", input: { path: `${nameNext("file")}.txt`, content: "x" } });
	if (kind === "ask") return call({ name: "need_more_info", input: { question: `Which one? ${last.text}`, options: ["red", "blue"] } });
	if (kind === "person") return call({ name: "ask_question", input: { question: "Which one?", allow_custom: true } });
	if (kind === "tell")
		return call({ name: "notify", input: { text: nameNext("news") } }, { name: "notify", input: { text: nameNext("news") } });
	return kind === "break" ? { text: "Half", error: new Error("It broke.") } : text("Checked.");
}

let worked = 0;
const model = scriptedModel((request) => {
	const isCaller = request.system.includes("<a>");
	if (checks && !isCaller) worked += 1;
	if (checks) return { text: "Checked." };
	return isCaller ? answerCaller(request) : answerTask(request);
});

const house = await buildHouse({
	home,
	model,
	agents: [caller],
	files: { "README.md": "line\n" },
	settings: {
		approval: "ask",
		tasks: { maxConcurrent: 2, maxSteps: 60, maxTokens: 100_000_000, maxMinutes: 60, isolation: "never", copyIgnored: [] },
	},
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

if (checks) {
	await session.send("The last message");
	const all = await settled();
	for (const { sessionId, state } of all) acknowledge({ session: sessionId, transcript: state.events.map(({ id }) => id) });
	const tasks = await store.list("task");
	const trouble = taskTrouble(session, tasks, new Map(all.map((one) => [one.sessionId, one])));
	if (worked > 0) trouble.push("a task went on by itself");
	acknowledge({ trouble: [...trouble, ...(await listTrouble())] });
	await sessions.close();
	await store.close();
	process.exit(0);
}

sessions.listen({
	event(id, event) {
		if (id === first.sessionId) return;
		const answering = async (): Promise<void> => {
			const task = await sessions.get(id);
			await soon();
			if (event.type === "asked") await task.answer(event.request, { allow: chance(0.5) }, "person", event.hash);
			if (event.type === "question" && chance(0.4)) await task.answer(event.request, { value: nameNext("read") }, "person");
		};
		answering().catch(() => undefined);
	},
});
void meddle();
for (;;) {
	await Promise.all([session.send(nameNext("Message")), soon()]);
	await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
}

/** A person who stops, continues and writes to tasks all the time. */
async function meddle(): Promise<never> {
	for (;;) {
		await soon();
		await soon();
		const tasks = await store.list("task");
		const { sessionId: id, task } = tasks[Math.floor(Math.random() * tasks.length)] ?? {};
		if (id === undefined || !task) continue;
		const acts = [
			() => house.delegation.tasks.stop(id),
			() => house.delegation.tasks.continue(id),
			async () => void (await (await sessions.get(id)).send(nameNext("read"))),
		];
		acts[Math.floor(Math.random() * (isTaskOver(task.state) ? 30 : 12))]?.().catch(() => undefined);
	}
}

/** All sessions and tasks, once nothing runs, or waits in the caller. */
async function settled(): Promise<Session[]> {
	const isDone = async (): Promise<Session[] | undefined> => {
		const tasks = await store.list("task");
		const all = await Promise.all([...(await sessions.list()), ...tasks].map(({ sessionId }) => sessions.get(sessionId)));
		const busy =
			all.some(({ isRunning }) => isRunning) || session.state.queue.size > 0 || (await store.inbox(session.sessionId)).length > 0;
		return busy ? undefined : all;
	};
	return whenFound(sessions, isDone);
}

/** Compares the list of pending tasks with their records, as it is and rebuilt. */
async function listTrouble(): Promise<string[]> {
	const file = join(house.storage, "tasks", "pending.json");
	const trouble: string[] = [];
	const records = (await store.list("task")).filter(({ task }) => task && !isTaskOver(task.state)).map(({ sessionId }) => sessionId);
	const look = async (what: string): Promise<void> => {
		const pending = (await store.pendingTasks()).map(({ sessionId }) => sessionId);
		const listed = (JSON.parse(await readFile(file, "utf8")) as { tasks: string[] }).tasks;
		for (const found of [pending, listed])
			if (found.toSorted().join() !== records.toSorted().join()) trouble.push(`${what} names ${found.join()} and not ${records.join()}`);
	};
	if ((await store.list("task")).length === 0) return [];
	await look("the list of pending tasks");
	await rm(file);
	await look("the rebuilt list of pending tasks");
	return trouble;
}

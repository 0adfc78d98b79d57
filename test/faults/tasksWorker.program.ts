// The killed process: agents with background tasks over real storage, reporting what they recorded.
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ModelRequest } from "../../src/core/ports/model.ts";
import type { AgentDefinition } from "../../src/core/role.ts";
import { isTaskOver } from "../../src/core/task.ts";
import { pendingRequests } from "../../src/core/transcript/state.ts";
import type { Session } from "../../src/session/session.ts";
import { type ScriptedAnswer, scriptedModel } from "../fakes/scriptedModel.ts";
import { openTestApp } from "../fakes/testApp.ts";
import { commitAll } from "../unit/platform/copies/support.ts";
import { copyTrouble, reportCopies, takeChanges } from "./killedCopies.ts";
import { answerLeft } from "./lateAnswers.ts";
import { openShared } from "./sharedSessions.ts";
import { taskTrouble } from "./taskTrouble.ts";
import { whenFound } from "./whenFound.ts";
import { acknowledge, chance, fastNow, nameNext, pause, pick, soon, toEnd } from "./workerParts.ts";

const [home, mode = "work"] = process.argv.slice(2);
if (!home) throw new Error("The worker needs the home it works in.");
const checks = mode === "check";
const copies = mode === "copy" || mode === "take";
let isEnding = checks;
const CHANGES = ["change", "change", "change"];

const caller: AgentDefinition = { agentId: "a", displayName: "a", systemPrompt: "You are the agent <a>.", optIn: ["tasks"] };
const text = (words: string): ScriptedAnswer => ({ text: words, until: soon() });
/** Ids of calls are never given twice, in no process. */
const call = (...calls: { name: string; input: object }[]): ScriptedAnswer => {
	return { calls: calls.map((one) => ({ ...one, id: nameNext("call") })), until: soon() };
};

/** The last message, answer or result. */
const lastSaid = ({ events }: ModelRequest) => events.findLast(({ type }) => type === "user" || type === "assistant" || type === "result");

/** What tasks do, by mode. */
const KINDS: Record<string, string[]> = { approve: ["write", "write", "person", "ask"], copy: CHANGES, take: CHANGES };
const ALL = ["read", "write", "ask", "tell", "person", "break"];

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
	const kinds = (KINDS[mode] ?? ALL).filter(() => chance(0.5));
	return call(
		...kinds.map((kind) => {
			const input = nameNext(kind);
			const type = copies || chance(0.7) ? "general" : "explore";
			return { name: "spawn_subagent", input: { description: input, input, type, ...(copies && { isolation: "always" }) } };
		}),
		{ name: "task_list", input: {} },
	);
}

/** New files, and one that all tasks change. */
const changes = () => [
	...["one", "two", "three"].map((name) => ({ name: "create_file", input: { path: `${nameNext(name)}.txt`, content: long(name) } })),
	{ name: "update_file", input: { path: "README.md", old: "The beginning.", new: nameNext("The beginning.") } },
];
const long = (word: string) => `${word}\n`.repeat(5_000);

/** Works as the last message's first word says. */
function answerTask(request: ModelRequest): ScriptedAnswer {
	const last = lastSaid(request);
	if (last?.type !== "user") return text(`Done. ${"More of it. ".repeat(Math.random() * 20)}`);
	const [kind = ""] = last.text.split(" ");
	if (kind === "read") return call({ name: "list_directory", input: { path: "." } });
	if (kind === "change") return call(...changes());
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
	if (isEnding) return { text: "Checked." };
	return isCaller ? answerCaller(request) : answerTask(request);
});

const isNew = !existsSync(join(home, "workspace"));
const files = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`src/file-${index}.txt`, `${index}\n`.repeat(1_000)]));
const app = await openTestApp({
	home,
	model,
	now: fastNow,
	agents: [caller],
	...(isNew && { files: { "README.md": "The beginning.\n", ...files } }),
	settings: {
		approval: copies ? "auto" : "ask",
		tasks: { maxConcurrent: 2, maxSteps: 60, maxTokens: 100_000_000, maxMinutes: 60, isolation: "never", copyIgnored: [] },
	},
});
if (isNew) commitAll(app.folder);
const { sessions, store } = app;
sessions.listen({ event: (session, event) => acknowledge({ session, seq: event.seq, id: event.id }) });
reportCopies(app, (moment) => acknowledge({ moment }));
await store.recover();
const shared = await openShared(sessions);
acknowledge({ opened: shared[0]?.sessionId });
// A task that the person answers goes on, which none may in a check.
if (!checks) await answerLeft(sessions, store);
await sessions.recover();

if (checks) await check();
sessions.listen({
	event(id, event) {
		if (shared.some(({ sessionId }) => sessionId === id) || (event.type !== "asked" && event.type !== "question")) return;
		acknowledge({ moment: "asked" });
		const answering = async (): Promise<void> => {
			const task = await sessions.get(id);
			await pause(80);
			if (event.type === "asked" && (isEnding || chance(0.7)))
				await task.answer(event.request, { allow: !isEnding && chance(0.5) }, "person", event.hash);
			if (event.type === "question" && !isEnding && chance(0.4)) await task.answer(event.request, { value: nameNext("read") }, "person");
		};
		answering().catch(() => undefined);
	},
});
if (mode === "take") takeChanges(app);
const meddling = meddle();
toEnd.then(() => {
	isEnding = true;
}, console.error);
while (!isEnding) {
	const session = mode === "share" ? pick(shared) : shared[0];
	await Promise.all([session?.send(nameNext("Message")).catch(() => undefined), soon()]);
	await pause(300);
}
await meddling;
await denyOpen();
// As a window does that opens beside this one.
await sessions.recover();
await check();

/** A person who stops, continues and writes to tasks all the time. */
async function meddle(): Promise<void> {
	const stops = mode === "stop";
	const acts = new Set<Promise<unknown>>();
	while (!isEnding) {
		await pause(stops ? 40 : 80);
		const { sessionId: id, task } = pick(await store.list("task")) ?? {};
		if (id === undefined || !task) continue;
		const act = pick([
			() => app.delegation.tasks.stop(id),
			() => app.delegation.tasks.continue(id),
			async () => void (await (await sessions.get(id)).send(nameNext("read"))),
			...(stops
				? [() => app.delegation.tasks.stop(id), async () => shared[0]?.cancel(), async () => (await sessions.get(id)).cancel()]
				: []),
		]);
		if (!chance((isTaskOver(task.state) ? 1 : 2.5) / (stops ? 5 : 10))) continue;
		if (stops) acknowledge({ moment: "stopping" });
		if (act) acts.add(act().catch(() => undefined));
	}
	await Promise.all(acts);
}

/** A turn would wait forever for an answer that the person has not given. */
async function denyOpen(): Promise<void> {
	for (const { sessionId } of await store.list("task")) {
		const task = await sessions.get(sessionId);
		for (const { event } of task.isRunning ? pendingRequests(task.state) : [])
			if (event.type === "asked") await task.answer(event.request, { allow: false }, "person", event.hash).catch(() => undefined);
	}
}

/** Brings everything to its end, reports what is wrong, and ends the process. */
async function check(): Promise<never> {
	for (const session of shared) {
		await session.send("The last message");
		// What a person wrote in the other window waits for the next message.
		if (session.state.queue.size > 0) await session.send("The very last message");
	}
	const all = await waitUntilSettled();
	for (const { sessionId, state } of all) acknowledge({ session: sessionId, transcript: state.events.map(({ id }) => id) });
	const tasks = await store.list("task");
	const trouble = taskTrouble(shared, tasks, new Map(all.map((one) => [one.sessionId, one])), app.folder);
	if (worked > 0) trouble.push("a task went on by itself");
	acknowledge({ trouble: [...trouble, ...(await listTrouble()), ...(await copyTrouble(app, shared, tasks))] });
	await sessions.close();
	await store.close();
	process.exit(0);
}

/** All sessions and tasks, once nothing runs, or waits in the callers. */
async function waitUntilSettled(): Promise<Session[]> {
	return whenFound(sessions, async () => {
		const tasks = await store.list("task");
		const all = await Promise.all([...(await sessions.list()), ...tasks].map(({ sessionId }) => sessions.get(sessionId)));
		// A window that goes on has read some before the other one wrote there.
		for (const session of all) await session.lease.catchUp();
		const inboxes = await Promise.all(shared.map(({ sessionId }) => store.inbox(sessionId)));
		// In a window that goes on, what another one has left is repaired a little later.
		const hasTurn = all.some(({ state }) => state.turn !== undefined);
		const isOpen = !checks && (hasTurn || tasks.some(({ task }) => task?.state === "queued" || task?.state === "running"));
		const busy = isOpen || all.some(({ isRunning }) => isRunning) || shared.some(({ state }) => state.queue.size > 0);
		return busy || inboxes.flat().length > 0 ? undefined : all;
	});
}

/** Compares the list of pending tasks with their records, as it is and rebuilt. */
async function listTrouble(): Promise<string[]> {
	const file = join(app.storage, "tasks", "pending.json");
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

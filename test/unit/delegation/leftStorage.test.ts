// Tests what a window makes of a storage whose windows died with calls and tasks under way.

// test/fixtures/leftStorage is what scripts/leftStorage.mjs left of two windows that were killed. Each session of the agent `a` is
// named for how it was left, and called agents and tasks for what they were to do.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentDefinition } from "../../../src/core/role.ts";
import { openDelegations } from "../../../src/core/transcript/delegations.ts";
import { openCalls } from "../../../src/core/transcript/state.ts";
import type { Session } from "../../../src/session/session.ts";
import { scriptedModel } from "../../fakes/scriptedModel.ts";
import { openTestApp, type TestApp } from "../../fakes/testApp.ts";
import { whenFound } from "../../faults/whenFound.ts";

/** What each session of the agent `a` has heard of its calls and tasks once it is recovered. */
const HEARD: Record<string, string[]> = {
	// Its turn is open, and so is the call's in the session of `b`. The call's end is its result.
	"its call runs, and it waits for it": [],
	// Its turn has ended, and the call's in the session of `b` is open.
	"its call runs, and its answer is to come later": ["answer error"],
	// The call's turn has ended in the session of `b`.
	"its call was answered, and it was not told": ["answer complete"],
	// The message is in the transcript, and another turn is open.
	"the answer to its call waits behind a turn": ["answer complete"],
	"the news of its task waits behind a turn": ["task done"],
	// The message is a file: another window had the session.
	"the answer to its call is in its inbox": ["answer complete"],
	"the news of its task is in its inbox": ["task done"],
	// The task's turn has ended, and its record says that it runs.
	"its task has ended, and it was not told": ["task done"],
	// Two turns of tasks are open, and the third task has not begun.
	"its tasks run and wait for a place": ["task interrupted", "task interrupted", "task interrupted"],
	// An earlier window died while the task ran, and a later one has said so.
	"its task was interrupted, and it was told": ["task interrupted"],
	"its task is done, and it was told": ["task done"],
	"its task asks, and it was told": ["task waiting"],
};

/** The task that each of these sessions started, and its record's state once it is recovered. */
const STATES: Record<string, string> = {
	"running task": "interrupted",
	"other running task": "interrupted",
	"task without a place": "interrupted",
	"running one that was interrupted": "interrupted",
	"done one": "done",
	"ended one": "done",
	"letter task that is queued": "done",
	"letter task that is posted": "done",
	"asking one": "waiting",
};

const agent = (agentId: string): AgentDefinition => ({
	agentId,
	displayName: agentId,
	systemPrompt: `You are the agent <${agentId}>.`,
	optIn: ["tasks"],
});

interface Opened {
	app: TestApp;
	/** Sessions of `a`, by name. */
	callers: Map<string, Session>;
	called: Session[];
	tasks: Map<string, Session>;
	/** Agents that were asked to work. */
	asked: string[];
}

/** Opens the storage as a window does, and resolves once everything is at rest. */
async function open(home: string): Promise<Opened> {
	const model = scriptedModel([]);
	const app = await openTestApp({ home, model, agents: [agent("a"), agent("b")] });
	const { sessions, store } = app;
	await store.recover();
	await sessions.recover();
	const all = await whenFound(sessions, async () => {
		const summaries = [...(await sessions.list()), ...(await store.list("task"))];
		const found = await Promise.all(summaries.map(async (summary) => ({ summary, session: await sessions.get(summary.sessionId) })));
		const inboxes = await Promise.all(summaries.map(({ sessionId }) => store.inbox(sessionId)));
		// What a task has not begun waits for the person.
		const hasNext = ({ state, queue }: Session) => (state.agent === "a" || state.agent === "b") && queue.hasNext;
		const isBusy = (session: Session) => session.isRunning || hasNext(session) || openDelegations(session.state).length > 0;
		const isOpen = found.some(({ summary }) => summary.task?.state === "queued" || summary.task?.state === "running");
		return isOpen || inboxes.flat().length > 0 || found.some(({ session }) => isBusy(session)) ? undefined : found;
	});
	const named = (isIt: (agentId: string) => boolean) =>
		all.filter(({ summary }) => isIt(summary.agentId)).map(({ summary, session }) => [summary.name ?? "", session] as const);
	return {
		app,
		callers: new Map(named((id) => id === "a")),
		called: named((id) => id === "b").map(([, session]) => session),
		tasks: new Map(named((id) => id !== "a" && id !== "b")),
		asked: model.requests.map(({ system }) => /You are the agent <(\w)>/.exec(system)?.[1] ?? "a task"),
	};
}

const heard = ({ state }: Session) =>
	state.events.flatMap((event) => {
		if (event.type !== "queued" || !event.about) return [];
		const { about } = event;
		return [`${about.kind} ${about.kind === "task" ? about.state : about.status}`];
	});

/** Transcripts, records, and messages that wait, without what says which process has them. */
function filesOf(home: string): Map<string, string> {
	const storage = join(home, "storage");
	const names = readdirSync(storage, { recursive: true }).map(String);
	const files = names.filter((name) => /(current\.jsonl|(session|task|pending)\.json|inbox.*\.json)$/.test(name));
	return new Map(files.sort().map((name) => [name, readFileSync(join(storage, name), "utf8")]));
}

describe("a storage that windows left in the middle of calls and tasks", () => {
	let home: string;
	let opened: Opened;
	let closed: Promise<void> | undefined;

	before(async () => {
		home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-left-")));
		cpSync("test/fixtures/leftStorage", join(home, "storage"), { recursive: true });
		opened = await open(home);
	});
	const close = () => {
		closed ??= opened.app.close();
		return closed;
	};
	after(async () => {
		await close();
		rmSync(home, { recursive: true, force: true });
	});

	it("has every session that was left", () => {
		assert.deepEqual([...opened.callers.keys()].sort(), Object.keys(HEARD).sort());
		assert.deepEqual([...opened.tasks.keys()].sort(), Object.keys(STATES).sort());
		assert.equal(opened.called.length, 5);
	});

	for (const [name, expected] of Object.entries(HEARD))
		it(`tells the caller once, where ${name}`, () => {
			const session = opened.callers.get(name) ?? assert.fail("no such session");
			assert.deepEqual(heard(session), expected);
			const { events } = session.state;
			for (const event of events) {
				if (event.type !== "queued") continue;
				assert.equal(events.filter((other) => other.type === "user" && other.message === event.message).length, 1, event.text);
			}
		});

	it("gives a call that its caller waited for one unknown result", () => {
		const { state } = opened.callers.get("its call runs, and it waits for it") ?? assert.fail("no such session");
		const results = state.events.filter((event) => event.type === "result");
		assert.deepEqual(
			results.map(({ status }) => status),
			["unknown"],
		);
		assert.equal(state.outcome, "interrupted");
	});

	it("brings late answers with what the called agent has said", () => {
		for (const name of ["its call was answered, and it was not told", "the answer to its call is in its inbox"]) {
			const { state } = opened.callers.get(name) ?? assert.fail("no such session");
			assert.match(state.events.findLast((event) => event.type === "user")?.text ?? "", /\n\nFound\.$/);
		}
	});

	it("has no open turn and no call without a result", () => {
		for (const { state } of [...opened.callers.values(), ...opened.called, ...opened.tasks.values()])
			assert.deepEqual([state.turn, openCalls(state)], [undefined, []]);
	});

	it("lets callers go on with what they hear, and called agents and tasks do nothing by themselves", () => {
		assert.deepEqual(opened.asked.sort(), Array(10).fill("a"));
	});

	it("keeps a record of each task's state, as its caller shows it", async () => {
		for (const [name, session] of opened.tasks) {
			const { task } = (await opened.app.store.find(session.sessionId)) ?? {};
			assert.equal(task?.state, STATES[name], name);
			const caller = [...opened.callers.values()].find(({ sessionId }) => sessionId === task?.caller.session);
			assert.equal(caller?.state.tasks.get(session.sessionId)?.state, STATES[name], name);
		}
	});

	it("is the same after the next window has opened it", async () => {
		await close();
		const before = filesOf(home);
		const again = await open(home);
		await again.app.close();
		assert.deepEqual(again.asked, []);
		assert.deepEqual(filesOf(home), before);
	});
});

// Tests how many tasks work at once, also after they have waited for the person.
import assert from "node:assert/strict";
import { TaskPlaces } from "../../../../src/delegation/limits.ts";
import type { ScriptedAnswer } from "../../../fakes/scriptedModel.ts";
import { latch, type Script, spawning, strikeTasks, type TaskStage, taskStage } from "./taskStage.ts";

const LIMITS = { maxConcurrent: 1, maxSteps: 60, maxTokens: 400_000, maxMinutes: 60, isolation: "never" as const, copyIgnored: [] };
const NAMES = ["one", "two", "three"];
const asks = (name: string): ScriptedAnswer => ({ calls: [{ name: "create_file", input: { path: `${name}.txt`, content: "x" } }] });
const information: ScriptedAnswer = { calls: [{ name: "need_more_info", input: { question: "Which?" } }] };

/** Three tasks with one place, which all wait for the person; then each works until `open`. */
async function waiting(first: (name: string) => ScriptedAnswer) {
	const { until, open } = latch();
	const began: string[] = [];
	const work =
		(name: string): Script =>
		(_, index) => {
			if (index === 0) return first(name);
			began.push(name);
			return { text: "Done.", until };
		};
	const stage = await taskStage(
		{
			caller: [{ calls: NAMES.flatMap((name) => spawning(name, { type: "quick" }).calls ?? []) }, { text: "They run." }],
			...Object.fromEntries(NAMES.map((name) => [name, work(name)])),
		},
		{ settings: { approval: "ask", tasks: LIMITS } },
	);
	await stage.caller.send("Go");
	const tasks = await stage.tasks();
	const sessions = await Promise.all(
		NAMES.map((name) => stage.house.sessions.get(tasks.find((task) => task.name === name)?.sessionId ?? "")),
	);
	return { stage, began, open, sessions: sessions as [Session, Session, Session] };
}

type Session = TaskStage["caller"];

/** Resolves once the task's model is asked. */
async function asked({ model }: TaskStage, count: number): Promise<void> {
	while (model.requests.filter(({ system }) => !system.includes("<caller>")).length < count)
		await new Promise((resolve) => setImmediate(resolve));
}

/** Resolves when whatever can go on has done so. */
async function idle({ house }: TaskStage): Promise<void> {
	for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
	await house.delegation.tasks.settled();
}

describe("tasks that wait for the person's approval", () => {
	afterEach(strikeTasks);

	it("go on one after the other once they are answered, in the order of the answers", async () => {
		const { stage, began, open, sessions } = await waiting(asks);
		const [one, two, three] = sessions;
		for (const session of [two, three, one]) await stage.answer(session, { allow: true });
		await asked(stage, 4);
		await idle(stage);
		assert.deepEqual(began, ["two"]);
		open();
		for (const name of NAMES) await stage.state("done", name);
		assert.deepEqual(began, ["two", "three", "one"]);
		for (const { state } of sessions)
			assert.deepEqual(
				[...state.calls.values()].map(({ result }) => result?.status),
				["ok"],
			);
	});

	it("end at once when they are stopped before they have a place, and nothing of the call runs", async () => {
		const { stage, began, open, sessions } = await waiting(asks);
		const [one, two] = sessions;
		await stage.answer(one, { allow: true });
		await stage.answer(two, { allow: true });
		await stage.house.delegation.tasks.stop(two.sessionId);
		assert.equal((await stage.state("cancelled", "two")).sessionId, two.sessionId);
		assert.deepEqual(
			[...two.state.calls.values()].map(({ result }) => result?.status),
			["cancelled"],
		);
		open();
		await stage.state("done", "one");
		assert.deepEqual(began, ["one"]);
	});

	it("do not use up their minutes while they wait for a place", async () => {
		const { stage, open, sessions } = await waiting(asks);
		const [one, two] = sessions;
		await stage.answer(one, { allow: true });
		await stage.answer(two, { allow: true });
		stage.clock.ahead += 30 * 60_000;
		open();
		const { task } = await stage.state("done", "two");
		assert.ok(task && task.spent.minutes < 5, `${task?.spent.minutes}`);
	});
});

describe("the place of a task", () => {
	afterEach(strikeTasks);

	it("is left when it ends, also while its news can't be delivered yet", async () => {
		const stage = await taskStage(
			{
				caller: [{ calls: ["one", "two"].flatMap((name) => spawning(name, { type: "quick" }).calls ?? []) }, { text: "They run." }],
				one: [{ text: "One." }],
				two: [{ text: "Two." }],
			},
			{ settings: { tasks: LIMITS } },
		);
		const { sessions } = stage.house;
		const deliver = sessions.deliverMessage.bind(sessions);
		let isFull = true;
		sessions.deliverMessage = async (id, message, sender) => {
			if (isFull && message.text.includes("(one)")) throw new Error("The inbox is full.");
			return deliver(id, message, sender);
		};
		await stage.caller.send("Go");
		await stage.state("done", "two");
		isFull = false;
		await stage.state("done", "one");
	});

	it("is taken by waiting tasks as soon as more of them may work", async () => {
		const { until, open } = latch();
		const tasks = { ...LIMITS };
		const stage = await taskStage(
			{
				caller: [{ calls: NAMES.flatMap((name) => spawning(name, { type: "quick" }).calls ?? []) }, { text: "They run." }],
				...Object.fromEntries(NAMES.map((name) => [name, [{ text: "Done.", until }]])),
			},
			{ settings: { tasks } },
		);
		await stage.caller.send("Go");
		await asked(stage, 1);
		tasks.maxConcurrent = 3;
		stage.house.delegation.tasks.places.wake();
		await asked(stage, 3);
		open();
		for (const name of NAMES) await stage.state("done", name);
	});

	it("stays with the turn that begins while the end of the last one is saved", () => {
		const places = new TaskPlaces(() => 1);
		places.run("task");
		const task = places.of("task");
		assert.ok(task.tryEnter("first", () => undefined));
		task.enter("first");
		places.keep("task");
		task.leave("first");
		task.enter("second");
		places.leave("task");
		assert.equal(task.free, 0);
		task.leave("second");
		assert.equal(task.free, 1);
	});
});

describe("tasks that wait for the person's information", () => {
	afterEach(strikeTasks);

	it("go on one after the other once they are answered", async () => {
		const { stage, began, open, sessions } = await waiting(() => information);
		for (const name of NAMES) await stage.state("waiting", name);
		for (const session of sessions) {
			const { request } = await stage.event(session.sessionId, "question");
			stage.clock.ahead += 1_000;
			void session.answer(request, { value: "That one" }, "person");
		}
		await asked(stage, 4);
		await idle(stage);
		assert.equal(began.length, 1);
		open();
		for (const name of NAMES) await stage.state("done", name);
		assert.deepEqual([...began].sort(), [...NAMES].sort());
	});
});

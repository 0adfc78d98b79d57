// Tests how many tasks work at once, also after they have waited for the person.

import assert from "node:assert/strict";
import { TaskPlaces } from "../../../../src/delegation/limits.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import type { ScriptedAnswer } from "../../../fakes/scriptedModel.ts";
import { closeTestTasks, openTestTasks, type Script, spawning, type TestTasks } from "./testTasks.ts";

const LIMITS = { maxConcurrent: 1, maxSteps: 60, maxTokens: 400_000, maxMinutes: 60, isolation: "never" as const, copyIgnored: [] };
const NAMES = ["one", "two", "three"];
const asks = (name: string): ScriptedAnswer => ({ calls: [{ name: "create_file", input: { path: `${name}.txt`, content: "x" } }] });
const information: ScriptedAnswer = { calls: [{ name: "need_more_info", input: { question: "Which?" } }] };

/** Three tasks with one place, which all wait for the person; then each works until `open`. */
async function waiting(first: (name: string) => ScriptedAnswer) {
	const { until, open } = createDeferred();
	const began: string[] = [];
	const work =
		(name: string): Script =>
		(_, index) => {
			if (index === 0) return first(name);
			began.push(name);
			return { text: "Done.", until };
		};
	const setup = await openTestTasks(
		{
			caller: [{ calls: NAMES.flatMap((name) => spawning(name, { type: "quick" }).calls ?? []) }, { text: "They run." }],
			...Object.fromEntries(NAMES.map((name) => [name, work(name)])),
		},
		{ settings: { approval: "ask", tasks: LIMITS } },
	);
	await setup.caller.send("Go");
	const tasks = await setup.tasks();
	const sessions = await Promise.all(
		NAMES.map((name) => setup.app.sessions.get(tasks.find((task) => task.name === name)?.sessionId ?? "")),
	);
	return { setup, began, open, sessions: sessions as [Session, Session, Session] };
}

type Session = TestTasks["caller"];

/** Resolves once the task's model is asked. */
async function asked({ model }: TestTasks, count: number): Promise<void> {
	while (model.requests.filter(({ system }) => !system.includes("<caller>")).length < count)
		await new Promise((resolve) => setImmediate(resolve));
}

/** Resolves when whatever can go on has done so. */
async function idle({ app }: TestTasks): Promise<void> {
	for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
	await app.delegation.tasks.whenSettled();
}

describe("tasks that wait for the person's approval", () => {
	afterEach(closeTestTasks);

	it("go on one after the other once they are answered, in the order of the answers", async () => {
		const { setup, began, open, sessions } = await waiting(asks);
		const [one, two, three] = sessions;
		for (const session of [two, three, one]) await setup.answer(session, { allow: true });
		await asked(setup, 4);
		await idle(setup);
		assert.deepEqual(began, ["two"]);
		open();
		for (const name of NAMES) await setup.state("done", name);
		assert.deepEqual(began, ["two", "three", "one"]);
		for (const { state } of sessions)
			assert.deepEqual(
				[...state.calls.values()].map(({ result }) => result?.status),
				["ok"],
			);
	});

	it("end at once when they are stopped before they have a place, and nothing of the call runs", async () => {
		const { setup, began, open, sessions } = await waiting(asks);
		const [one, two] = sessions;
		await setup.answer(one, { allow: true });
		await setup.answer(two, { allow: true });
		await setup.app.delegation.tasks.stop(two.sessionId);
		assert.equal((await setup.state("cancelled", "two")).sessionId, two.sessionId);
		assert.deepEqual(
			[...two.state.calls.values()].map(({ result }) => result?.status),
			["cancelled"],
		);
		open();
		await setup.state("done", "one");
		assert.deepEqual(began, ["one"]);
	});

	it("do not use up their minutes while they wait for a place", async () => {
		const { setup, open, sessions } = await waiting(asks);
		const [one, two] = sessions;
		await setup.answer(one, { allow: true });
		await setup.answer(two, { allow: true });
		setup.clock.ahead += 30 * 60_000;
		open();
		const { task } = await setup.state("done", "two");
		assert.ok(task && task.spent.minutes < 5, `${task?.spent.minutes}`);
	});
});

describe("the place of a task", () => {
	afterEach(closeTestTasks);

	it("is left when it ends, also while its news can't be delivered yet", async () => {
		const setup = await openTestTasks(
			{
				caller: [{ calls: ["one", "two"].flatMap((name) => spawning(name, { type: "quick" }).calls ?? []) }, { text: "They run." }],
				one: [{ text: "One." }],
				two: [{ text: "Two." }],
			},
			{ settings: { tasks: LIMITS } },
		);
		const { sessions } = setup.app;
		const deliver = sessions.deliverMessage.bind(sessions);
		let isFull = true;
		sessions.deliverMessage = async (id, message, sender) => {
			if (isFull && message.text.includes("(one)")) throw new Error("The inbox is full.");
			return deliver(id, message, sender);
		};
		await setup.caller.send("Go");
		await setup.state("done", "two");
		isFull = false;
		await setup.state("done", "one");
	});

	it("is taken by waiting tasks as soon as more of them may work", async () => {
		const { until, open } = createDeferred();
		const tasks = { ...LIMITS };
		const setup = await openTestTasks(
			{
				caller: [{ calls: NAMES.flatMap((name) => spawning(name, { type: "quick" }).calls ?? []) }, { text: "They run." }],
				...Object.fromEntries(NAMES.map((name) => [name, [{ text: "Done.", until }]])),
			},
			{ settings: { tasks } },
		);
		await setup.caller.send("Go");
		await asked(setup, 1);
		tasks.maxConcurrent = 3;
		setup.app.delegation.tasks.places.wake();
		await asked(setup, 3);
		open();
		for (const name of NAMES) await setup.state("done", name);
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
	afterEach(closeTestTasks);

	it("go on one after the other once they are answered", async () => {
		const { setup, began, open, sessions } = await waiting(() => information);
		for (const name of NAMES) await setup.state("waiting", name);
		for (const session of sessions) {
			const { request } = await setup.event(session.sessionId, "question");
			setup.clock.ahead += 1_000;
			void session.answer(request, { value: "That one" }, "person");
		}
		await asked(setup, 4);
		await idle(setup);
		assert.equal(began.length, 1);
		open();
		for (const name of NAMES) await setup.state("done", name);
		assert.deepEqual([...began].sort(), [...NAMES].sort());
	});
});

// Tests how the model learns of task types that are not built in.
import assert from "node:assert/strict";
import { builtinTaskTypes } from "../../../../src/agents/subagents/builtinTypes.ts";
import type { TaskType } from "../../../../src/core/task.ts";
import { caller, closeTestTasks, openTestTasks, type TestTasks } from "./testTasks.ts";

const custom = (name: string, description: string): TaskType => ({ name, description, source: "person", role: "actor", prompt: "Do it." });
const check = custom("dependency-check", "Finds outdated dependencies. Reads what changed in them.");

async function asked(types: TaskType[], agent = caller): Promise<TestTasks> {
	const setup = await openTestTasks({ caller: [{ text: "Hello." }] }, { agents: [agent] });
	const { services } = setup.app;
	assert.ok(services.taskTypes);
	services.taskTypes = { ...services.taskTypes, list: () => [...builtinTaskTypes, ...types] };
	await setup.caller.send("Hello");
	return setup;
}

const systems = ({ model }: TestTasks) => model.requests.map(({ system }) => system);

describe("task types in the prompt", () => {
	afterEach(closeTestTasks);

	it("are listed in the prompt of an agent that may start tasks, with what they are for", async () => {
		const [system = ""] = systems(await asked([check]));
		const listed = /# Types of tasks\n\n((?:- .*\n)+)/.exec(system)?.[1]?.split("\n") ?? [];
		assert.deepEqual(
			listed.map((line) => line.split(":")[0]),
			["- general", "- explore", "- plan", "- dependency-check", ""],
		);
		assert.equal(listed[3], "- dependency-check: Finds outdated dependencies");
	});

	it("are not listed for an agent that starts no tasks", async () => {
		const [alone, plain] = [await asked([], { ...caller, optIn: [] }), await asked([check], { ...caller, optIn: [] })];
		assert.ok(!systems(plain)[0]?.includes("Types of tasks"));
		assert.deepEqual(systems(plain), systems(alone));
	});

	it("are told with the next message when they come, change, or go; the prompt stays as it is", async () => {
		const types = [check];
		const setup = await asked(types);
		types.push(custom("tests", "Writes tests."));
		await setup.caller.send("Two");
		types.splice(0, 2, custom("tests", "Writes and runs tests."));
		await setup.caller.send("Three");
		await setup.caller.send("Four");
		assert.equal(new Set(systems(setup)).size, 1);
		const said = setup.caller.state.events.flatMap((event) => (event.type === "user" ? [event.context] : []));
		assert.match(said[1] ?? "", /There now .*:\n- task type tests \(Writes tests\)\n<\/changes>/);
		assert.match(said[2] ?? "", /- task type tests \(Writes and runs tests\)\nNo longer there:\n- task type dependency-check/);
		assert.equal(said[3], undefined);
	});
});

// Tests repeated approvals in a session: the third card offers a way to stop asking.
import assert from "node:assert/strict";
import type { EventOf } from "../../../src/core/events.ts";
import { FILES, type Stage, stage, strike } from "./stage.ts";

/** Allows once whatever is asked. */
function allowing(scene: Stage): Stage {
	scene.house.sessions.listen({
		event(_, event) {
			if (event.type !== "asked") return;
			scene.clock.ahead += 1_000;
			void scene.conversation.answer(event.request, { allow: true }, "person", event.hash);
		},
	});
	return scene;
}

/** One call with every message. */
const calling = (calls: { name: string; input: unknown }[], options: Parameters<typeof stage>[1]) =>
	stage(
		(request) => {
			const call = request.events.at(-1)?.type === "result" ? undefined : calls.shift();
			return call ? { calls: [call] } : { text: "Done." };
		},
		{ role: "actor", files: FILES, ...options },
	).then(allowing);

async function often(scene: Stage, turns: number): Promise<EventOf<"asked">["often"][]> {
	for (let turn = 0; turn < turns; turn++) await scene.conversation.send("Go on");
	return scene.conversation.state.events.flatMap((event) => (event.type === "asked" ? [event.often] : []));
}

const npmTest = { name: "execute_command", input: { command: "npm test" } };
const create = (path: string) => ({ name: "create_file", input: { path, content: "x" } });

describe("what a person allows a third time in a session", () => {
	afterEach(strike);

	it("offers what would end it: to allow it always, where that is offered", async () => {
		const files = { "package.json": '{ "scripts": { "test": "echo tested" } }\n' };
		const scene = await calling([npmTest, npmTest, npmTest, npmTest], { files });
		assert.deepEqual(await often(scene, 4), [
			undefined,
			undefined,
			{ text: "You allowed npm test twice in this session.", ends: "always" },
			{ text: "You allowed npm test 3 times in this session.", ends: "always" },
		]);
	});

	it("offers the setting, for changes of files of every kind", async () => {
		const edit = { name: "update_file", input: { path: "src/hello.ts", old: "hello", new: "hallo" } };
		for (const approval of ["ask", "plan"] as const) {
			const scene = await calling([create("a.md"), edit, create("b.md")], { settings: { approval } });
			assert.deepEqual(await often(scene, 3), [
				undefined,
				undefined,
				{ text: "You allowed file changes twice in this session.", ends: "approval" },
			]);
		}
	});

	it("offers to allow always only what was allowed that often, all of it", async () => {
		const files = { "package.json": '{ "scripts": { "test": "echo tested", "build": "echo built" } }\n' };
		const both = { name: "execute_command", input: { command: "npm test && npm run build" } };
		const scene = await calling([npmTest, npmTest, both, both, both], { files });
		assert.deepEqual(await often(scene, 5), [
			undefined,
			undefined,
			undefined,
			undefined,
			{ text: "You allowed npm run build twice in this session.", ends: "always" },
		]);
	});

	it("names the rule that asks", async () => {
		const rules = { deny: [], ask: ["execute_command(npm test)"], allow: [] };
		const scene = await calling([npmTest, npmTest, npmTest], { settings: { rules } });
		assert.deepEqual((await often(scene, 3)).at(-1), {
			text: "You allowed this twice in this session. Your rule execute_command(npm test) requires approval each time.",
			ends: "permissions",
		});
	});

	it("offers nothing where nothing would end it, and counts neither what was denied nor another agent's", async () => {
		const remove = (path: string) => ({ name: "delete_file", input: { path } });
		const deleting = await calling([remove("a"), remove("b"), remove("c")], { files: { a: "1", b: "2", c: "3" } });
		assert.deepEqual(await often(deleting, 3), [undefined, undefined, undefined]);
		const switched = await calling([create("a.md"), create("b.md"), create("c.md")], {
			settings: { approval: "ask" },
			agents: [{ agentId: "other", displayName: "Other" }],
		});
		await often(switched, 2);
		await switched.conversation.setAgent("other");
		assert.deepEqual(await often(switched, 1), [undefined, undefined, undefined]);
	});
});

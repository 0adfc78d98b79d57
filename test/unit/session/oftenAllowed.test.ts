// Tests repeated approvals in a session: the third card offers a way to stop asking.
import assert from "node:assert/strict";
import type { EventOf } from "../../../src/core/events.ts";
import { closeTestSessions, FILES, openTestSession, type TestSession } from "./testSession.ts";

/** Allows once whatever is asked. */
function allowing(setup: TestSession): TestSession {
	setup.app.sessions.listen({
		event(_, event) {
			if (event.type !== "asked") return;
			setup.clock.ahead += 1_000;
			void setup.session.answer(event.request, { allow: true }, "person", event.hash);
		},
	});
	return setup;
}

/** One call with every message. */
const calling = (calls: { name: string; input: unknown }[], options: Parameters<typeof openTestSession>[1]) =>
	openTestSession(
		(request) => {
			const call = request.events.at(-1)?.type === "result" ? undefined : calls.shift();
			return call ? { calls: [call] } : { text: "Done." };
		},
		{ role: "actor", files: FILES, ...options },
	).then(allowing);

async function often(setup: TestSession, turns: number): Promise<EventOf<"asked">["often"][]> {
	for (let turn = 0; turn < turns; turn++) await setup.session.send("Go on");
	return setup.session.state.events.flatMap((event) => (event.type === "asked" ? [event.often] : []));
}

const npmTest = { name: "execute_command", input: { command: "npm test" } };
const create = (path: string) => ({ name: "create_file", input: { path, content: "x" } });

describe("what a person allows a third time in a session", () => {
	afterEach(closeTestSessions);

	it("offers what would end it: to allow it always, where that is offered", async () => {
		const files = { "package.json": '{ "scripts": { "test": "echo tested" } }\n' };
		const setup = await calling([npmTest, npmTest, npmTest, npmTest], { files });
		assert.deepEqual(await often(setup, 4), [
			undefined,
			undefined,
			{ text: "You allowed npm test twice in this session.", ends: "always" },
			{ text: "You allowed npm test 3 times in this session.", ends: "always" },
		]);
	});

	it("offers the setting, for changes of files of every kind", async () => {
		const edit = { name: "update_file", input: { path: "src/hello.ts", old: "hello", new: "hallo" } };
		for (const approval of ["ask", "plan"] as const) {
			const setup = await calling([create("a.md"), edit, create("b.md")], { settings: { approval } });
			assert.deepEqual(await often(setup, 3), [
				undefined,
				undefined,
				{ text: "You allowed file changes twice in this session.", ends: "approval" },
			]);
		}
	});

	it("offers to allow always only what was allowed that often, all of it", async () => {
		const files = { "package.json": '{ "scripts": { "test": "echo tested", "build": "echo built" } }\n' };
		const both = { name: "execute_command", input: { command: "npm test && npm run build" } };
		const setup = await calling([npmTest, npmTest, both, both, both], { files });
		assert.deepEqual(await often(setup, 5), [
			undefined,
			undefined,
			undefined,
			undefined,
			{ text: "You allowed npm run build twice in this session.", ends: "always" },
		]);
	});

	it("names the rule that asks", async () => {
		const rules = { deny: [], ask: ["execute_command(npm test)"], allow: [] };
		const setup = await calling([npmTest, npmTest, npmTest], { settings: { rules } });
		assert.deepEqual((await often(setup, 3)).at(-1), {
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
		await switched.session.setAgent("other");
		assert.deepEqual(await often(switched, 1), [undefined, undefined, undefined]);
	});
});

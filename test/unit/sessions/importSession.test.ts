// Tests importing sessions from files: their messages are available, and none of their approvals apply.
import assert from "node:assert/strict";
import { currentPlan, pendingRequests } from "../../../src/core/transcript/state.ts";
import { toConversationMessages } from "../../../src/models/wire/conversationMessages.ts";
import { joinText, streamExport } from "../../../src/sessions/exportSession.ts";
import { importSession } from "../../../src/sessions/importSession.ts";
import { closeTestSessions, EDIT, FILES, openTestSession, PLAN, type TestSession } from "../session/testSession.ts";

async function imported({ app }: TestSession, text: string, file = "chat.json") {
	const { sessionId, ...counted } = await importSession(app.sessions, text, file);
	const session = await app.sessions.get(sessionId);
	const own = session.state.events.filter((event) => event.imported);
	return { sessionId, counted, session, state: session.state, own };
}

const lines = (entries: readonly object[]) => entries.map((entry) => JSON.stringify(entry)).join("\n");

/** As Claude Code keeps them: a block a line. */
const CLAUDE = [
	{ type: "summary", summary: "Reading a.ts", leafUuid: "x" },
	{ type: "file-history-snapshot", snapshot: {} },
	{ type: "user", uuid: "u1", timestamp: "2026-01-01T00:00:00.000Z", message: { role: "user", content: "Read both" } },
	{ type: "user", isMeta: true, message: { role: "user", content: "noted for itself" } },
	{ type: "assistant", uuid: "a1", message: { id: "m1", role: "assistant", content: [{ type: "text", text: "I read." }] } },
	{
		type: "assistant",
		uuid: "a2",
		message: { id: "m1", role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Read", input: { file_path: "a" } }] },
	},
	{
		type: "assistant",
		uuid: "a3",
		message: { id: "m1", role: "assistant", content: [{ type: "tool_use", id: "t2", name: "Read", input: { file_path: "b" } }] },
	},
	{ type: "user", uuid: "u2", message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "one" }] } },
	{
		type: "user",
		uuid: "u3",
		message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t2", content: "gone", is_error: true }] },
	},
	{ type: "assistant", isSidechain: true, message: { id: "m9", role: "assistant", content: [{ type: "text", text: "a subagent's" }] } },
	{
		type: "assistant",
		uuid: "a4",
		timestamp: "2026-01-01T00:00:09.000Z",
		message: { id: "m2", role: "assistant", content: [{ type: "text", text: "One, and none." }] },
	},
];

describe("a conversation from a file", () => {
	afterEach(closeTestSessions);

	it("of ours begins in the first role, with nothing that runs, waits or is allowed", async () => {
		const script = [{ calls: [{ name: "present_plan", input: PLAN }] }, { calls: [EDIT] }, { text: "Changed." }];
		const setup = await openTestSession(script, { files: FILES, settings: { approval: "ask" } });
		await setup.session.send("Plan it");
		const executed = setup.session.executePlan({});
		await setup.answer({ allow: true, scope: "session" });
		await executed;
		assert.equal(setup.session.state.run?.state, "running");
		const [session] = await setup.app.sessions.list();
		assert.ok(session);
		const text = await joinText(await streamExport(setup.app.sessions, session, "json"));
		const { state, own, session: copy, counted, sessionId } = await imported(setup, text);
		assert.deepEqual([state.role, state.run, currentPlan(state), pendingRequests(state)], ["planner", undefined, undefined, []]);
		assert.deepEqual([state.changed.size, copy.decisions.approved.of(setup.app.policy.agents()[0] as never).length], [0, 0]);
		assert.deepEqual([...new Set(own.map(({ type }) => type))].sort(), ["assistant", "result", "user"]);
		assert.ok(own.every(({ by }) => by !== "person" && by !== "api"));
		const said = toConversationMessages(state.events).map((each) => (each.by === "tools" ? "tools" : each.text));
		assert.ok(said.includes("Plan it") && said.includes("Changed.") && said.some((words) => words.startsWith("### Say hello louder")));
		assert.equal(counted.left, 0);
		// The list shows it on top, under a name.
		const [newest] = await setup.app.sessions.list();
		assert.deepEqual([newest?.sessionId, newest?.name], [sessionId, "Plan it"]);
	});

	it("goes on: the model has what was said, in pairs, and an edit asks as in any new session", async () => {
		const setup = await openTestSession([{ calls: [EDIT] }, { text: "Done." }], { files: FILES, settings: { approval: "ask" } });
		const older = [
			{ role: "User", content: "Make it loud", created_at: 1_700_000_000 },
			{ role: "assistant", content: null, tool_calls: [{ id: "x", function: { name: "update_file", arguments: "{}" } }] },
		];
		const { session, own } = await imported(setup, JSON.stringify({ title: "Loud", messages: older }));
		assert.deepEqual(
			own.map((event) => (event.type === "result" ? event.status : event.type)),
			["user", "assistant", "unknown"],
		);
		assert.equal(own[0]?.at, "2023-11-14T22:13:20.000Z");
		await session.setRole("actor");
		const turn = session.send("Go on");
		await new Promise<void>((resolve) => {
			setup.app.sessions.listen({ event: (_, { type }) => type === "asked" && resolve() });
		});
		const asked = pendingRequests(session.state)[0]?.event;
		assert.ok(asked?.type === "asked");
		setup.clock.ahead += 1_000;
		await session.answer(asked.request, { allow: false }, "person", asked.hash);
		await turn;
		const [first] = setup.model.requests;
		assert.deepEqual(
			toConversationMessages(first?.events ?? []).map(({ by }) => by),
			["person", "model", "tools", "person"],
		);
	});

	it("of Claude Code has its messages and calls, without side conversations", async () => {
		const setup = await openTestSession([], { files: FILES });
		const { sessionId, own, counted } = await imported(setup, lines(CLAUDE), "transcript.jsonl");
		assert.deepEqual(
			own.map((event) => {
				if (event.type === "assistant") return `${event.text} ${(event.calls ?? []).map(({ name }) => name)}`;
				return event.type === "result" ? `${event.status} ${event.output}` : event.type === "user" ? event.text : event.type;
			}),
			["Read both", "I read. Read,Read", "ok one", "error gone", "One, and none. "],
		);
		assert.equal(counted.left, 0);
		const known = (await setup.app.sessions.list()).find((session) => session.sessionId === sessionId);
		assert.equal(known?.name, "Reading a.ts");
	});

	it("is refused with nothing made where the file holds no conversation", async () => {
		const setup = await openTestSession([], { files: FILES });
		const before = (await setup.app.sessions.list()).length;
		for (const text of ["", "{}", '{"compilerOptions": {}}', "[1, 2]", "# Notes\n\nNothing.", "\u0000\u0001"])
			await assert.rejects(importSession(setup.app.sessions, text, "x.json"), /Couldn't import x\.json/);
		assert.equal((await setup.app.sessions.list()).length, before);
	});
});

// Tests that the agent selector opens the main agent's one session, and never changes whose a session is.
import assert from "node:assert/strict";
import { MAIN_AGENT } from "../../../src/core/role.ts";
import { closeTestTasks, openTestTasks } from "../delegation/tasks/testTasks.ts";
import { chatOn, closeChats } from "./taskChat.ts";

describe("the agent selector", () => {
	afterEach(async () => {
		closeChats();
		await closeTestTasks();
	});

	it("opens the main agent's session, and from there that of another agent; neither session changes its agent", async () => {
		const setup = await openTestTasks({ caller: [{ text: "Hello." }] });
		const { sessions } = setup.app;
		const { chat, act, problems, session } = await chatOn(setup);
		await act({ type: "agent", session, agent: MAIN_AGENT });
		const { sessionId } = await sessions.latest(MAIN_AGENT);
		assert.equal(chat.sessionId, sessionId);
		await act({ type: "agent", session: sessionId, agent: "caller" });
		assert.equal(chat.sessionId, session);
		assert.deepEqual(problems, []);
		const agentOf = async (id: string) => (await sessions.get(id)).state.agent;
		assert.deepEqual([await agentOf(session), await agentOf(sessionId)], ["caller", MAIN_AGENT]);
		await act({ type: "agent", session, agent: MAIN_AGENT });
		assert.equal(chat.sessionId, sessionId, "it is the same one again");
	});
});

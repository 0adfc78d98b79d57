// Tests MCP tools in a whole turn: offered by role, approved by the user, and lasting approvals.
import assert from "node:assert/strict";
import { type ScriptedModel, scriptedModel } from "../../fakes/scriptedModel.ts";
import { openTestApp, type TestApp } from "../../fakes/testApp.ts";
import { faultServer, openTestMcp, type TestMcp, type TestMcpOptions } from "../../fakes/testMcp.ts";

const ECHO = "mcp__one__echo";

describe("Tools of MCP servers in a turn", () => {
	let setup: TestMcp;
	let app: TestApp;
	let model: ScriptedModel;
	afterEach(async () => {
		await app.close();
		await setup.room.dispose();
	});

	async function turn(role: string, options: Partial<TestMcpOptions> = {}, agent = {}) {
		setup = openTestMcp({ servers: [faultServer("one", "none")], ...options });
		model = scriptedModel([{ calls: [{ name: ECHO, input: { words: "hi" } }] }, { text: "Done." }]);
		const own = { agentId: "own", displayName: "Own", mcpServers: ["one"], ...agent };
		app = await openTestApp({ model, agents: [own], sources: [setup.room] });
		const { sessionId } = await app.sessions.create({ agentId: "own", role });
		const session = await app.sessions.get(sessionId);
		const asked: string[] = [];
		app.sessions.listen({
			event(_, event) {
				if (event.type !== "asked") return;
				asked.push(event.summary);
				// As the person would: answers at once are not taken.
				setTimeout(() => void session.answer(event.request, { allow: true }, "person", event.hash).catch(() => undefined), 600);
			},
		});
		await session.send({ text: "Go" });
		const result = session.state.events.findLast((event) => event.type === "result");
		const offered = model.requests[0]?.tools.some(({ name }) => name === ECHO);
		return { asked, offered, status: result?.status, output: result?.output ?? "" };
	}

	it("a planner has none, whatever a server says of them", async () => {
		const { offered, status, asked } = await turn("planner");
		assert.deepEqual([offered, status, asked], [false, "denied", []]);
	});

	it("a planner has what the person marked as only reading", async () => {
		const { offered, output } = await turn("planner", { readOnly: () => true });
		assert.equal(offered, true);
		assert.match(output, /again: hi/);
	});

	it("an actor has them, and the person is asked", async () => {
		const { offered, asked, status, output } = await turn("actor");
		assert.deepEqual([offered, asked, status], [true, ["Run echo from one"], "ok"]);
		assert.match(output, /again: hi/);
	});

	it("an agent's lists count for them", async () => {
		const { offered, status } = await turn("actor", {}, { toolDenylist: ["mcp__one__*"] });
		assert.deepEqual([offered, status], [false, "denied"]);
	});

	it("a server that does not start is said in the conversation, and the turn goes on", async () => {
		const { status } = await turn("actor", { approves: () => false });
		assert.equal(status, "denied");
		const said = (await app.store.read((await app.sessions.list())[0]?.sessionId ?? "")).events;
		assert.ok(said.some((event) => event.type === "status" && event.level === "warning"));
	});
});

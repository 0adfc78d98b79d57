// An MCP server used from a shell: a real one from npm, behind its program.
import assert from "node:assert/strict";
import { npmServer, openTestMcp } from "../../fakes/testMcp.ts";
import { closeTestSessions, openTestSession, results } from "../session/testSession.ts";
import { command, shellAgent, uses } from "./testShell.ts";

describe("an MCP server from a shell", () => {
	afterEach(closeTestSessions);

	it("is called by its program, asks as its tool would, and is not offered as a tool", async () => {
		const servers = openTestMcp({ servers: [npmServer("every", "server-everything")] });
		const agents = [shellAgent({ mcpServers: ["every"], skillAllowlist: ["every"] })];
		let cli = "";
		const { session, model, app, answer } = await openTestSession(
			({ system }, call) => {
				cli ||= /CLI: ([^)]*every-cli)/.exec(system)?.[1] ?? "";
				return call === 0 ? { calls: [command(`${cli} echo --message 'a b'`), command(`${cli} get-sum --a 2 --b 3`)] } : { text: "Done." };
			},
			{ role: "actor", agents, sources: [servers.room] },
		);
		try {
			await session.setAgent("sheller");
			const turn = session.send("Go");
			await answer({ allow: true });
			await answer({ allow: false });
			await turn;
			const outputs = results(session).map(({ output }) => output);
			assert.match(outputs[0] ?? "", /exit code: 0\n[\s\S]*a b/);
			assert.match(outputs[1] ?? "", /exit code: 3/);
			assert.deepEqual(uses(session), ["mcp__every__echo ok", "mcp__every__get-sum denied"]);
			assert.ok(!model.requests[0]?.tools.some(({ name }) => name.startsWith("mcp__")));
			assert.ok(cli.endsWith("/every-cli"));
			assert.ok(app);
		} finally {
			await servers.room.dispose();
		}
	});
});

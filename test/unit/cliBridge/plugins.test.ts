// Plugins that ship with Troupe, used from a shell; and which way each exposure leads to them.
import assert from "node:assert/strict";
import type { AgentDefinition } from "../../../src/core/role.ts";
import { toolExposure } from "../../../src/gate/access.ts";
import { closeTestSessions, openTestSession, results } from "../session/testSession.ts";
import { command, program, shellAgent } from "./testShell.ts";

afterEach(closeTestSessions);

describe("notes at a command line", () => {
	it("are written, listed and read by their program", async () => {
		let cli = "";
		const lines = ["write --title 'To do' --text 'Feed the cat'", "list", "read --note 'to do'", "write --title 'To do' --text 'Other'"];
		const { session, app } = await openTestSession(
			(_, call) => (lines[call] === undefined ? { text: "Done." } : { calls: [command(`${cli} ${lines[call]}`)] }),
			{ role: "actor", agents: [shellAgent({ capabilityAllowlist: ["notes.*", "terminal.*"] })] },
		);
		await session.setAgent("sheller");
		cli = await program(app, session, "notes");
		await session.send("Go");
		const outputs = results(session).map(({ output }) => output);
		assert.match(outputs[0] ?? "", /exit code: 0\nCreated the note/);
		assert.match(outputs[1] ?? "", /exit code: 0\n[\s\S]*To do/);
		assert.match(outputs[2] ?? "", /Feed the cat/);
		assert.match(outputs[3] ?? "", /exit code: 1/);
	});
});

describe("the programs of an agent without lists", () => {
	it("do from the start all that their plugins can", async () => {
		let cli = "";
		const { session, app } = await openTestSession(
			(_, call) => (call === 0 ? { calls: [command(`${cli} list`), command(`${cli} search --query cat`)] } : { text: "Done." }),
			{ role: "actor", agents: [shellAgent({ skillAllowlist: ["notes"] })] },
		);
		await session.setAgent("sheller");
		cli = await program(app, session, "notes");
		await session.send("Go");
		for (const { output } of results(session)) assert.match(output, /exit code: 0\n[\s\S]*\[none\]/);
	});
});

describe("the way to a tool", () => {
	const agent = (exposure: AgentDefinition["toolExposure"]): AgentDefinition => ({
		agentId: "a",
		displayName: "A",
		skillAllowlist: ["notes", "mcp"],
		...(exposure && { toolExposure: exposure }),
	});
	const tool = (plugin: string, more: object = {}) => ({ name: `${plugin}_do`, plugin, ...more }) as never;

	it("follows the exposure and the skill lists, and plugins that acting rests on stay tools", () => {
		const way = (exposure: AgentDefinition["toolExposure"], one: never) => toolExposure(agent(exposure), one);
		const grid = (one: never) => ([undefined, "tools", "skills", "mixed"] as const).map((exposure) => way(exposure, one));
		assert.deepEqual(grid(tool("notes")), ["tool", "tool", "shell", "shell"]);
		assert.deepEqual(grid(tool("web")), ["tool", "tool", "none", "tool"]);
		for (const core of ["files", "terminal", "plan", "skills", "agents"])
			assert.deepEqual(grid(tool(core)), ["tool", "tool", "tool", "tool"]);
		assert.deepEqual(grid(tool("x", { name: "system_x" })), ["tool", "tool", "tool", "tool"]);
		const external = { definitionHash: "", readOnly: true };
		assert.deepEqual(grid(tool("files", { external })), ["tool", "tool", "none", "tool"]);
		assert.deepEqual(grid(tool("mcp", { external, name: "system_x" })), ["tool", "tool", "shell", "shell"]);
	});
});

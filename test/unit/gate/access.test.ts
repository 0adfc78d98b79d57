// Calls that are refused before their input counts: unknown tools, plugins that are off, exposure, and lists.
import assert from "node:assert/strict";
import type { CallAttempt, Verdict } from "../../../src/core/ports/gate.ts";
import { authorize, diverted, offers, refuse } from "../../../src/gate/authorize.ts";
import { actor, agent, file, line, planner, request, rules, tools } from "./world.ts";

const access = { pluginsOff: [] };
const notes = { name: "notes_list", plugin: "notes", permissions: [], capabilities: ["notes.read"] };
const spawn = { name: "spawn_subagent", plugin: "tasks", permissions: [], capabilities: ["tasks.start"], optIn: true as const };
const taking = { ...agent, optIn: ["tasks"] };
const shellAgent = { ...agent, toolExposure: "skills" as const, skillAllowlist: ["notes"] };

function attempt(more: Partial<CallAttempt>): CallAttempt {
	const { tool = tools.read } = more;
	return { agent, role: actor, called: tool.name, access, fits: true, ...more, tool: "tool" in more ? more.tool : tool };
}

function told(verdict: Verdict | undefined): string | undefined {
	return verdict && `${verdict.decision} by ${verdict.layer}: ${verdict.reason}`;
}

describe("a call before its input counts", () => {
	const refused: [string, Partial<CallAttempt>, string][] = [
		[
			"a tool that does not exist",
			{ tool: undefined, called: "ask_user" },
			"deny by unknown: There is no tool ask_user. Use one of those offered.",
		],
		[
			"a plugin that is switched off",
			{ tool: notes, access: { pluginsOff: ["notes"] } },
			"deny by scope: The plugin notes is switched off. Do without notes_list.",
		],
		[
			"a command where none can be run",
			{ tool: tools.run, access: { ...access, commandsUnavailable: "No shell was found." } },
			"deny by scope: No shell was found.",
		],
		[
			"a tool that the role has no use for",
			{ tool: { ...tools.plan, suits: ({ acts }) => acts !== undefined } },
			"deny by scope: present_plan is not offered here. Use one of the tools that are.",
		],
		[
			"as a tool what is reached from a shell",
			{ agent: shellAgent, tool: notes, access: { ...access, program: "/bin/notes-cli" } },
			"deny by scope: notes_list is not called as a tool here: this agent uses the plugin notes from a shell, by /bin/notes-cli with execute_command.",
		],
		[
			"as a tool what a shell would reach in another role",
			{ agent: shellAgent, tool: notes },
			"deny by scope: notes_list is not called as a tool here: this agent uses the plugin notes from a shell, which your role has no use of now.",
		],
		[
			"a plugin that no skill list lets in",
			{ agent: shellAgent, tool: tools.fetch },
			"deny by scope: This agent does not use the plugin web. Do without web_fetch.",
		],
		[
			"from a shell what another plugin's program calls",
			{ agent: shellAgent, tool: notes, access: { ...access, shell: "web" } },
			"deny by scope: notes_list is not reached by this program. Nothing ran.",
		],
		[
			"from a shell what the agent calls as a tool",
			{ tool: notes, access: { ...access, shell: "notes" } },
			"deny by scope: notes_list is not reached by this program. Nothing ran.",
		],
		[
			"a tool that the agent's lists keep out, without a word on its arguments",
			{ agent: { ...agent, toolDenylist: ["read_*"] }, fits: false },
			"deny by scope: read_file is not offered here. Use one of the tools that are.",
		],
		[
			"a tool that the agent's lists keep out",
			{ agent: { ...agent, toolDenylist: ["read_*"] } },
			"deny by scope: The agent General Assistant isn't configured to use read_file.",
		],
		[
			"a tool of an opt-in plugin that the agent doesn't name",
			{ agent: { ...agent, optIn: ["task", "Tasks", "tasks "] }, tool: spawn },
			"deny by scope: The agent General Assistant isn't configured to use spawn_subagent. The plugin tasks isn't in its optIn list.",
		],
		[
			"a tool of an opt-in plugin, however its name begins",
			{ tool: { ...spawn, name: "system_spawn" } },
			"deny by scope: The agent General Assistant isn't configured to use system_spawn. The plugin tasks isn't in its optIn list.",
		],
		[
			"a tool of an opt-in plugin that another agent runs itself",
			{ tool: spawn, access: { ...access, foreign: "Task" } },
			"deny by scope: The agent General Assistant isn't configured to use spawn_subagent. The plugin tasks isn't in its optIn list.",
		],
		[
			"a tool of an opt-in plugin from a shell",
			{ agent: shellAgent, tool: { ...notes, optIn: true }, access: { ...access, shell: "notes" } },
			"deny by scope: The agent General Assistant isn't configured to use notes_list. The plugin notes isn't in its optIn list.",
		],
		[
			"a tool of an opt-in plugin that the agent names and its lists keep out",
			{ agent: { ...taking, capabilityDenylist: ["tasks.*"] }, tool: spawn },
			"deny by scope: The agent General Assistant isn't configured to use spawn_subagent.",
		],
		[
			"a tool beyond the powers of whoever asked",
			{ tool: tools.run, ceiling: ["ReadFiles"] },
			"deny by role: The agent that delegated this task can't run commands, so this agent can't either.",
		],
		[
			"another agent's tool that has the effect of none of ours",
			{ tool: undefined, called: "launch", access: { ...access, foreign: "Launch" } },
			"deny by unknown: Nothing here has the effect of Launch, so it cannot be judged.",
		],
		[
			"another agent's tool whose arguments are not ours",
			{ fits: false, access: { ...access, foreign: "Read" } },
			"deny by input: The arguments of Read cannot be judged as those of read_file.",
		],
	];

	for (const [what, given, want] of refused) it(`is refused for ${what}`, () => assert.equal(told(refuse(attempt(given))), want));

	it("is refused in the words of the role it has, before any of its paths is looked at", () => {
		assert.equal(refuse(attempt({ role: planner, tool: tools.update }))?.layer, "role");
	});

	it("goes on where nothing keeps it out, whether its arguments fit or not", () => {
		for (const given of [
			{},
			{ fits: false },
			{ tool: tools.plan },
			{ tool: notes, agent: shellAgent, access: { ...access, shell: "notes" } },
			{ tool: spawn, agent: taking },
			{ tool: { ...notes, optIn: true }, agent: { ...shellAgent, optIn: ["notes"] }, access: { ...access, shell: "notes" } },
			// The way in which a task answers is not for lists to close; tasks are no programs of a shell.
			{ tool: { ...spawn, plugin: "task" }, agent: { ...agent, optIn: ["task"], toolAllowlist: [], capabilityAllowlist: [] } },
			{ tool: spawn, agent: { ...taking, toolExposure: "skills", skillAllowlist: [] } },
		] satisfies Partial<CallAttempt>[])
			assert.equal(refuse(attempt(given)), undefined, JSON.stringify(given));
	});

	it("is judged alike when it is offered, when it is tried, and when everything of it is known", () => {
		const open = { mode: "auto" as const, rules: rules({ allow: ["*"] }) };
		for (const [what, given] of refused) {
			const { called: _, fits, tool, ...known } = attempt(given);
			if (!tool || !fits) continue;
			assert.equal(offers({ ...known, tool }), false, what);
			assert.equal(authorize(request({ ...open, ...known, tool })).decision, "deny", what);
		}
	});
});

describe("a call that a person allowed", () => {
	it("is not carried out where a path of it leads elsewhere by then", () => {
		const asked = { paths: [file("a", "write")], command: line("cat a") };
		assert.equal(diverted(asked, structuredClone(asked)), undefined);
		for (const now of [
			{ ...asked, paths: [{ ...file("a", "write"), real: "/etc/passwd" }] },
			{ ...asked, paths: [] },
		])
			assert.equal(told(diverted(asked, now))?.slice(0, 18), "deny by protected:");
	});
});

describe("what another agent runs by itself", () => {
	const reading = { tool: tools.run, command: line("ls") };
	const foreign = { ...access, foreign: "Shell" };

	it("asks for a command that ours would run unasked only because it is hardened", () => {
		assert.equal(authorize(request(reading)).decision, "allow");
		assert.deepEqual(
			[{ canAsk: true }, { canAsk: false }].map((more) => authorize(request({ ...reading, access: foreign, ...more })).decision),
			["ask", "deny"],
		);
	});
});

describe("what another agent does not say all of", () => {
	const unclear = { ...access, foreign: "Shell", unclear: "Its content isn't known." };
	const judged = (more: Parameters<typeof request>[0]) => authorize(request({ mode: "auto", access: unclear, ...more }));

	it("asks for it where everything is allowed, offers nothing, and is denied where nobody can be asked", () => {
		const all = { tool: tools.update, paths: [file("src/a.ts", "write")], rules: rules({ allow: ["*"] }) };
		assert.deepEqual([judged(all).decision, judged(all).reason, judged(all).grants], ["ask", "Its content isn't known.", []]);
		assert.equal(judged({ ...all, canAsk: false }).decision, "deny");
		assert.deepEqual(judged({ ...all, mode: "ask", rules: rules({}) }).grants, []);
		assert.equal(judged({ ...all, rules: rules({ deny: ["update_file"] }) }).decision, "deny");
	});
});

describe("what a person asks for themselves", () => {
	const byPerson = { pluginsOff: ["files", "web"], byPerson: true as const };
	const judged = (more: Parameters<typeof request>[0]) =>
		authorize(request({ mode: "ask", access: { pluginsOff: [], byPerson: true }, ...more }));

	it("is fetched whatever the approval mode says, where their own rules say nothing else", () => {
		const page = { tool: tools.fetch, url: "https://example.org/", unchecked: true as const };
		assert.equal(authorize(request({ mode: "ask", ...page })).decision, "ask");
		assert.equal(judged(page).decision, "allow");
		assert.equal(judged({ ...page, rules: rules({ ask: ["web_fetch"] }) }).layer, "rules");
		assert.equal(judged({ ...page, rules: rules({ deny: ["web_fetch"] }) }).decision, "deny");
	});

	it("still asks where it changes or runs anything", () => {
		for (const call of [
			{ tool: tools.update, paths: [file("a", "write")] },
			{ tool: tools.remove, paths: [file("a", "delete")] },
			{ tool: tools.run, command: line("npm test") },
		])
			assert.equal(judged(call).decision, "ask", call.tool.name);
	});

	it("is read whatever tools are switched off for agents, and not fetched", () => {
		assert.equal(refuse(attempt({ access: byPerson })), undefined);
		assert.match(told(refuse(attempt({ tool: tools.fetch, access: byPerson }))) ?? "", /The plugin web is switched off/);
	});
});

// Settings as they come from the editor, checked: what counts and what the person is told.
import assert from "node:assert/strict";
import { homedir } from "node:os";
import { builtinRoles } from "../../../src/agents/builtinRoles.ts";
import { parseSettings, type RawSettings } from "../../../src/settings/settings.ts";

/** What the editor gives where the person has set nothing. */
const untouched: RawSettings = {
	model: "auto",
	maxSteps: 100,
	providers: {},
	roleModels: {},
	agents: [],
	roles: [],
	mcpServers: {},
	approval: "plan",
	readingCommands: "allow",
	permissions: {},
	environment: [],
	shell: "",
	sandbox: "auto",
	sandboxWritable: [],
	defaultRole: "planner",
	delegation: {},
	tasks: {},
	persona: {},
	disabledPlugins: [],
};

const auditor = { id: "auditor", label: "Auditor", permissions: ["ReadFiles"], prompt: "Audit." };

describe("the settings", () => {
	it("are fine as they come", () => {
		assert.deepEqual(parseSettings(untouched), {
			model: "auto",
			providers: {},
			roleModels: {},
			agents: [],
			roles: [...builtinRoles],
			approval: "plan",
			approvalCeiling: "auto",
			readingCommands: "allow",
			rules: { deny: [], ask: [], allow: [] },
			defaultRole: "planner",
			delegation: { maxDepth: 1, timeout: 300, maxConcurrent: 4, maxTokens: 1_000_000 },
			tasks: {
				maxConcurrent: 3,
				maxSteps: 60,
				maxTokens: 400_000,
				maxMinutes: 60,
				isolation: "auto",
				copyIgnored: ["**/node_modules", "**/.venv"],
			},
			persona: {},
			maxSteps: 100,
			pluginsOff: [],
			environment: [],
			shell: "",
			sandbox: "auto",
			sandboxWritable: [],
			mcpServers: { servers: [], ids: [] },
			problems: [],
		});
	});

	it("name a default role that does not exist, once, and new sessions start as planner", () => {
		const { defaultRole, problems } = parseSettings({ ...untouched, defaultRole: "auditor" });
		assert.equal(defaultRole, "planner");
		assert.equal(problems.length, 1);
		assert.match(problems[0] ?? "", /“auditor” in troupe\.defaultRole doesn't exist\. New sessions start as planner/);
	});

	it("take a default role of the person's own", () => {
		const { defaultRole, problems } = parseSettings({ ...untouched, roles: [auditor], defaultRole: "auditor" });
		assert.deepEqual({ defaultRole, problems }, { defaultRole: "auditor", problems: [] });
	});

	it("name each role that is left out, and keep the others; agents go to the registry as they are", () => {
		const entries = [
			{ agentId: "cli", type: 1 },
			{ agentId: "writer", displayName: "Writer" },
		];
		const { agents, roles, problems } = parseSettings({ ...untouched, agents: entries, roles: [{ ...auditor, id: "actor" }, auditor] });
		assert.deepEqual(agents, entries);
		assert.equal(roles.length, builtinRoles.length + 1);
		assert.equal(problems.length, 1);
		assert.match(problems[0] ?? "", /^Setting troupe\.roles: “actor” \(entry 1\)/);
	});

	it("take a preset without an address, and name a provider that has none", () => {
		const { providers, problems } = parseSettings({
			...untouched,
			providers: {
				groq: { type: "openai-compatible", models: ["one", { id: "two", window: 8_000, price: { input: 1, output: 2 }, effort: "low" }] },
				mine: { type: "openai-compatible" },
				vscode: { type: "anthropic" },
				odd: { type: "openai", models: [{ id: "x", window: "large" }] },
			},
		});
		assert.deepEqual(Object.keys(providers), ["groq"]);
		assert.deepEqual(problems, [
			"The setting troupe.providers.mine is ignored because it has no baseUrl. Add a baseUrl, for example http://127.0.0.1:8000/v1.",
			"The setting troupe.providers.vscode is ignored because the provider name isn't allowed. Choose another name without a slash.",
			"The setting troupe.providers.odd is invalid at models.0: Invalid input. The setting is ignored.",
		]);
	});

	it("take a model for each role, from the person or the role", () => {
		const { roleModels, roles, problems } = parseSettings({
			...untouched,
			roleModels: { planner: "openai/gpt-5" },
			roles: [{ ...auditor, model: "anthropic/claude" }],
		});
		assert.deepEqual([roleModels, roles.at(-1)?.model, problems], [{ planner: "openai/gpt-5" }, "anthropic/claude", []]);
	});

	it("close the gate where the rules cannot be read", () => {
		const { rules, problems } = parseSettings({ ...untouched, permissions: { deny: "everything" } });
		assert.ok("invalid" in rules);
		assert.match(problems[0] ?? "", /troupe\.permissions is invalid at deny.*can't make changes until/);
	});

	it("limit the approval mode by the machine's setting and by a policy, and one that nobody knows to asking", () => {
		const ceiling = (more: object) => parseSettings({ ...untouched, ...more }).approvalCeiling;
		assert.equal(ceiling({ approvalLimit: "edits" }), "edits");
		assert.equal(ceiling({ approvalLimit: "edits", approvalPolicy: "plan" }), "plan");
		assert.equal(ceiling({ approvalLimit: "never" }), "ask");
		assert.equal(ceiling({ approvalPolicy: 7 }), "ask");
	});

	it("say which limit of calls between agents is invalid, and take its strictest value", () => {
		const { delegation, problems } = parseSettings({ ...untouched, delegation: { maxDepth: 11 } });
		assert.equal(delegation.maxDepth, 0);
		assert.deepEqual(problems, [
			"The setting troupe.delegation.maxDepth must be a whole number from 0 to 10. Until you fix it, 0 applies.",
		]);
	});

	it("say which limit of tasks is invalid, and take its strictest value", () => {
		const { tasks, problems } = parseSettings({ ...untouched, tasks: { isolation: "off" } });
		assert.equal(tasks.isolation, "always");
		assert.deepEqual(problems, [
			"The setting troupe.tasks.isolation must be one of auto, always, never. Until you fix it, always applies.",
		]);
	});

	it("ask for everything where the approval mode is not one", () => {
		assert.equal(parseSettings({ ...untouched, approval: "never" }).approval, "ask");
	});

	it("let nothing run unasked without a sandbox where what is said of it is not understood", () => {
		for (const sandbox of ["on", true, null]) {
			const { sandbox: taken, problems } = parseSettings({ ...untouched, sandbox });
			assert.equal(taken, "required");
			assert.match(problems[0] ?? "", /troupe\.sandbox is invalid/);
		}
		assert.equal(parseSettings({ ...untouched, sandbox: "off" }).sandbox, "off");
	});

	it("open folders to the sandbox that are named whole, and never a home folder or what is above it", () => {
		const given = [
			"~/.gradle",
			"/var/cache/x",
			"~",
			"~/",
			"/",
			"~/..",
			"~/a/../..",
			"relative",
			"",
			"/home",
			homedir(),
			"~/a\nb",
			"~other/x",
			"//",
		];
		const { sandboxWritable, problems } = parseSettings({ ...untouched, sandboxWritable: given });
		assert.deepEqual(
			sandboxWritable,
			homedir().startsWith("/home/") ? ["~/.gradle", "/var/cache/x"] : ["~/.gradle", "/var/cache/x", "/home"],
		);
		assert.equal(problems.length, given.length - sandboxWritable.length);
		assert.match(problems[0] ?? "", /“~” in the setting troupe\.sandboxWritable is ignored/);
	});

	it("ask for commands that only read where the person says so, or something that is not understood", () => {
		for (const readingCommands of ["ask", "never", true]) {
			assert.equal(parseSettings({ ...untouched, readingCommands }).readingCommands, "ask");
		}
	});
});

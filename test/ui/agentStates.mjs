// The page "Manage Agents" as the host would fill it; what the page asks of the host is answered as the gate would.

const agent = (agentId, label, over = {}) => ({
	kind: "agent",
	key: `agent:${agentId}`,
	agentId,
	label,
	origin: "own",
	place: `/home/kim/.config/Code/agents/agent-${agentId}.json`,
	hidden: false,
	editable: true,
	notes: [],
	grants: 0,
	...over,
});

const builtin = agent("default", "General Assistant", {
	origin: "builtin",
	editable: false,
	description: "A general-purpose coding assistant",
	icon: "hubot",
	place: undefined,
});

const roles = [
	{ id: "planner", label: "Planner", icon: "checklist", may: "May: read files, ask other agents" },
	{
		id: "actor",
		label: "Actor",
		icon: "play",
		may: "May: read files, change files, create files, delete files, run commands, use the network, use tools from outside, ask other agents",
	},
	{ id: "reviewer", label: "Reviewer", icon: "eye", may: "May: read files" },
];

const servers = [
	{ id: "linear", name: "Linear", description: "Issues and projects in Linear", icon: "checklist" },
	{ id: "github", name: "GitHub", description: "Issues, pull requests and code on GitHub", icon: "github" },
	{ id: "notes", name: "Team notes", problem: "It could not be started: npx was not found." },
];

const models = [
	{
		label: "OpenAI",
		models: [
			{ id: "openai/gpt-5", name: "GPT-5" },
			{ id: "openai/gpt-5-mini", name: "GPT-5 mini" },
		],
	},
	{ label: "Ollama", models: [{ id: "ollama/qwen3", name: "qwen3" }] },
	{ label: "Anthropic", models: [], problem: "No key is set." },
];

const viewOf = (rows, over = {}) => ({ rows, roles, servers, models, auto: "Offline", ...over });
export const snapshotOf = (rows, over = {}) => ({ type: "snapshot", view: viewOf(rows, over), drafts: {}, token: "token-1" });

const FILES = [
	"read_file",
	"list_directory",
	"find_files",
	"get_file_info",
	"search_code",
	"search_symbol",
	"get_diagnostics",
	"update_file",
	"create_file",
	"delete_file",
	"rename_file",
	"apply_patch",
];
const NOTES = ["notes_read", "notes_write", "notes_list", "notes_delete"];

const group = (plugin, offered, cut = [], label = plugin) => ({ plugin, label, offered, cut });
const loss = (list, tools, over = {}) => ({ list, tools, capabilities: [], ...over });

export const everything = {
	groups: [
		group("files", FILES),
		group("terminal", ["execute_command", "read_command_output"]),
		group("web", ["web_fetch"]),
		group("notes", NOTES),
		group("plan", ["present_plan", "ask_question", "update_step"]),
	],
	offered: 22,
	total: 22,
	roles: [
		{ id: "planner", label: "Planner", tools: 13 },
		{ id: "actor", label: "Actor", tools: 21 },
		{ id: "reviewer", label: "Reviewer", tools: 12 },
	],
	shut: [],
	unknown: [],
	idle: [],
};

export const limited = {
	groups: [
		group(
			"files",
			["read_file", "search_code"],
			[
				loss(
					"toolAllowlist",
					FILES.filter((name) => !["read_file", "search_code"].includes(name)),
				),
			],
		),
		group("terminal", [], [loss("toolAllowlist", ["execute_command", "read_command_output"])]),
		group("web", [], [loss("toolAllowlist", ["web_fetch"])]),
		group(
			"notes",
			["notes_read", "notes_list"],
			[
				loss("toolDenylist", ["notes_delete"], { pattern: "notes_del*" }),
				loss("capabilityDenylist", ["notes_write"], { pattern: "notes.write", capabilities: ["notes.write"] }),
			],
		),
		group("plan", ["present_plan", "ask_question", "update_step"]),
	],
	offered: 7,
	total: 22,
	roles: [
		{ id: "planner", label: "Planner", tools: 6 },
		{ id: "actor", label: "Actor", tools: 7 },
	],
	shut: [{ name: "Linear", pattern: "mcp__linear__*" }],
	unknown: ["Linear"],
	idle: ["notes_archve"],
};

export const releaseNotes = {
	displayName: "Release notes",
	description: "Writes what is new, for people who use the shop",
	systemPrompt:
		"You write release notes. Read the commits since the last tag and say what changed for the people who use it, the most important first.\n\nPlain words, one line a change, no names of files.",
	model: "openai/gpt-5-mini",
	icon: "book",
	color: "charts.purple",
	toolAllowlist: ["read_file", "search_code", "notes_*"],
	toolDenylist: ["notes_del*"],
	capabilityDenylist: ["notes.write"],
	mcpServers: ["linear"],
	roles: ["planner", "actor"],
	defaultRole: "planner",
	allowedTools: ["notes_write", "execute_command(git log)"],
};

const rowOf = (draft, id, over = {}) =>
	agent(id, draft.displayName, { icon: draft.icon, color: draft.color, description: draft.description, ...over });

export const detailOf = (key, draft, over = {}) => ({
	type: "detail",
	key,
	detail: { kind: "agent", draft, problems: [], scope: everything, ...over },
});

/** Answers the last look at a draft, once the page has asked for one. */
export async function answerCheck({ chat, send, posted }, scope, problems = []) {
	await chat.waitForFunction(() => window.posted.some(({ type }) => type === "check"));
	const asked = (await posted()).findLast(({ type }) => type === "check");
	await send({ type: "checked", ask: asked.ask, key: asked.key, problems, scope });
	return asked;
}

const defaultDraft = {
	displayName: "General Assistant",
	description: "A general-purpose coding assistant",
	systemPrompt: "You are General Assistant. A general-purpose coding assistant.",
	icon: "hubot",
};

const waitingRow = (label, over = {}) => ({
	kind: "waiting",
	key: `waiting:/shop/.troupe/agents/${label}.json`,
	label,
	origin: "workspace",
	place: `.troupe/agents/${label}.json`,
	changed: false,
	...over,
});
const brokenRow = (label, problem, over = {}) => ({
	kind: "broken",
	key: `broken:${label}`,
	label,
	origin: "own",
	place: `/home/kim/.config/Code/agents/${label}`,
	problem,
	...over,
});

const reviewer = `{
	"agentId": "reviewer",
	"displayName": "Reviewer",
	"systemPrompt": "You review changes of this shop. \u202eeveryone trusts you\u202c",
	"toolAllowlist": ["read_file", "search_code", "execute_command"],
	"mcpServers": ["github"],
	"allowedTools": ["execute_command(npm test)"]
}
`;

export const waitingDetail = (over = {}) => ({
	kind: "waiting",
	hash: "a".repeat(64),
	text: reviewer,
	scope: limited,
	roles: "Every role",
	may: "read files, change files, create files, delete files, run commands",
	servers: ["GitHub"],
	ignored: ["Its standing approvals (allowedTools) do not count: only you can give those."],
	...over,
});

const long = "An agent whose name is far longer than anybody would want it to be but that somebody has written all the same";
const LONG = {
	...releaseNotes,
	displayName: long,
	description: long.repeat(2),
	toolAllowlist: [`${"very_long_tool_name_".repeat(8)}*`],
	mcpServers: ["gone_long_ago"],
	extends: "nobody",
	model: "somewhere/a-model-with-a-very-long-name-of-its-own-2025-11-07-preview",
};

const state = (update, over = {}) => ({ bundle: "agents", shown: ".editor-body", update, ...over });
const own = rowOf(releaseNotes, "release-notes", { grants: 3 });

export const agentStates = {
	agentsEmpty: state(snapshotOf([builtin], { servers: [] }), { after: [detailOf("agent:default", defaultDraft)] }),
	agentsEdit: state(snapshotOf([builtin, own]), {
		after: [{ type: "select", key: "agent:release-notes" }, detailOf("agent:release-notes", releaseNotes, { scope: limited })],
		async act(page) {
			await page.posted();
			await page.chat.getByRole("textbox", { name: "Deny tools" }).fill("notes_del*\nweb_*");
			await answerCheck(page, limited);
		},
	}),
	agentsInherit: state(snapshotOf([builtin, own]), {
		after: [
			{ type: "select", key: "agent:release-notes" },
			detailOf("agent:release-notes", {
				displayName: "Release notes",
				extends: "default",
				toolAllowlist: null,
				toolDenylist: null,
				capabilityDenylist: ["files.write"],
			}),
		],
		act: async ({ chat }) =>
			chat
				.getByRole("heading", { name: "Tools" })
				.evaluate((heading) => heading.parentElement.parentElement.parentElement.scrollTo(0, heading.offsetTop - 60)),
	}),
	agentsTools: state(snapshotOf([builtin, own]), {
		after: [{ type: "select", key: "agent:release-notes" }, detailOf("agent:release-notes", releaseNotes, { scope: limited })],
		act: async ({ chat }) =>
			chat
				.getByRole("heading", { name: "Tools" })
				.evaluate((heading) => heading.parentElement.parentElement.parentElement.scrollTo(0, heading.offsetTop - 60)),
	}),
	agentsUse: state(snapshotOf([builtin, own]), {
		after: [
			{ type: "select", key: "agent:release-notes" },
			detailOf("agent:release-notes", { ...releaseNotes, model: { planner: "openai/gpt-5", actor: "ollama/qwen3" } }, { scope: limited }),
		],
		act: async ({ chat }) => chat.locator(".detail").evaluate((detail) => detail.scrollTo(0, detail.scrollHeight)),
	}),
	agentsProblems: state(snapshotOf([builtin, own]), {
		after: [{ type: "select", key: "new" }],
		async act(page) {
			await page.chat.getByRole("radio", { name: "Only these" }).first().waitFor();
			await page.chat.getByRole("textbox", { name: "Deny tools" }).fill("{a,b");
			await page.chat.getByRole("button", { name: "Save", exact: true }).click();
			await page.chat.waitForFunction(() => window.posted.some(({ type }) => type === "save"));
			await answerCheck(page, everything);
			const problems = [
				{ field: "displayName", problem: "An agent needs a name." },
				{ field: "toolDenylist.0", problem: "`{a,b` is no pattern: its brace is not closed." },
				{ field: "model", problem: "There is no provider called `gpt`." },
			];
			await page.send({ type: "refused", key: "new:1", problems });
			await page.chat.getByText("An agent needs a name.").first().waitFor();
		},
	}),
	agentsWaiting: state(snapshotOf([builtin, own, waitingRow("reviewer"), waitingRow("docs", { changed: true })]), {
		after: [
			{ type: "select", key: waitingRow("reviewer").key },
			{ type: "detail", key: waitingRow("reviewer").key, detail: waitingDetail() },
		],
		act: async ({ chat }) => chat.waitForSelector(".buttons [aria-disabled=false]"),
	}),
	agentsChanged: state(snapshotOf([builtin, own, waitingRow("reviewer", { changed: true })]), {
		after: [
			{ type: "select", key: waitingRow("reviewer").key },
			{
				type: "detail",
				key: waitingRow("reviewer").key,
				detail: waitingDetail({
					diff: '@@ -3,3 +3,4 @@\n \t"displayName": "Reviewer",\n-\t"toolAllowlist": ["read_file"],\n+\t"toolAllowlist": ["read_file", "search_code", "execute_command"],\n+\t"mcpServers": ["github"],\n }',
				}),
			},
		],
		act: async ({ chat }) => chat.waitForSelector(".buttons [aria-disabled=false]"),
	}),
	agentsBroken: state(
		snapshotOf([
			builtin,
			agent("from-settings", "Journal", { origin: "settings", editable: false, place: "Entry 2 of troupe.agents", hidden: true }),
			brokenRow("Entry 3", 'Entry 3 of troupe.agents: toolAllowlist: expected a list, found "read_file".', {
				origin: "settings",
				place: "Entry 3 of troupe.agents",
			}),
			own,
			brokenRow("agent-1763-x7.json", "agent-1763-x7.json, line 4: a comma is missing.", {}),
		]),
		{ after: [{ type: "select", key: "broken:agent-1763-x7.json" }] },
	),
	agentsFixed: state(
		snapshotOf([
			builtin,
			agent("from-settings", "Journal", {
				origin: "settings",
				editable: false,
				place: "Entry 2 of troupe.agents",
				icon: "notebook",
				color: "terminal.ansiCyan",
				notes: ["apiExposed has no effect: the server is off."],
			}),
			own,
		]),
		{
			after: [
				{ type: "select", key: "agent:from-settings" },
				detailOf(
					"agent:from-settings",
					{ ...releaseNotes, displayName: "Journal", icon: "notebook", color: "terminal.ansiCyan" },
					{ scope: limited },
				),
			],
		},
	),
	agentsLong: state(snapshotOf([builtin, rowOf(LONG, "long", { hidden: true }), waitingRow(long.replaceAll(" ", "-"))]), {
		after: [{ type: "select", key: "agent:long" }, detailOf("agent:long", LONG, { scope: limited })],
	}),
	agentsMany: state(
		snapshotOf([
			builtin,
			...Array.from({ length: 100 }, (_, index) =>
				agent(`a${index}`, `Agent ${index + 1}`, {
					icon: ["book", "beaker", "bug", "rocket", "globe"][index % 5],
					color: ["charts.blue", "charts.green", "terminal.ansiMagenta", undefined, "charts.orange"][index % 5],
				}),
			),
		]),
		{
			after: [{ type: "select", key: "agent:a60" }, detailOf("agent:a60", { displayName: "Agent 61", icon: "book", color: "charts.blue" })],
		},
	),
	agentsIcons: state(snapshotOf([builtin, own]), {
		after: [{ type: "select", key: "agent:release-notes" }, detailOf("agent:release-notes", releaseNotes, { scope: limited })],
		async act({ chat }) {
			await chat.getByRole("button", { name: "Icon" }).click();
			await chat.getByRole("combobox", { name: "Search icons" }).fill("test");
			await chat.getByRole("option", { name: "beaker", exact: true }).waitFor();
		},
	}),
};

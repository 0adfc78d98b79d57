// Builders for what the host sends to "Manage Agents", and answers to the page's checks of a draft.
import type { AgentDraft } from "../../../src/core/agent.ts";
import type {
	AgentDetail,
	AgentListRow,
	AgentRow,
	AgentsUpdate,
	AgentsView,
	DraftProblem,
	ScopeExclusionGroup,
	ScopeGroup,
	ScopeSummary,
} from "../../../src/shared/protocol/agents.ts";
import { type AgentsPage, type AgentsSnapshot, newest, ofType } from "../browser.ts";

type EditedAgent = Extract<AgentDetail, { kind: "agent" }>;
type UnapprovedAgent = Extract<AgentDetail, { kind: "waiting" }>;

export const agent = (agentId: string, label: string, over: Partial<AgentRow> = {}): AgentRow => ({
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

const { place: _, ...unplaced } = agent("default", "General Assistant", {
	origin: "builtin",
	editable: false,
	description: "A general-purpose coding assistant",
	icon: "hubot",
});
export const builtin: AgentRow = unplaced;

const roles = [
	{ id: "planner", label: "Planner", icon: "checklist", may: "May: read files, delegate to other agents" },
	{
		id: "actor",
		label: "Actor",
		icon: "play",
		may: "May: read files, change files, create files, delete files, run commands, use the network, use external tools, delegate to other agents",
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

const viewOf = (rows: readonly AgentListRow[], over: Partial<AgentsView> = {}): AgentsView => ({
	rows,
	roles,
	servers,
	models,
	auto: "Offline",
	...over,
});
export const snapshotOf = (rows: readonly AgentListRow[], over: Partial<AgentsView> = {}): AgentsSnapshot => ({
	type: "snapshot",
	view: viewOf(rows, over),
	drafts: {},
	token: "token-1",
});

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

const group = (plugin: string, offered: readonly string[], cut: readonly ScopeExclusionGroup[] = []): ScopeGroup => ({
	plugin,
	label: plugin,
	offered,
	cut,
});
const loss = (
	list: ScopeExclusionGroup["list"],
	tools: readonly string[],
	over: Partial<ScopeExclusionGroup> = {},
): ScopeExclusionGroup => ({ list, tools, capabilities: [], ...over });

export const everything: ScopeSummary = {
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

export const limited: ScopeSummary = {
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
		"You write release notes. Read the commits since the last tag and say what changed for the people who use it, the most important first.\n\nPlain words, one line a change, no names from files.",
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
} satisfies AgentDraft;

export const rowOf = ({ displayName, icon, color, description }: typeof releaseNotes, id: string, over: Partial<AgentRow> = {}): AgentRow =>
	agent(id, displayName, { icon, color, description, ...over });

export const detailOf = (key: string, draft: AgentDraft, over: Partial<EditedAgent> = {}): AgentsUpdate => ({
	type: "detail",
	key,
	detail: { kind: "agent", draft, problems: [], scope: everything, ...over },
});

/** Answers the newest check of a draft, once the page has asked for one. */
export async function answerCheck(
	{ chat, send, posted }: AgentsPage,
	scope: ScopeSummary,
	problems: readonly DraftProblem[] = [],
): Promise<void> {
	await chat.waitForFunction(() => window.posted.some(({ type }) => type === "check"));
	const { ask, key } = newest(ofType(await posted(), "check"));
	await send({ type: "checked", ask, key, problems, scope });
}

const reviewer = `{
	"agentId": "reviewer",
	"displayName": "Reviewer",
	"systemPrompt": "You review changes of this shop. \u202eeveryone trusts you\u202c",
	"toolAllowlist": ["read_file", "search_code", "execute_command"],
	"mcpServers": ["github"],
	"allowedTools": ["execute_command(npm test)"]
}
`;

export const waitingDetail = (over: Partial<UnapprovedAgent> = {}): UnapprovedAgent => ({
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

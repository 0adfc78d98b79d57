// The page "Manage Agents" in every state it can be in.
import type { AgentsUpdate, BrokenRow, UnapprovedRow } from "../../../src/shared/protocol/agents.ts";
import type { AgentsPage, AgentsSnapshot } from "../browser.ts";
import {
	agent,
	answerCheck,
	builtin,
	detailOf,
	everything,
	limited,
	releaseNotes,
	rowOf,
	snapshotOf,
	waitingDetail,
} from "./agentsHost.ts";

const defaultDraft = {
	displayName: "General Assistant",
	description: "A general-purpose coding assistant",
	systemPrompt: "You are General Assistant. A general-purpose coding assistant.",
	icon: "hubot",
};

const waitingRow = (label: string, over: Partial<UnapprovedRow> = {}): UnapprovedRow => ({
	kind: "waiting",
	key: `waiting:/shop/.troupe/agents/${label}.json`,
	label,
	origin: "workspace",
	place: `.troupe/agents/${label}.json`,
	changed: false,
	...over,
});
const brokenRow = (label: string, problem: string, over: Partial<BrokenRow> = {}): BrokenRow => ({
	kind: "broken",
	key: `broken:${label}`,
	label,
	origin: "own",
	place: `/home/kim/.config/Code/agents/${label}`,
	problem,
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

/** The page in one state: its snapshot, what is sent after it, and what the person has done by then. */
export interface AgentsState {
	update: AgentsSnapshot;
	after?: readonly AgentsUpdate[];
	act?(page: AgentsPage): Promise<unknown>;
}

const state = (update: AgentsSnapshot, over: Omit<AgentsState, "update"> = {}): AgentsState => ({ update, ...over });
const LOOKS = [
	{ icon: "book", color: "charts.blue" },
	{ icon: "beaker", color: "charts.green" },
	{ icon: "bug", color: "terminal.ansiMagenta" },
	{ icon: "rocket" },
	{ icon: "globe", color: "charts.orange" },
];
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
	agentsReplies: state(snapshotOf([builtin, own]), {
		after: [
			{ type: "select", key: "agent:release-notes" },
			detailOf("agent:release-notes", { ...releaseNotes, output: "reply" }, { scope: limited }),
		],
		act: ({ chat }) => chat.getByRole("radio", { name: "Replies" }).scrollIntoViewIfNeeded(),
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
				.evaluate((heading) => heading.closest(".detail")?.scrollTo(0, (heading as HTMLElement).offsetTop - 60)),
	}),
	agentsTools: state(snapshotOf([builtin, own]), {
		after: [{ type: "select", key: "agent:release-notes" }, detailOf("agent:release-notes", releaseNotes, { scope: limited })],
		act: async ({ chat }) =>
			chat
				.getByRole("heading", { name: "Tools" })
				.evaluate((heading) => heading.closest(".detail")?.scrollTo(0, (heading as HTMLElement).offsetTop - 60)),
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
			agent("from-settings", "Journal", { origin: "settings", editable: false, place: "Entry 2 in troupe.agents", hidden: true }),
			brokenRow("Entry 3", 'Entry 3 in troupe.agents: toolAllowlist: expected a list, found "read_file".', {
				origin: "settings",
				place: "Entry 3 in troupe.agents",
			}),
			own,
			brokenRow("agent-1763-x7.json", "agent-1763-x7.json, line 4: comma expected.", {}),
		]),
		{ after: [{ type: "select", key: "broken:agent-1763-x7.json" }] },
	),
	agentsFixed: state(
		snapshotOf([
			builtin,
			agent("from-settings", "Journal", {
				origin: "settings",
				editable: false,
				place: "Entry 2 in troupe.agents",
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
			...Array.from({ length: 100 }, (_, index) => agent(`a${index}`, `Agent ${index + 1}`, LOOKS[index % LOOKS.length])),
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
} satisfies Readonly<Record<string, AgentsState>>;

// The chat with its agent selector open, also for an agent that is gone.
import type { AgentChoice, ChatStatus } from "../../../src/shared/protocol/chat.ts";
import type { ChatPage, Snapshot } from "../browser.ts";
import { states } from "./conversation.ts";
import { type ChatState, chatStatus, session } from "./events.ts";

const AGENTS: AgentChoice[] = [
	{ id: "default", label: "General Assistant", icon: "hubot" },
	{ id: "docs", label: "Docs writer", icon: "book", color: "charts.purple" },
	{ id: "design", label: "Designer", icon: "symbol-color", color: "charts.orange" },
	{ id: "review", label: "Reviewer of changes that touch the database and everything that stands behind it", icon: "eye" },
	{ id: "plain", label: "Release notes" },
];

export const withAgents = (over: Partial<ChatStatus> = {}): Snapshot => ({
	...states.plan.update,
	status: chatStatus({ agents: AGENTS, ...over }),
});
export const ofAgent = (agentId: string): Partial<ChatStatus> => ({ session: { ...session, agentId } });

const openList = async ({ chat }: ChatPage) => {
	await chat.getByRole("combobox", { name: "Agent" }).click();
	await chat.getByRole("option").first().waitFor();
};

export const pickerStates = {
	agentList: { update: withAgents(ofAgent("docs")), act: openList },
	agentGone: { update: withAgents(ofAgent("left-long-ago")), act: openList },
	agentListMany: {
		update: withAgents({
			agents: Array.from({ length: 100 }, (_, index) => ({ id: `a${index}`, label: `Agent ${index + 1}` })),
			...ofAgent("a70"),
		}),
		act: openList,
	},
} satisfies Readonly<Record<string, ChatState>>;

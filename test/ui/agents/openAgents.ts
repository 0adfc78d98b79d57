// Opens "Manage Agents" with an agent in the editor or with a definition to review.

import type { AgentDraft } from "../../../src/core/agent.ts";
import type { AgentsIntent, AgentsUpdate } from "../../../src/shared/protocol/agents.ts";
import { type AgentsPage, type AgentsSnapshot, newest, type OpenOptions, ofType, openAgentsPage } from "../browser.ts";
import { agentStates } from "../states/agents.ts";
import { detailOf, limited, releaseNotes, snapshotOf, waitingDetail } from "../states/agentsHost.ts";

export const KEY = "agent:release-notes";
export const { rows: ROWS } = agentStates.agentsEdit.update.view;
const WAITING = agentStates.agentsWaiting.update;
/** Of the definition that waits. */
export const REVIEWER = `waiting:/shop/.troupe/agents/reviewer.json`;

export async function waitForPosted({ chat }: AgentsPage, type: AgentsIntent["type"]): Promise<void> {
	await chat.waitForFunction((wanted) => window.posted.some((message) => message.type === wanted), type);
}

/** The newest of that type that the page posted, once there is one. */
export async function lastPosted<Type extends AgentsIntent["type"]>(
	page: AgentsPage,
	type: Type,
): Promise<Extract<AgentsIntent, { type: Type }>> {
	await waitForPosted(page, type);
	return newest(ofType(await page.posted(), type));
}

export async function openAgents(
	update: AgentsSnapshot,
	after: readonly AgentsUpdate[] = [],
	options: OpenOptions = {},
): Promise<AgentsPage> {
	const page = await openAgentsPage({ width: 1_100, reducedMotion: "reduce", ...options });
	await page.send(update);
	await page.sendAll(after);
	await page.chat.waitForSelector(".editor-body");
	return page;
}

export async function openEditor(draft: AgentDraft = releaseNotes): Promise<AgentsPage> {
	const page = await openAgents(snapshotOf(ROWS), [{ type: "select", key: KEY }, detailOf(KEY, draft, { scope: limited })]);
	await page.chat.waitForFunction((name) => document.querySelector<HTMLInputElement>("#f-displayName")?.value === name, draft.displayName);
	await page.posted();
	return page;
}

export async function openReview(update = WAITING): Promise<AgentsPage> {
	const page = await openAgents(update, [
		{ type: "select", key: REVIEWER },
		{ type: "detail", key: REVIEWER, detail: waitingDetail() },
	]);
	await page.chat.getByRole("button", { name: "Approve" }).waitFor();
	await page.posted();
	return page;
}

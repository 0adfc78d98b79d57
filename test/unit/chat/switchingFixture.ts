// Fixture for switching agents: the agents, an agent's offer, and what the target session received.
import assert from "node:assert/strict";
import type { EventOf } from "../../../src/core/events.ts";
import type { AgentDefinition } from "../../../src/core/role.ts";
import type { Session } from "../../../src/session/session.ts";
import type { ScriptedAnswer } from "../../fakes/scriptedModel.ts";
import type { open } from "./testChat.ts";

export type TestSwitch = Awaited<ReturnType<typeof open>>;

export const WRITER: AgentDefinition = { agentId: "writer", displayName: "Writer" };
const HIDDEN: AgentDefinition = { agentId: "ghost", displayName: "Ghost", uiVisible: false };
const CLOSED: AgentDefinition = { agentId: "closed", displayName: "Closed", agentDenylist: ["writer"] };
export const agents = [WRITER, HIDDEN, CLOSED];

export const offers = (input: object): ScriptedAnswer => ({
	calls: [{ name: "agents_switch", input: { agentId: "writer", carry: "none", ...input } }],
});
/** Direction, tag, width and control characters. */
export const INVISIBLE = "\u202e\u{e0041}\u200b\u0007\u2066";
export const OFFER = offers({ message: "Write the notes" });

export function offerIn({ state }: Session): EventOf<"question"> {
	const found = state.events.findLast((event) => event.type === "question");
	assert.ok(found, "nothing was offered");
	return found;
}

/** Clicks the card's button, once it may be clicked. */
export async function take(setup: TestSwitch, message: string, over: { token?: string } = {}): Promise<void> {
	const { request } = offerIn(setup.session);
	setup.clock.ahead += 1_000;
	const snapshot = setup.updates.findLast((update) => update.type === "token" || update.type === "snapshot");
	assert.ok(snapshot && "token" in snapshot);
	await setup.act({ type: "switchAgent", session: setup.summary.sessionId, request, message, token: over.token ?? snapshot.token });
}

export async function sessionsOf({ app }: TestSwitch, agentId: string): Promise<Session[]> {
	const all = (await app.sessions.list()).filter((session) => session.agentId === agentId);
	return Promise.all(all.map(({ sessionId }) => app.sessions.get(sessionId)));
}

export async function onlySession(setup: TestSwitch, agentId = "writer"): Promise<Session> {
	const all = await sessionsOf(setup, agentId);
	assert.equal(all.length, 1);
	return all[0] as Session;
}

export const said = ({ state }: Session) => state.events.filter((event) => event.type === "user");

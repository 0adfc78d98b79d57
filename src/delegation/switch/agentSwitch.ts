// Switches to a session of another agent with a message and context, and back with a summary.

import type { Carry } from "../../core/caller.ts";
import type { Attachment, SessionSummary, Usage } from "../../core/events.ts";
import type { AgentDefinition } from "../../core/role.ts";
import { UserError } from "../../core/userError.ts";
import { getAgent, resolveInitialRole } from "../../session/agent/sessionAgent.ts";
import { type CarriedText, carryLimit, createCarriedText } from "../../session/contextWindow/carryContext.ts";
import type { Services, SessionPolicy, SessionSetup } from "../../session/services.ts";
import type { Session } from "../../session/session.ts";
import { SessionBlockedError } from "../../session/state/sessionBlocked.ts";
import { formatSessionTitle } from "../../session/transcript/sessionTitle.ts";
import type { Sessions } from "../../sessions/sessions.ts";
import { findSwitchableSession, readSwitchOrigin, SWITCHED_FROM } from "../../sessions/switchAttributes.ts";
import { formatList, t } from "../../shared/l10n.ts";
import { reasonOf } from "../../shared/reasonOf.ts";
import { sanitizeForPrompt } from "../../shared/safeText.ts";
import { createTarget, findFree } from "../calls/findTarget.ts";
import { listSwitchTargets } from "./agentSwitchTool.ts";
import { keepDraftAttachments } from "./draftAttachments.ts";

export interface SwitchRequest {
	/** Id of the agent. */
	agent: string;
	message: string;
	carry: Carry;
}

/** A switch that can be made now; nothing has happened yet. */
export interface PreparedSwitch {
	agent: AgentDefinition;
	message: string;
	attachment?: Attachment;
	usage?: Usage;
	/** Notes for the user about what does not go along. */
	notes: string[];
}

/** Checks the request and makes what goes along. Rejects with a sentence if it can't be done, with CarryError if only the context can't. */
export async function prepareSwitch(
	sessions: Sessions,
	source: Session,
	request: SwitchRequest,
	signal: AbortSignal,
): Promise<PreparedSwitch> {
	const { services } = sessions;
	refuseIfRestricted(services);
	const agent = requireSwitchTarget(sessions.policy, request.agent);
	const message = request.message.trim();
	if (message === "") throw new UserError(t("Enter a message for {0}.", agent.displayName));
	const free = await findFreeSession(sessions, agent.agentId, source.sessionId);
	free?.release();
	const tokens = carryLimit(await findWindow(sessions, agent, free?.summary));
	if (request.carry === "none") return { agent, message, notes: [] };
	const carried = await createCarriedText(source, request.carry, { tokens, signal });
	const notes =
		carried.omitted > 0
			? [t("{0} earlier entries don't fit into half of the model's context window and weren't taken along.", carried.omitted)]
			: [];
	return { agent, message, ...(await toAttachment(sessions, source, carried)), notes };
}

/** The agent's free session that changed last, or a new one. No agent gets it before `release`. */
export async function openSwitchTarget(
	sessions: Sessions,
	source: Session,
	{ agentId }: AgentDefinition,
): Promise<{ session: Session; release(): void }> {
	const found = await findFreeSession(sessions, agentId, source.sessionId);
	if (found) return found;
	return createTarget(sessions, agentId);
}

/** The user can return from there. */
export async function rememberOrigin(sessions: Sessions, target: Session, source: Session): Promise<void> {
	await sessions.mark(target.sessionId, SWITCHED_FROM, { session: source.sessionId, agent: source.state.agent }, "person");
}

/** Summarizes a session for the one that the user came from. Rejects as `prepareSwitch` does. */
export async function prepareReturn(
	sessions: Sessions,
	session: Session,
	signal: AbortSignal,
): Promise<Pick<PreparedSwitch, "attachment" | "usage">> {
	refuseIfRestricted(sessions.services);
	const origin = await requireOrigin(sessions, session.sessionId);
	const agent = getAgent(await sessions.get(origin.sessionId));
	const tokens = carryLimit(await findWindow(sessions, agent, origin));
	return toAttachment(sessions, session, await createCarriedText(session, "summary", { tokens, signal }));
}

/** Leaves the session for the one that the user came from, where the attachment waits for their next message. Returns that one's id. */
export async function leaveForOrigin(sessions: Sessions, sessionId: string, attachment: Attachment | undefined): Promise<string> {
	const origin = await requireOrigin(sessions, sessionId);
	await keepDraftAttachments(sessions, origin.sessionId, attachment ? [attachment] : []);
	await forgetOrigin(sessions, sessionId);
	return origin.sessionId;
}

/** The user stays in the session they switched to. */
export async function forgetOrigin(sessions: Sessions, sessionId: string): Promise<void> {
	await sessions.mark(sessionId, SWITCHED_FROM, undefined, "person");
}

async function requireOrigin(sessions: Sessions, sessionId: string): Promise<SessionSummary> {
	const origin = readSwitchOrigin(await findSwitchableSession(sessions, sessionId));
	if (!origin) throw new UserError(t("You didn't switch to this session from another one, so there is nowhere to return to."));
	const found = await findSwitchableSession(sessions, origin.session);
	if (found) return found;
	throw new UserError(t("The session that you came from was deleted. This session is unchanged; continue here or select another one."));
}

function refuseIfRestricted({ restricted }: Pick<Services, "restricted">): void {
	const reason = restricted();
	if (reason !== undefined) throw new SessionBlockedError("restricted", reason);
}

/** Throws if there is no such agent, or users can't select it. */
function requireSwitchTarget(policy: SessionPolicy, id: string): AgentDefinition {
	const listed = listSwitchTargets(policy);
	const found = listed.find(({ agentId }) => agentId === id);
	if (found) return found;
	const names = formatList(listed.map(({ displayName }) => displayName));
	throw new UserError(t("The agent {0} doesn't exist. Available agents: {1}.", id, names));
}

/** Tokens; undefined if unknown. Rejects if the agent has no model. */
async function findWindow(
	{ services, policy }: SessionSetup,
	agent: AgentDefinition,
	target: SessionSummary | undefined,
): Promise<number | undefined> {
	const role = policy.roles().find(({ id }) => id === (target?.role ?? resolveInitialRole(policy, agent)));
	if (!role || !(await services.runtime(agent)).model) return undefined;
	try {
		return (await services.model(agent, role, "known")).info.window;
	} catch (error) {
		const why = reasonOf(error, services.log);
		throw new UserError(t("{0} has no model to answer with. {1} Nothing was sent.", agent.displayName, why));
	}
}

/** The agent's session that changed last and is free, claimed until `release`. */
async function findFreeSession(sessions: Sessions, agentId: string, except: string) {
	const ofAgent = (await sessions.list()).filter((session) => session.agentId === agentId);
	return findFree(sessions, ofAgent, [except]);
}

/** Characters of a session's title in a label. */
const TITLE_LENGTH = 120;

async function toAttachment(
	sessions: Sessions,
	source: Session,
	{ text, usage }: CarriedText,
): Promise<Pick<PreparedSwitch, "usage"> & { attachment: Attachment }> {
	const summary = (await sessions.list()).find(({ sessionId }) => sessionId === source.sessionId);
	const title = summary ? formatSessionTitle(summary) : t("New session");
	const name = getAgent(source).displayName;
	const label = sanitizeForPrompt(t("From {0}: {1}", name, title)).replace(/\s+/g, " ");
	const short = [...label].length > TITLE_LENGTH ? `${[...label].slice(0, TITLE_LENGTH - 1).join("")}…` : label;
	return { attachment: { kind: "conversation", label: short, text }, ...(usage && { usage }) };
}

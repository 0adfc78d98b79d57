// Collects the chat's status: session, agents, roles, model, context usage, approval mode and blocking reason.

import type { SessionSummary } from "../core/events.ts";
import { effectiveApprovalMode } from "../core/grant.ts";
import type { ModelInfo } from "../core/ports/model.ts";
import type { AgentDefinition, Role } from "../core/role.ts";
import { addTotals } from "../core/usage.ts";
import { findActingRole, getAgent, getRole, listAllowedRoles } from "../session/agent/sessionAgent.ts";
import { measureContextUsage } from "../session/contextWindow/usage.ts";
import { createContextChip } from "../session/prompt/editorContext.ts";
import type { SessionPolicy } from "../session/services.ts";
import type { Session } from "../session/session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { findSwitchableSession, readDraftAttachments, readSwitchOrigin } from "../sessions/switchAttributes.ts";
import { t } from "../shared/l10n.ts";
import type { ChatStatus, ContextUsage, WiderRoleOffer } from "../shared/protocol/chat.ts";
import { reasonOf } from "../shared/reasonOf.ts";
import { listSlashCommands } from "./slashCommands.ts";
import { getSuggestions, listRecentSessions, suggestTalk } from "./suggestions.ts";

export async function createChatStatus(
	conversations: Sessions,
	sessionId: string | undefined,
	health: string | undefined,
	/** Called when more information becomes available later. */
	later: () => void,
	/** What the page's events lead to: titles by id of the sessions that they link to, and offers for their tasks. */
	{ linked = {}, wider = [] }: { linked?: Record<string, string>; wider?: WiderRoleOffer[] } = {},
): Promise<ChatStatus> {
	const { services, policy } = conversations;
	const conversation = sessionId === undefined ? undefined : await conversations.get(sessionId);
	const session = sessionId === undefined ? undefined : await conversations.find(sessionId);
	const isTask = session?.kind === "task";
	const role = conversation?.state.role;
	const restricted = services.restricted();
	const panel = await createContextChip(services);
	const { info, undecided, ...known } = await modelOf(conversation, conversations);
	return {
		session,
		roles: rolesOf(conversation, policy).map(({ id, label, icon, primary = false }) => ({
			id,
			label,
			...(icon && { icon }),
			primary: primary || id === role,
		})),
		agents: listAgents(policy, conversation, isTask).map(({ agentId, displayName, icon, color }) => ({
			id: agentId,
			label: displayName,
			...(icon && { icon }),
			...(color && { color }),
		})),
		acts: !conversation || findActingRole(policy, getAgent(conversation), getRole(conversation)) !== undefined,
		model: known,
		...(conversation && { context: measureUsage(conversation, info) }),
		approval: effectiveApprovalMode(conversation?.state ?? {}, policy.settings()),
		...(conversation?.state.approval !== undefined && { approvalOwn: true as const }),
		...(restricted !== undefined && { blocked: { text: restricted, command: "trust" as const, button: t("Manage Trust") } }),
		suggestions:
			restricted === undefined && known.id !== "" && conversation?.state.messages === 0
				? suggest(conversation, known.offline || undecided, later)
				: [],
		...(conversation && speaksInReplies(conversation) && { talks: true as const }),
		recent: conversation?.state.messages === 0 ? await listRecentSessions(conversations, await conversations.list(), sessionId) : [],
		queued: conversation?.waiting ?? [],
		slash: listSlashCommands(policy, conversation, isTask),
		linked,
		...(wider.length > 0 && { wider }),
		...(panel && { panel }),
		...(await describeSwitch(conversations, session)),
		...(health !== undefined && { storage: health }),
	};
}

function speaksInReplies(conversation: Session): boolean {
	return getAgent(conversation).output === "reply";
}

/** The offline model can't talk. */
function suggest(conversation: Session, offline: boolean, later: () => void): string[] {
	if (!speaksInReplies(conversation)) return getSuggestions(conversation.services, offline, later);
	return offline ? [] : suggestTalk();
}

/** Counts called agents with the session that called them. `info`: see `measureContextUsage`. */
export function measureUsage(conversation: Session, info?: ModelInfo): ContextUsage {
	const usage = measureContextUsage(conversation, info);
	const { calledUsage: called } = conversation.state;
	if (called.input + called.output === 0) return usage;
	addTotals(usage.session, called);
	return { ...usage, called: { ...called } };
}

async function describeSwitch(
	sessions: Sessions,
	session: SessionSummary | undefined,
): Promise<Pick<ChatStatus, "switchedFrom" | "attached">> {
	const origin = readSwitchOrigin(session);
	const { policy } = sessions;
	const agent = policy.agents().find(({ agentId }) => agentId === origin?.agent)?.displayName ?? origin?.agent;
	const deleted = origin !== undefined && (await findSwitchableSession(sessions, origin.session)) === undefined;
	const attached = readDraftAttachments(session);
	return {
		...(agent !== undefined && { switchedFrom: { agent, ...(deleted && { deleted }) } }),
		...(attached.length > 0 && { attached }),
	};
}

function rolesOf(conversation: Session | undefined, policy: SessionPolicy): Role[] {
	return conversation ? listAllowedRoles(policy, getAgent(conversation)) : [...policy.roles()];
}

/** In a task, its own agent is not among those of the window. */
function listAgents(policy: SessionPolicy, conversation: Session | undefined, isTask: boolean): AgentDefinition[] {
	const shown = visibleAgents(policy, conversation?.state.agent);
	return isTask && conversation ? [...shown, getAgent(conversation)] : shown;
}

/** Agents that a user can pick, and the current one. */
function visibleAgents({ agents }: SessionPolicy, current: string | undefined): AgentDefinition[] {
	return agents().filter(({ uiVisible, agentId }) => uiVisible !== false || agentId === current);
}

async function modelOf(
	conversation: Session | undefined,
	{ services, policy }: Sessions,
): Promise<ChatStatus["model"] & { info?: ModelInfo; undecided: boolean }> {
	const agent = (conversation && getAgent(conversation)) ?? policy.agents()[0];
	const role = (conversation && getRole(conversation)) ?? policy.roles()[0];
	if (!agent || !role) return noModel();
	try {
		const { id, name, why, info, undecided = false } = await services.model(agent, role, "known");
		return {
			id,
			name,
			why,
			info,
			undecided,
			offline: id.startsWith("offline/"),
			...(info.images !== undefined && { images: info.images }),
		};
	} catch (error) {
		return { ...noModel(), why: reasonOf(error, services.log) };
	}
}

const noModel = () => ({ id: "", name: t("No model"), why: "", offline: false, undecided: false });

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
	sessions: Sessions,
	sessionId: string | undefined,
	health: string | undefined,
	/** Called when more information becomes available later. */
	later: () => void,
	/** Targets of the page's events: titles by id of the sessions that they link to, and offers for their tasks. */
	{ linked = {}, wider = [] }: { linked?: Record<string, string>; wider?: WiderRoleOffer[] } = {},
): Promise<ChatStatus> {
	const { services, policy } = sessions;
	const session = sessionId === undefined ? undefined : await sessions.get(sessionId);
	const summary = sessionId === undefined ? undefined : await sessions.find(sessionId);
	const isTask = summary?.kind === "task";
	const role = session?.state.role;
	const restricted = services.restricted();
	const panel = await createContextChip(services);
	const { info, undecided, ...known } = await modelOf(session, sessions);
	return {
		session: summary,
		roles: rolesOf(session, policy).map(({ id, label, icon, primary = false }) => ({
			id,
			label,
			...(icon && { icon }),
			primary: primary || id === role,
		})),
		agents: listAgents(policy, session, isTask).map(({ agentId, displayName, icon, color }) => ({
			id: agentId,
			label: displayName,
			...(icon && { icon }),
			...(color && { color }),
		})),
		acts: !session || findActingRole(policy, getAgent(session), getRole(session)) !== undefined,
		model: known,
		...(session && { context: measureUsage(session, info) }),
		approval: effectiveApprovalMode(session?.state ?? {}, policy.settings()),
		...(session?.state.approval !== undefined && { approvalOwn: true as const }),
		...(restricted !== undefined && { blocked: { text: restricted, command: "trust" as const, button: t("Manage Trust") } }),
		suggestions:
			restricted === undefined && known.id !== "" && session?.state.messages === 0
				? suggest(session, known.offline || undecided, later)
				: [],
		...(session && speaksInReplies(session) && { talks: true as const }),
		recent: session?.state.messages === 0 ? await listRecentSessions(sessions, await sessions.list(), sessionId) : [],
		queued: session?.waiting ?? [],
		slash: listSlashCommands(policy, session, isTask),
		linked,
		...(wider.length > 0 && { wider }),
		...(panel && { panel }),
		...(await describeSwitch(sessions, summary)),
		...(health !== undefined && { storage: health }),
	};
}

function speaksInReplies(session: Session): boolean {
	return getAgent(session).output === "reply";
}

/** The offline model can't talk. */
function suggest(session: Session, offline: boolean, later: () => void): string[] {
	if (!speaksInReplies(session)) return getSuggestions(session.services, offline, later);
	return offline ? [] : suggestTalk();
}

/** Counts called agents with the session that called them. `info`: see `measureContextUsage`. */
export function measureUsage(session: Session, info?: ModelInfo): ContextUsage {
	const usage = measureContextUsage(session, info);
	const { calledUsage: called } = session.state;
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

function rolesOf(session: Session | undefined, policy: SessionPolicy): Role[] {
	return session ? listAllowedRoles(policy, getAgent(session)) : [...policy.roles()];
}

/** In a task, its own agent is not among those of the window. */
function listAgents(policy: SessionPolicy, session: Session | undefined, isTask: boolean): AgentDefinition[] {
	const shown = visibleAgents(policy, session?.state.agent);
	return isTask && session ? [...shown, getAgent(session)] : shown;
}

/** Agents that a user can pick, and the current one. */
function visibleAgents({ agents }: SessionPolicy, current: string | undefined): AgentDefinition[] {
	return agents().filter(({ uiVisible, agentId }) => uiVisible !== false || agentId === current);
}

async function modelOf(
	session: Session | undefined,
	{ services, policy }: Sessions,
): Promise<ChatStatus["model"] & { info?: ModelInfo; undecided: boolean }> {
	const agent = (session && getAgent(session)) ?? policy.agents()[0];
	const role = (session && getRole(session)) ?? policy.roles()[0];
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

// Collects the chat's status: session, agents, roles, model, context usage, approval mode and blocking reason.
import { effectiveApprovalMode } from "../core/grant.ts";
import type { ModelInfo } from "../core/ports/model.ts";
import type { AgentDefinition, Role } from "../core/role.ts";
import type { Services } from "../session/context.ts";
import { measureContextUsage } from "../session/contextWindow/usage.ts";
import { createContextChip } from "../session/prompt/editorContext.ts";
import type { Session } from "../session/session.ts";
import { findActingRole, getAgent, getRole, listAllowedRoles } from "../session/sessionAgent.ts";
import type { Sessions } from "../session/sessions.ts";
import { t } from "../shared/l10n.ts";
import type { ChatStatus } from "../shared/protocol/chat.ts";
import { listSlashCommands } from "./slashCommands.ts";
import { getSuggestions, listRecentSessions } from "./suggestions.ts";

export async function createChatStatus(
	conversations: Sessions,
	sessionId: string | undefined,
	health: string | undefined,
	/** Called when more information becomes available later. */
	later: () => void,
): Promise<ChatStatus> {
	const { services } = conversations;
	const conversation = sessionId === undefined ? undefined : await conversations.get(sessionId);
	const sessions = await conversations.list();
	const session = sessions.find((candidate) => candidate.sessionId === sessionId);
	const role = conversation?.state.role;
	const restricted = services.restricted();
	const panel = await createContextChip(services);
	const { info, undecided, ...known } = await modelOf(conversation, conversations);
	return {
		session,
		roles: rolesOf(conversation, services).map(({ id, label, icon, primary = false }) => ({
			id,
			label,
			...(icon && { icon }),
			primary: primary || id === role,
		})),
		agents: visibleAgents(services, conversation?.state.agent).map(({ agentId, displayName, icon, color }) => ({
			id: agentId,
			label: displayName,
			...(icon && { icon }),
			...(color && { color }),
		})),
		acts: !conversation || findActingRole(services, getAgent(conversation), getRole(conversation)) !== undefined,
		model: known,
		...(conversation && { context: measureContextUsage(conversation, info) }),
		approval: effectiveApprovalMode(conversation?.state ?? {}, services.settings()),
		...(conversation?.state.approval !== undefined && { approvalOwn: true as const }),
		...(restricted !== undefined && { blocked: { text: restricted, command: "trust" as const, button: t("Manage Trust") } }),
		suggestions:
			restricted === undefined && known.id !== "" && conversation?.state.messages === 0
				? getSuggestions(services, known.offline || undecided, later)
				: [],
		recent: conversation?.state.messages === 0 ? await listRecentSessions(conversations, sessions, sessionId) : [],
		queued: conversation?.waiting ?? [],
		slash: listSlashCommands(services, conversation),
		...(panel && { panel }),
		...(health !== undefined && { storage: health }),
	};
}

function rolesOf(conversation: Session | undefined, services: Services): Role[] {
	return conversation ? listAllowedRoles(services, getAgent(conversation)) : [...services.roles()];
}

/** Agents that a user can pick, and the current one. */
function visibleAgents({ agents }: Services, current: string | undefined): AgentDefinition[] {
	return agents().filter(({ uiVisible, agentId }) => uiVisible !== false || agentId === current);
}

async function modelOf(
	conversation: Session | undefined,
	{ services }: Sessions,
): Promise<ChatStatus["model"] & { info?: ModelInfo; undecided: boolean }> {
	const agent = (conversation && getAgent(conversation)) ?? services.agents()[0];
	const role = (conversation && getRole(conversation)) ?? services.roles()[0];
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
		return { ...noModel(), why: error instanceof Error ? error.message : String(error) };
	}
}

const noModel = () => ({ id: "", name: t("No model"), why: "", offline: false, undecided: false });

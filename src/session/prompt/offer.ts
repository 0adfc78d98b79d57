// Computes what a turn offers its model: tools, agents to call, and the facts that its prompt states.

import { effectiveApprovalMode } from "../../core/grant.ts";
import type { Tool } from "../../core/ports/tool.ts";
import type { PromptParts } from "../../core/prompt.ts";
import { type AgentDefinition, intersectPermissions, isCallable, type Permission, type Role } from "../../core/role.ts";
import type { Transcript } from "../../core/transcript/state.ts";
import type { Services, SessionContext, SessionWorkspace } from "../context.ts";
import { describeTools, findPassedLimit, listOfferedTools, listTools, passedCeiling, readAccess } from "../sessionAgent.ts";
import type { Offer } from "./promptMemory.ts";

/**
 * The offer of now. A turn computes one for the message that begins it and one when its servers are ready, and hands that to the
 * prompt, the requests and the context window; it computes another only when what it may describe has changed.
 */
export function computeOffer(session: SessionContext, role: Role, agent: AgentDefinition): Offer {
	const { services, workspace, gate, state } = session;
	const all = listTools(session, agent);
	const tools = listOfferedTools(session, role, agent, "tool", all);
	const described = describeTools(tools, agent, state);
	let peers: PromptParts["peers"] | undefined;
	let facts: PromptParts | undefined;
	const offer: Offer = {
		...{ agent, role, all, tools, described },
		get peers() {
			peers ??= listPeers({ services, workspace, gate, state, agent, role, ceiling: session.sender?.ceiling }, described);
			return peers;
		},
		get facts() {
			facts ??= createFacts(session, offer);
			return facts;
		},
	};
	return offer;
}

function createFacts({ services, workspace, sender, state }: SessionContext, { agent, role, described }: Offer): PromptParts {
	return {
		agent,
		role,
		permissions: intersectPermissions(role.permissions, sender?.ceiling),
		taskPermissions: passedCeiling(role, sender && findPassedLimit(state, sender)),
		folders: workspace.folders().map(({ name }) => name),
		tools: described.map(({ name, description, external }) => ({
			name,
			description,
			...(external && { outside: true as const }),
		})),
		cliSkills: [],
		artifacts: [],
		messageContext: false,
		...(agent.single && { persona: services.settings().persona }),
		channels: agent.output === "reply" ? (services.channelStyles?.() ?? []) : [],
		panels: [],
		taskTypes: [],
		peers: [],
		instructions: [],
	};
}

interface CallingAgent extends SessionWorkspace {
	services: Services;
	state: Pick<Transcript, "approval">;
	agent: AgentDefinition;
	role: Role;
	ceiling?: readonly Permission[] | undefined;
}

/** The agents that an agent may call according to the gate; none without a tool that calls agents. */
export function listPeers(
	{ services, workspace, gate, state, agent, role, ceiling }: CallingAgent,
	tools: readonly Tool[],
): PromptParts["peers"] {
	const peerTool = tools.find((tool) => tool.peer);
	if (!peerTool) return [];
	const { rules, ...settings } = services.settings();
	const request = {
		agent,
		role,
		tool: peerTool,
		access: readAccess({ services, workspace }),
		paths: [],
		rules,
		grants: [],
		workspace: "",
		mode: effectiveApprovalMode(state, settings),
		planRuns: false,
		canAsk: true,
		...(ceiling && { ceiling }),
	};
	return services
		.agents()
		.filter((other) => other.agentId !== agent.agentId && isCallable(other))
		.filter(({ agentId }) => gate.authorize({ ...request, peer: agentId }).decision !== "deny")
		.map(({ agentId, displayName, description }) => ({ agentId, displayName, ...(description !== undefined && { description }) }));
}

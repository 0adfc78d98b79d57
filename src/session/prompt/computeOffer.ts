// Computes what a turn offers its model: tools, agents to call, and the prompt's parts that are known without I/O.

import type { PromptParts } from "../../core/prompt.ts";
import { type AgentDefinition, intersectPermissions, type Role } from "../../core/role.ts";
import { listPeers } from "../agent/peers.ts";
import { describeTools, findPassedLimit, listOfferedTools, listTools, passedCeiling } from "../agent/sessionAgent.ts";
import type { SessionContext } from "../sessionContext.ts";
import type { Offer } from "../state/offer.ts";

/**
 * Computes the current offer. A turn has one for the message that begins it and one when its servers are ready, which the prompt,
 * the requests and the context window share; it computes another only when what it may describe has changed.
 */
export function computeOffer(session: SessionContext, role: Role, agent: AgentDefinition): Offer {
	const { policy, workspace, gate, state } = session;
	const all = listTools(session, agent);
	const described = describeTools(listOfferedTools(session, { role, agent, all }), agent, state);
	let peers: PromptParts["peers"] | undefined;
	let parts: PromptParts | undefined;
	const offer: Offer = {
		...{ agent, role, all, described },
		get peers() {
			peers ??= listPeers({ policy, workspace, gate, state, agent, role, ceiling: session.sender?.ceiling }, described);
			return peers;
		},
		get parts() {
			parts ??= createBasicParts(session, offer);
			return parts;
		},
	};
	return offer;
}

function createBasicParts({ services, policy, workspace, sender, state }: SessionContext, { agent, role, described }: Offer): PromptParts {
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
		...(agent.single && { persona: policy.settings().persona }),
		channels: agent.output === "reply" ? (services.channelStyles?.() ?? []) : [],
		panels: [],
		taskTypes: [],
		peers: [],
		instructions: [],
	};
}

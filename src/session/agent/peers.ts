// The agents that an agent may call according to the gate.

import { effectiveApprovalMode } from "../../core/grant.ts";
import type { Tool } from "../../core/ports/tool.ts";
import type { PromptParts } from "../../core/prompt.ts";
import { type AgentDefinition, isCallable, type Permission, type Role } from "../../core/role.ts";
import type { Transcript } from "../../core/transcript/state.ts";
import type { SessionPolicy, SessionWorkspace } from "../services.ts";
import { readAccess } from "./sessionAgent.ts";

interface CallingAgent extends SessionWorkspace {
	policy: SessionPolicy;
	state: Pick<Transcript, "approval">;
	agent: AgentDefinition;
	role: Role;
	ceiling?: readonly Permission[] | undefined;
}

/** Returns no agents without a tool that calls agents. */
export function listPeers(
	{ policy, workspace, gate, state, agent, role, ceiling }: CallingAgent,
	tools: readonly Tool[],
): PromptParts["peers"] {
	const peerTool = tools.find((tool) => tool.peer);
	if (!peerTool) return [];
	const { rules, ...settings } = policy.settings();
	const request = {
		agent,
		role,
		tool: peerTool,
		access: readAccess({ policy, workspace }),
		paths: [],
		rules,
		grants: [],
		workspace: "",
		mode: effectiveApprovalMode(state, settings),
		planRuns: false,
		canAsk: true,
		...(ceiling && { ceiling }),
	};
	return policy
		.agents()
		.filter((other) => other.agentId !== agent.agentId && isCallable(other))
		.filter(({ agentId }) => gate.authorize({ ...request, peer: agentId }).decision !== "deny")
		.map(({ agentId, displayName, description }) => ({ agentId, displayName, ...(description !== undefined && { description }) }));
}

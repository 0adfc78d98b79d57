// Computes the limits that a turn passes on to the agents that it calls.

import type { Caller } from "../../core/caller.ts";
import { effectiveApprovalMode, strictestMode } from "../../core/grant.ts";
import { passedCeiling } from "../agent/sessionAgent.ts";
import type { TurnContext } from "../turnContext.ts";

type CallingTurn = Pick<TurnContext, "sessionId" | "agent" | "role" | "ceiling" | "passes" | "caller" | "budget"> & {
	services: Pick<TurnContext["services"], "settings">;
	state: Pick<TurnContext["state"], "approval">;
};

/** Who calls an agent with a call of this turn: its permissions, and those of whoever called it. */
export function createCaller(context: CallingTurn, turn: string, call: string): Caller {
	const { sessionId, services, state, agent, role, ceiling, passes = ceiling, caller, budget } = context;
	return {
		session: sessionId,
		turn,
		call,
		agent: agent.agentId,
		role: role.peerRole ?? role.id,
		ceiling: passedCeiling(role, passes),
		depth: (caller?.depth ?? 0) + 1,
		chain: [...(caller?.chain ?? []), agent.agentId],
		...(caller && { above: [...(caller.above ?? []), caller.session] }),
		...(budget && { budget }),
		approval: strictestMode(effectiveApprovalMode(state, services.settings()), caller?.approval ?? "auto"),
	};
}

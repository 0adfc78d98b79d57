// Computes the limits that a turn passes on to the agents that it calls.

import type { Caller } from "../../core/caller.ts";
import { effectiveApprovalMode, strictestMode } from "../../core/grant.ts";
import type { Permission, Role } from "../../core/role.ts";
import type { TurnContext } from "../context.ts";

type CallingTurn = Pick<TurnContext, "sessionId" | "agent" | "role" | "ceiling" | "caller" | "budget"> & {
	services: Pick<TurnContext["services"], "settings">;
	state: Pick<TurnContext["state"], "approval">;
};

/** Maximum permissions of an agent that is called in that role, within the calling turn's own ceiling. */
export function passedCeiling({ ceiling, permissions }: Role, own: readonly Permission[] | undefined): readonly Permission[] {
	const passed = ceiling ?? permissions;
	return own ? passed.filter((permission) => own.includes(permission)) : passed;
}

/** Who calls an agent with a call of this turn: its permissions, and those of whoever called it. */
export function createCaller(context: CallingTurn, turn: string, call: string): Caller {
	const { sessionId, services, state, agent, role, ceiling, caller, budget } = context;
	return {
		session: sessionId,
		turn,
		call,
		agent: agent.agentId,
		role: role.peerRole ?? role.id,
		ceiling: passedCeiling(role, ceiling),
		depth: (caller?.depth ?? 0) + 1,
		chain: [...(caller?.chain ?? []), agent.agentId],
		...(budget && { budget }),
		approval: strictestMode(effectiveApprovalMode(state, services.settings()), caller?.approval ?? "auto"),
	};
}

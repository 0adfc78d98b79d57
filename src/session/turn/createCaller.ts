// Computes the limits that a turn passes on to the agents that it calls.

import type { Caller } from "../../core/caller.ts";
import { effectiveApprovalMode, strictestMode } from "../../core/grant.ts";
import { intersectPermissions, type Permission, type Role } from "../../core/role.ts";
import type { TurnContext } from "../context.ts";
import type { Sender } from "../message.ts";

type CallingTurn = Pick<TurnContext, "sessionId" | "agent" | "role" | "passes" | "caller" | "budget"> & {
	services: Pick<TurnContext["services"], "settings">;
	state: Pick<TurnContext["state"], "approval">;
};

/** Maximum permissions of an agent that is called in that role; `limit`: what the calling turn may pass on, if that is limited. */
export function passedCeiling({ ceiling, permissions }: Role, limit: readonly Permission[] | undefined): readonly Permission[] {
	return intersectPermissions(ceiling ?? permissions, limit);
}

/** What the sender's turn may pass on: as much as the turn whose call it hears of, else its own ceiling; undefined if unlimited. */
export function findPassedLimit(
	{ delegations }: Pick<TurnContext["state"], "delegations">,
	{ about, caller, ceiling }: Pick<Sender, "about" | "caller" | "ceiling">,
): readonly Permission[] | undefined {
	const passes = about && delegations.get(about.call)?.event.passes;
	return passes ? intersectPermissions(passes, caller?.ceiling) : ceiling;
}

/** Who calls an agent with a call of this turn: its permissions, and those of whoever called it. */
export function createCaller(context: CallingTurn, turn: string, call: string): Caller {
	const { sessionId, services, state, agent, role, passes, caller, budget } = context;
	return {
		session: sessionId,
		turn,
		call,
		agent: agent.agentId,
		role: role.peerRole ?? role.id,
		ceiling: passedCeiling(role, passes),
		depth: (caller?.depth ?? 0) + 1,
		chain: [...(caller?.chain ?? []), agent.agentId],
		...(budget && { budget }),
		approval: strictestMode(effectiveApprovalMode(state, services.settings()), caller?.approval ?? "auto"),
	};
}

// Loads the runtime for an agent's turns; rejects agents that this version cannot run.

// An agent meant to run elsewhere never falls back to a model that nobody chose for it.

import type { Runtime } from "../core/ports/runtime.ts";
import type { AgentDefinition } from "../core/role.ts";
import { runtimeOf, runtimeTraits } from "../core/runtimeKind.ts";
import { UserError } from "../core/userError.ts";
import { t } from "../shared/l10n.ts";

/** Loads an agent's runtime; rejects agents that this version cannot run. `choose` selects the model for those that use ours. */
export function createRuntimeLoader(choose: Required<Runtime>["model"]): (agent: AgentDefinition) => Promise<Runtime> {
	let loop: Promise<Runtime> | undefined;
	return async (agent) => {
		refuseForeign(agent);
		loop ??= import("./loop/loop.ts").then(({ createLoop }) => createLoop(choose));
		return loop;
	};
}

function refuseForeign(agent: AgentDefinition): void {
	const { displayName, chat } = agent;
	const { ownModel, startsProgram } = runtimeTraits[runtimeOf(agent)];
	if (!ownModel) return;
	throw new UserError(
		startsProgram
			? t(
					"{0} uses {1}, which this version can't run. Nothing was sent to another model. Switch to another agent.",
					displayName,
					chat?.provider ?? "",
				)
			: t(
					"{0} is an external agent, which this version can't run. Nothing was sent to another model. Switch to another agent.",
					displayName,
				),
	);
}

// What runs an agent's turns. One that is to run elsewhere runs nowhere rather than on a model that nobody chose for it.

import type { Runtime } from "../core/ports/sessions.ts";
import type { AgentDefinition } from "../core/role.ts";
import { t } from "../shared/l10n.ts";

/** Rejects for what this version does not run. */
export async function loadRuntime({ displayName, type, chat }: AgentDefinition): Promise<Runtime> {
	if (type === "external") {
		throw new Error(
			t("{0} is an external agent, which this version does not run. Nothing was sent to another model. Switch the agent.", displayName),
		);
	}
	const provider = chat?.provider;
	if (provider?.endsWith("-cli")) {
		throw new Error(
			t(
				"{0} is to be answered by {1}, which this version does not run. Nothing was sent to another model. Switch the agent.",
				displayName,
				provider,
			),
		);
	}
	return (await import("./loop/loop.ts")).loop;
}

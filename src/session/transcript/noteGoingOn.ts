// Notes which calls of other agents go on after a turn was stopped.
import { openDelegations } from "../../core/transcript/delegations.ts";
import { formatList, t } from "../../shared/l10n.ts";
import type { SessionContext } from "../sessionContext.ts";

/** Tells the user which calls of other agents go on although the turn was stopped. */
export async function noteGoingOn({ state, eventLog, policy }: SessionContext): Promise<void> {
	const going = openDelegations(state).map(({ event }) => event.agent ?? "");
	if (going.length === 0) return;
	const names = going.map((id) => policy.agents().find(({ agentId }) => agentId === id)?.displayName ?? id);
	const text =
		going.length === 1
			? t("{0} goes on with its task. Its answer comes as a message.", names[0] ?? "")
			: t("{0} called agents go on: {1}. Their answers come as messages.", going.length, formatList(names));
	await eventLog.emit({ type: "status", level: "info", text }, "host");
}

// One line that tells which agent called which, or started which background task.

import { t } from "../../../src/shared/l10n.ts";
import type { AgentChain } from "../../../src/shared/protocol/calls.ts";
import { taskTypeName } from "../../../src/shared/taskLabels.ts";
import { chatStatus, labels, transcript } from "../../state.ts";
import { visibleLine } from "../../text/displayText.ts";
import { Icon } from "../Icon.tsx";

/** `session`: the one that the last agent works in, if that is not the shown one. */
export function CallChain({ chain, session }: { chain: AgentChain; session: string | undefined }) {
	const names = chain.map((id) => visibleLine(labels.value.agent(id)));
	const task = session === undefined ? chatStatus.value?.session?.name : transcript.value.folded.tasks.get(session)?.name;
	const calls = names.slice(1).map((name, index) => {
		const caller = names[index] ?? "";
		if (taskTypeName(chain[index + 1] ?? "") === undefined) return t("{0} called {1}", caller, name);
		return t("{0} started the background task “{1}”", caller, task === undefined ? name : visibleLine(task));
	});
	if (calls.length === 0) return null;
	return (
		<div class="secondary-text call-chain">
			<Icon name="call-outgoing" />
			<span>{calls.join(" · ")}</span>
		</div>
	);
}

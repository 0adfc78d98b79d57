// The page: the list of agents beside the selected one.

import { AgentEditor, BrokenAgentView } from "./AgentEditor.tsx";
import { AgentList } from "./AgentList.tsx";
import { AgentReview } from "./AgentReview.tsx";
import { agentsView, announcement, draft, selectedDetail, selectedKey, selectedRow } from "./state.ts";

export function AgentsApp() {
	if (!agentsView.value) return null;
	return (
		<div class="agents">
			<AgentList />
			<main class="detail" key={selectedKey.value}>
				<Chosen />
			</main>
			<p class="sr-only" role="status">
				{announcement.value}
			</p>
		</div>
	);
}

function Chosen() {
	const [shown, detail] = [selectedRow.value, selectedDetail.value];
	if (shown?.kind === "broken") return <BrokenAgentView row={shown} />;
	if (shown?.kind === "waiting") return detail?.kind === "waiting" ? <AgentReview key={detail.hash} row={shown} detail={detail} /> : null;
	return draft.value ? <AgentEditor row={shown} /> : null;
}

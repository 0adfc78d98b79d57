// The page: the list of agents, and beside it the one that is chosen.

import { Broken, Editor } from "./Editor.tsx";
import { List } from "./List.tsx";
import { Review } from "./Review.tsx";
import { chosen, draft, row, said, shownDetail, view } from "./state.ts";

export function Page() {
	if (!view.value) return null;
	return (
		<div class="agents">
			<List />
			<main class="detail" key={chosen.value}>
				<Chosen />
			</main>
			<p class="sr-only" role="status">
				{said.value}
			</p>
		</div>
	);
}

function Chosen() {
	const [shown, detail] = [row.value, shownDetail.value];
	if (shown?.kind === "broken") return <Broken row={shown} />;
	if (shown?.kind === "waiting") return detail?.kind === "waiting" ? <Review key={detail.hash} row={shown} detail={detail} /> : null;
	return draft.value ? <Editor row={shown} /> : null;
}

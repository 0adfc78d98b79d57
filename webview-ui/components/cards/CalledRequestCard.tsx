// A request of a called session, answered there from the calling chat.

import { t } from "../../../src/shared/l10n.ts";
import type { AgentChain, ShownRequest } from "../../../src/shared/protocol/calls.ts";
import { labels } from "../../state.ts";
import { escapeHiddenCharacters, visibleLine } from "../../text/displayText.ts";
import { OpenSession } from "../conversation/OpenSession.tsx";
import { InlineText } from "../conversation/Text.tsx";
import { Icon } from "../Icon.tsx";
import { ApprovalCard } from "./ApprovalCard.tsx";
import { CallChain } from "./CallChain.tsx";
import { QuestionCard } from "./QuestionCard.tsx";

export function CalledRequestCard({ request }: { request: ShownRequest }) {
	const { session, chain } = request;
	const base = { key: request.event.id, stamp: "pending", session, chain };
	if (request.kind === "plan") return <WaitingPlan goal={request.event.plan.goal} session={session} chain={chain} />;
	if (request.kind === "question") {
		const { event } = request;
		return <QuestionCard item={{ ...base, kind: "question", event, request: { kind: "question", event, state: "pending" } }} />;
	}
	const { event, call } = request;
	const entry = call && { call };
	const pending = { kind: "approval", event, state: "pending" } as const;
	return <ApprovalCard item={{ ...base, kind: "approval", event, entry, agent: chain.at(-1) ?? "", request: pending }} />;
}

/** It is executed where its steps will be shown. */
function WaitingPlan({ goal, session, chain }: { goal: string; session: string; chain: AgentChain }) {
	const name = visibleLine(labels.value.agent(chain.at(-1) ?? ""));
	return (
		<section aria-label={t("Plan of {0}: {1}", name, escapeHiddenCharacters(goal))} class="card accent-blue">
			<div class="card-head">
				<Icon name="checklist" />
				<span class="card-title">
					<InlineText text={goal} />
				</span>
			</div>
			<div class="card-body">
				<CallChain chain={chain} session={session} />
				<p class="secondary-text">
					{t("This plan is waiting in the session of {0}. Open the session to execute or revise the plan.", name)}
				</p>
				<div class="buttons">
					<OpenSession session={session} name={name} exists />
				</div>
			</div>
		</section>
	);
}

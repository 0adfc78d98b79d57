// An agent's offer to switch to another agent: the message for it, which the user edits, and what goes along.
import { useState } from "preact/hooks";
import type { Carry } from "../../../src/core/caller.ts";
import type { AgentSwitchOffer } from "../../../src/core/events.ts";
import { t } from "../../../src/shared/l10n.ts";
import type { QuestionItem } from "../../conversation/items.ts";
import { postAgentSwitch, postSessionIntent } from "../../host.ts";
import { saveCardText, savedCardText } from "../../persistedState.ts";
import { labels } from "../../state.ts";
import { visibleLine } from "../../text/displayText.ts";
import { Group } from "../conversation/Group.tsx";
import { Icon } from "../Icon.tsx";
import { useAnswerDelay } from "./useAnswerDelay.ts";

const CARRIES: Record<Carry, string> = {
	none: t("Nothing else goes along."),
	summary: t("A summary of this conversation goes along. The model of this session writes it first."),
	plan: t("The current plan goes along, with the state of its steps."),
	all: t("This conversation goes along as text, the newest part first, as far as it fits."),
};

export function AgentSwitchCard({ item, offer }: { item: QuestionItem; offer: AgentSwitchOffer }) {
	const agent = visibleLine(labels.value.agent(offer.agent));
	if (item.request.state === "pending") return <Pending offer={offer} request={item.event.request} agent={agent} />;
	const outcome: Partial<Record<QuestionItem["request"]["state"], string>> = { answered: t("Switched"), dismissed: t("Dismissed") };
	return (
		<Group name={t("Switch to {0}", agent)} class="settled-line">
			<Icon name="arrow-swap" />
			<span>
				{t("Switch to {0}", agent)}{" "}
				<span class="given">{outcome[item.request.state] ?? t("Not answered. The conversation continued.")}</span>
			</span>
		</Group>
	);
}

function Pending({ offer, request, agent }: { offer: AgentSwitchOffer; request: string; agent: string }) {
	const [message, setMessage] = useState(savedCardText(request) ?? offer.message);
	const { isReady, accepts } = useAnswerDelay();
	const isEmpty = message.trim() === "";
	return (
		<section aria-label={t("Switch to {0}", agent)} class="card accent-blue agent-switch" data-pending="question" tabIndex={-1}>
			<div class="card-head">
				<Icon name="arrow-swap" />
				<span class="card-title">{t("Switch to {0}?", agent)}</span>
				<button
					type="button"
					class="icon-button"
					aria-label={t("Dismiss")}
					title={t("Dismiss")}
					onClick={() => postSessionIntent("dismiss", { request })}
				>
					<Icon name="close" />
				</button>
			</div>
			<div class="card-body">
				<textarea
					aria-label={t("Message to {0}", agent)}
					rows={2}
					maxLength={20_000}
					value={message}
					onInput={({ currentTarget: { value } }) => {
						setMessage(value);
						saveCardText(request, value);
					}}
				/>
				<p class="secondary-text carried">
					<Icon name="attach" />
					<span>{CARRIES[offer.carry]}</span>
				</p>
				<div class="buttons">
					<button
						type="button"
						class="primary"
						aria-disabled={!isReady || isEmpty}
						onClick={(click) => {
							if (!isEmpty && accepts(click)) postAgentSwitch(click, request, message);
						}}
					>
						{t("Switch to {0}", agent)}
					</button>
				</div>
			</div>
		</section>
	);
}

// An approval card: the exact action, its reason and the requesting agent.

import { useState } from "preact/hooks";
import type { Answer, ToolCall } from "../../../src/core/events.ts";
import { t } from "../../../src/shared/l10n.ts";
import { approvalQuestion } from "../../conversation/eventItems.ts";
import { type ApprovalItem, authorName } from "../../conversation/items.ts";
import { asRecord, toolCallLabel } from "../../conversation/toolCallLabels.ts";
import { approvalAnswerForKey } from "../../focus/keybindings.ts";
import { postAnswer } from "../../host.ts";
import { labels } from "../../state.ts";
import { approvalSummary, visibleLine } from "../../text/displayText.ts";
import { Group } from "../conversation/Group.tsx";
import { ExactText } from "../conversation/Text.tsx";
import { Icon } from "../Icon.tsx";
import { ApprovalAnswers } from "./ApprovalAnswers.tsx";
import { ApprovalContent } from "./ApprovalContent.tsx";
import { CallChain } from "./CallChain.tsx";
import { SafeText } from "./FoldedLines.tsx";
import { useAnswerDelay } from "./useAnswerDelay.ts";

export function ApprovalCard({ item }: { item: ApprovalItem }) {
	const name = t("Approval: {0}", approvalSummary(item.event));
	if (item.request.state !== "pending") {
		return (
			<Group name={name} class="settled-line">
				<Outcome item={item} />
			</Group>
		);
	}
	return <Pending item={item} name={name} />;
}

function Pending({ item, name }: { item: ApprovalItem; name: string }) {
	const { event, entry } = item;
	const call = callOf(item);
	const { isReady, accepts } = useAnswerDelay();
	const [sent, setSent] = useState(false);
	const give = (given: Answer) => (cause: Event) => {
		if (sent || !accepts(cause)) return;
		postAnswer(cause, { session: item.session, request: event.request, hash: event.hash }, given);
		setSent(true);
		setTimeout(() => setSent(false), 2_000);
	};
	const byKey = (key: KeyboardEvent) => {
		const given = approvalAnswerForKey(key);
		if (!given) return;
		key.preventDefault();
		give(given)(key);
	};
	return (
		<Group name={name} class="card accent-amber approval" data-pending="approval" tabIndex={-1} onKeyDown={byKey}>
			<div class="card-head">
				<Icon name={call ? toolCallLabel(call, "waiting").icon : "shield"} />
				<span class="card-title">
					<SafeText text={approvalQuestion(event.summary, call)} />
				</span>
				<span class="figure">{entry?.step && t("step {0}", entry.step.step)}</span>
			</div>
			<div class="card-body">
				<CallChain chain={item.chain} session={item.session} />
				{call ? (
					<ApprovalContent tool={call.name} input={call.input} view={event.view} />
				) : (
					<ExactText text={event.summary} label={t("Exact content")} />
				)}
				<Why item={item} />
				<ApprovalAnswers event={event} session={item.session} outside={leavesSandbox(call)} disabled={!isReady || sent} give={give} />
			</div>
		</Group>
	);
}

/** One line that expands to all reasons and the requesting agent. */
function Why({ item: { event, agent } }: { item: ApprovalItem }) {
	const [open, setOpen] = useState(false);
	const { reason, more = [] } = event;
	return (
		<div class="secondary-text why">
			<button type="button" class="line" aria-expanded={open} onClick={() => setOpen(!open)}>
				<Icon name={open ? "chevron-down" : "chevron-right"} />
				<span class={open ? "told whole" : "told"}>
					<SafeText text={reason} />
				</span>
				{!open && more.length > 0 && <span class="figure">{t("+{0}", more.length)}</span>}
			</button>
			{open && (
				<ul class="why-more">
					{more.map((reasonText) => (
						<li key={reasonText}>
							<SafeText text={reasonText} />
						</li>
					))}
					<li>{t("Requested by {0}.", visibleLine(labels.value.agent(agent)))}</li>
				</ul>
			)}
		</div>
	);
}

/** The command failed in the sandbox and asks to run outside it. */
function leavesSandbox(call: ToolCall | undefined): boolean {
	return call?.name === "execute_command" && asRecord(call.input)["outsideSandbox"] === true;
}

/** The call to run: the model's, or the one its shell command makes. */
function callOf({ event, entry }: ApprovalItem): ToolCall | undefined {
	return event.made ? { id: event.call, ...event.made } : entry?.call;
}

type Given = "allowed" | "session" | "always" | "denied";

const BY_PERSON: Record<Given, (summary: string) => string> = {
	allowed: (summary) => t("You allowed: {0}", summary),
	session: (summary) => t("You allowed: {0} (in this session)", summary),
	always: (summary) => t("You allowed: {0} (always)", summary),
	denied: (summary) => t("You denied: {0}", summary),
};
const BY_OTHERS: Record<Given, (who: string, summary: string) => string> = {
	allowed: (who, summary) => t("{0} allowed: {1}", who, summary),
	session: (who, summary) => t("{0} allowed: {1} (in this session)", who, summary),
	always: (who, summary) => t("{0} allowed: {1} (always)", who, summary),
	denied: (who, summary) => t("{0} denied: {1}", who, summary),
};

function Outcome({ item }: { item: ApprovalItem }) {
	const { request, answeredBy = "person" } = item;
	const summary = approvalSummary(item.event);
	const given = request.answer;
	if (!given || !("allow" in given)) {
		return (
			<>
				<Icon name="circle-slash" />
				<span>{t("Request expired: {0}", summary)}</span>
			</>
		);
	}
	const how = givenAnswer(given);
	const text = answeredBy === "person" ? BY_PERSON[how](summary) : BY_OTHERS[how](authorName(answeredBy, labels.value), summary);
	return (
		<>
			<Icon name={given.allow ? "check" : "circle-slash"} />
			<span>
				{text}
				{!given.allow && given.reason && <span class="why"> “{visibleLine(given.reason)}”</span>}
			</span>
		</>
	);
}

/** Old answers have `always` and no scope. */
function givenAnswer({ allow, scope, always }: Extract<Answer, { allow: boolean }>): Given {
	if (!allow) return "denied";
	if (scope === "session") return "session";
	return scope === "always" || (scope === undefined && always) ? "always" : "allowed";
}

// The card of a call of another agent, with the requests of the called session below it.

import type { UsageTotals } from "../../../src/core/events.ts";
import { t } from "../../../src/shared/l10n.ts";
import { type AgentCallDisplay, type AgentCallState, beginningOf, describeAgentCall } from "../../conversation/agentCalls.ts";
import type { AgentCallItem } from "../../conversation/items.ts";
import { asRecord } from "../../conversation/toolCallLabels.ts";
import { postSessionIntent } from "../../host.ts";
import { calledRequests, chatStatus, labels, ongoingCalls } from "../../state.ts";
import { formatCost, formatDuration, formatTokens } from "../../text/amounts.ts";
import { briefLine, visibleLine } from "../../text/displayText.ts";
import { Markdown } from "../conversation/Markdown.tsx";
import { OpenSession } from "../conversation/OpenSession.tsx";
import { Icon, Spinner } from "../Icon.tsx";
import { useExpanded } from "../useExpanded.ts";
import { CalledRequestCard } from "./CalledRequestCard.tsx";
import { CalledTools } from "./CalledTools.tsx";
import { ToolInput } from "./ToolCalls.tsx";

export function AgentCallCard({ item }: { item: AgentCallItem }) {
	const { call } = item.entry;
	const { agent = "", session = "" } = item.delegation.event;
	const live = ongoingCalls.value.get(call.id);
	const requests = item.delegation.ended === undefined ? calledRequests.value.filter(({ under }) => under === call.id) : [];
	const shown = describeAgentCall(item, live, requests);
	const name = visibleLine(labels.value.agent(agent));
	const icon = chatStatus.value?.agents.find(({ id }) => id === agent)?.icon ?? "hubot";
	return (
		<>
			<section aria-label={t("Agent call: {0}", name)} class={`card agent-call ${ACCENTS[shown.state] ?? ""}`}>
				<div class="card-head">
					<Icon name={icon} />
					<span class="card-title">{name}</span>
					<CallStateLabel state={shown.state} {...stateOf(shown)} />
				</div>
				<div class="card-body">
					<div class="called">
						<AskedLine call={call} text={asRecord(call.input)["content"]} />
						<CalledTools id={call.id} tools={shown.tools} earlier={shown.earlierTools} open={requests.length > 0 ? "waiting" : "running"} />
					</div>
					{shown.text.trim() !== "" && <Markdown text={beginningOf(shown.text)} />}
					<div class="buttons">
						<OpenSession session={session} name={name} label={t("Open")} exists={live !== undefined} />
						{shown.canStop && (
							<CardAction label={t("Stop")} name={t("Stop {0}", name)} act={() => postSessionIntent("stopCalled", { call: call.id })} />
						)}
						<Figures first={shown.durationMs === undefined ? [] : [formatDuration(shown.durationMs)]} usage={shown.usage} />
					</div>
				</div>
			</section>
			{requests.map((request) => (
				<CalledRequestCard key={request.event.id} request={request} />
			))}
		</>
	);
}

const ACCENTS: Partial<Record<AgentCallState, string>> = { failed: "accent-red", waiting: "accent-amber" };

const STATES: Record<AgentCallState, { icon: string; text(detail: string): string }> = {
	queued: { icon: "clockface", text: () => t("Queued") },
	running: { icon: "loading", text: () => t("Running") },
	waiting: { icon: "bell-dot", text: (detail) => t("Waiting for you: {0}", detail) },
	completed: { icon: "check", text: () => t("Completed") },
	failed: { icon: "error", text: (detail) => (detail ? t("Failed: {0}", detail) : t("Failed")) },
	timeout: {
		icon: "watch",
		text: (detail) => (detail ? t("Timed out, answer follows. Waiting for you: {0}", detail) : t("Timed out, answer follows")),
	},
	answered: { icon: "mail", text: () => t("Answer received") },
	delivered: { icon: "check", text: () => t("Answer delivered") },
	stopped: { icon: "debug-stop", text: () => t("Stopped") },
	unknown: { icon: "question", text: () => t("Outcome unknown") },
};

function stateOf({ state, detail = "" }: AgentCallDisplay): { icon: string; text: string } {
	const { icon, text } = STATES[state];
	return { icon, text: text(briefLine(detail)) };
}

/** `state` is the style. */
export function CallStateLabel({ state, icon, text }: { state: string; icon: string; text: string }) {
	return (
		<span class={`figure call-state ${state}`}>
			{icon === "loading" ? <Spinner /> : <Icon name={icon} />} <span>{text}</span>
		</span>
	);
}

/** A button with a short label and a full name. */
export function CardAction({ label, name, primary = false, act }: { label: string; name: string; primary?: boolean; act(): void }) {
	return (
		<button type="button" class={primary ? "primary" : "secondary"} aria-label={name} title={name} onClick={act}>
			{label}
		</button>
	);
}

/** The message that begins the work; expands to all arguments. */
export function AskedLine({ call: { id, input }, text }: { call: { id: string; input: unknown }; text: unknown }) {
	const [open, toggle] = useExpanded(`call:${id}`, false);
	return (
		<div>
			<button type="button" class="line" aria-expanded={open} onClick={toggle}>
				<Icon name={open ? "chevron-down" : "chevron-right"} />
				<Icon name="comment" />
				<span class="told">
					<span class="verb">{t("Asked")} </span>
					<span class="about">{briefLine(typeof text === "string" ? text : "")}</span>
				</span>
			</button>
			{open && (
				<div class="body">
					<ToolInput input={input} />
				</div>
			)}
		</div>
	);
}

export function Figures({ first, usage }: { first: readonly string[]; usage: UsageTotals | undefined }) {
	const figures = [...first];
	if (usage && usage.input + usage.output > 0) {
		figures.push(t("{0} tokens", formatTokens(usage.input + usage.output)));
		if (usage.cost > 0) figures.push(formatCost(usage));
	}
	return figures.length > 0 ? <span class="figure">{figures.join(" · ")}</span> : null;
}

// The card of a background task, with the task's pending requests below it.

import type { TaskState } from "../../../src/core/task.ts";
import { t } from "../../../src/shared/l10n.ts";
import { taskStateLabels } from "../../../src/shared/taskLabels.ts";
import { beginningOf } from "../../conversation/agentCalls.ts";
import type { TaskItem } from "../../conversation/items.ts";
import { describeTask, type TaskDisplay } from "../../conversation/tasks.ts";
import { asRecord } from "../../conversation/toolCallLabels.ts";
import { postSessionIntent } from "../../host.ts";
import { calledRequests, ongoingCalls, taskCopies } from "../../state.ts";
import { formatTokens } from "../../text/amounts.ts";
import { briefLine, visibleLine } from "../../text/displayText.ts";
import { AskedLine, CallStateLabel, CardAction, Figures } from "../cards/AgentCallCard.tsx";
import { CalledRequestCard } from "../cards/CalledRequestCard.tsx";
import { CalledTools } from "../cards/CalledTools.tsx";
import { Markdown } from "../conversation/Markdown.tsx";
import { OpenSession } from "../conversation/OpenSession.tsx";
import { Icon } from "../Icon.tsx";
import { OpenTaskChanges, TaskChangeButtons, TaskChanges, useTaskReview } from "./TaskChanges.tsx";
import { ContinueAs, DeniedCalls, findOffer } from "./WiderRole.tsx";

export function TaskCard({ item }: { item: TaskItem }) {
	const { call } = item.entry;
	const task = item.started.task ?? "";
	const live = ongoingCalls.value.get(task);
	const requests = calledRequests.value.filter(({ under }) => under === task);
	const shown = describeTask(item, live, requests);
	const copy = taskCopies.value.get(task);
	const review = useTaskReview(task);
	const offer = shown.canStop && shown.state !== "waiting" ? undefined : findOffer(task);
	const name = visibleLine(shown.name);
	// It ended by itself or by the person's own Stop otherwise.
	const isInterrupted = shown.state === "interrupted";
	return (
		<>
			<section aria-label={t("Background task: {0}", name)} class={`card agent-call ${accentOf(shown)}`}>
				<div class="card-head">
					<Icon name="server-process" />
					<span class="card-title">{name}</span>
					<CallStateLabel {...stateOf(shown)} />
				</div>
				<div class="card-body">
					<div class="called">
						<AskedLine call={call} text={asRecord(call.input)["input"]} />
						<CalledTools id={task} tools={shown.tools} earlier={shown.earlierTools} open={openCalls(shown)} />
					</div>
					{shown.text.trim() !== "" && <Markdown text={beginningOf(shown.text)} />}
					{offer && <DeniedCalls offer={offer} />}
					{copy && <TaskChanges copy={copy} />}
					<div class="buttons">
						{shown.canContinue && copy?.state !== "gone" && (
							<CardAction
								primary={isInterrupted}
								label={t("Continue")}
								name={t("Continue {0}", name)}
								act={() => postSessionIntent("continueTask", { task })}
							/>
						)}
						{offer && <ContinueAs offer={offer} name={name} primary={!isInterrupted} />}
						{copy && <TaskChangeButtons copy={copy} name={name} unfinished={isInterrupted || offer !== undefined} {...review} />}
						<OpenSession session={task} name={name} label={t("Open")} exists={live !== undefined} />
						{shown.canStop && (
							<CardAction label={t("Stop")} name={t("Stop {0}", name)} act={() => postSessionIntent("stopTask", { task })} />
						)}
						<Figures first={figuresOf(shown)} usage={shown.usage} />
					</div>
					{copy && <OpenTaskChanges copy={copy} name={name} open={review.open} />}
				</div>
			</section>
			{requests.map((request) => (
				<CalledRequestCard key={request.event.id} request={request} />
			))}
		</>
	);
}

const ICONS: Readonly<Record<TaskState, string>> = {
	queued: "clockface",
	running: "loading",
	waiting: "bell-dot",
	done: "check",
	failed: "error",
	interrupted: "warning",
	cancelled: "debug-stop",
};

function stateOf({ state, waitsFor }: TaskDisplay): { state: string; icon: string; text: string } {
	if (waitsFor === undefined) return { state: `${state} short`, icon: ICONS[state], text: taskStateLabels[state]() };
	const detail = briefLine(waitsFor);
	const text = state === "waiting" ? t("Needs information: {0}", detail) : t("Waiting for you: {0}", detail);
	return { state: "waiting", icon: ICONS.waiting, text };
}

function openCalls({ state, waitsFor }: TaskDisplay): "running" | "waiting" | "unknown" {
	if (state === "interrupted") return "unknown";
	return waitsFor === undefined ? "running" : "waiting";
}

function accentOf({ state, waitsFor }: TaskDisplay): string {
	if (state === "failed") return "accent-red";
	return waitsFor !== undefined || state === "waiting" || state === "interrupted" ? "accent-amber" : "";
}

function figuresOf({ type, steps, tokens }: TaskDisplay): string[] {
	const counted = steps === undefined ? [] : [steps === 1 ? t("1 step") : t("{0} steps", steps)];
	return [visibleLine(type), ...counted, ...(tokens ? [t("{0} tokens", formatTokens(tokens))] : [])];
}

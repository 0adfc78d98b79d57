// Renders a plan: its steps, prerequisites, risks and the Execute button.
import { Fragment } from "preact";
import type { PlanStep, StepStatus } from "../../../src/core/events.ts";
import { MAX_STEP_FILES_SHOWN } from "../../../src/core/transcript/fold.ts";
import { formatDateTime, formatShortDateTime, t } from "../../../src/shared/l10n.ts";
import type { PlanItem } from "../../conversation/items.ts";
import { focusPlanRevision } from "../../focus/focus.ts";
import { postExecutePlan, postSessionIntent } from "../../host.ts";
import { chatStatus } from "../../state.ts";
import { escapeHiddenCharacters, visibleLine } from "../../text/displayText.ts";
import { InlineCode, InlineText } from "../conversation/Text.tsx";
import { Icon, Spinner } from "../Icon.tsx";
import { useExpanded } from "../useExpanded.ts";
import { useRunningPlanObserver } from "./RunningPlanBar.tsx";
import { useAnswerDelay } from "./useAnswerDelay.ts";

export function PlanCard({ item }: { item: PlanItem }) {
	const { plan, isLatest: latest } = item;
	const { goal } = plan.event.plan;
	const finished = plan.state === "closed" || (!latest && plan.state !== "running");
	const [open, toggle] = useExpanded(`plan:${plan.event.id}:${finished}`, !finished);
	const element = useRunningPlanObserver(plan.state === "running");
	return (
		<section ref={element} aria-label={t("Plan: {0}", escapeHiddenCharacters(goal))} class={`card accent-blue plan ${plan.state}`}>
			<button type="button" class="card-head" aria-expanded={open} onClick={toggle}>
				<Icon name={plan.state === "closed" ? "pass" : "checklist"} />
				<span class="card-title">
					<InlineText text={goal} linked={false} />
				</span>
				<span class="figure" title={formatDateTime(plan.event.at)}>
					{finished ? resultOf(item) : versionOf(item)}
				</span>
			</button>
			{open && <Body item={item} />}
		</section>
	);
}

function Body({ item }: { item: PlanItem }) {
	const { plan, isLatest: latest, isTurnRunning: busy } = item;
	const { steps, risks = [], prerequisites = [], estimated_total_time: estimate } = plan.event.plan;
	return (
		<div class="card-body">
			<ol class="steps">
				{steps.map((step) => (
					<Step key={step.step_number} step={step} status={plan.steps.get(step.step_number)} busy={busy} />
				))}
			</ol>
			{(risks.length > 0 || prerequisites.length > 0 || estimate) && (
				<div class="plan-notes">
					{risks.map((risk) => (
						<div key={risk} class="risk">
							<Icon name="warning" />
							<span>
								<span class="sr-only">{t("Risk:")} </span>
								<InlineText text={risk} />
							</span>
						</div>
					))}
					{prerequisites.map((needed) => (
						<div key={needed} class="prerequisite">
							<Icon name="info" />
							<span>
								{t("Requires:")} <InlineText text={needed} />
							</span>
						</div>
					))}
					{estimate && (
						<div class="estimate">
							<Icon name="clockface" />
							<span>{escapeHiddenCharacters(/^\d/.test(estimate) ? `~${estimate}` : estimate)}</span>
						</div>
					)}
				</div>
			)}
			{plan.deviations.length > 0 && (
				<ul class="deviations" aria-label={t("Deviations")}>
					{plan.deviations.map(({ path, reason }, index) => (
						<li key={index}>
							<Icon name="warning" /> <code>{escapeHiddenCharacters(path)}</code> {escapeHiddenCharacters(reason)}
						</li>
					))}
				</ul>
			)}
			{latest && <Buttons item={item} />}
		</div>
	);
}

function Buttons({ item: { plan, isTurnRunning: busy } }: { item: PlanItem }) {
	const { isReady, accepts } = useAnswerDelay();
	const { planId, version } = plan.event;
	const runs = plan.state === "running";
	return (
		<div class="buttons">
			{runs ? (
				<button key="stop" type="button" class="secondary" onClick={() => postSessionIntent("stop", {})}>
					{t("Stop")}
				</button>
			) : (
				<button
					key="execute"
					type="button"
					class={plan.state === "closed" ? "secondary" : "primary"}
					aria-disabled={!isReady || busy}
					onClick={(click) => {
						if (!busy && accepts(click)) postExecutePlan(click, plan.event);
					}}
				>
					{chatStatus.value?.acts === false ? t("Execute With…") : t("Execute plan")}
				</button>
			)}
			{!runs && (
				<button type="button" class="secondary" onClick={focusPlanRevision}>
					{t("Revise")}
				</button>
			)}
			<button type="button" class="link save" onClick={() => postSessionIntent("savePlan", { planId, version })}>
				{t("Save")}
			</button>
		</div>
	);
}

const STEP_WORDS: Record<StepStatus | "open", string> = {
	open: "",
	running: t("Running:"),
	done: t("Done:"),
	failed: t("Failed:"),
	skipped: t("Skipped:"),
};

function Step({ step, status, busy }: { step: PlanStep; status: StepStatus | undefined; busy: boolean }) {
	const tools = [...new Set(step.tools_needed)];
	return (
		<li class={`step ${status ?? "open"}`} aria-current={status === "running" ? "step" : undefined}>
			<StepIcon status={status} busy={busy} />
			<span class="step-number">{step.step_number}.</span>
			<div class="step-words">
				<span class="sr-only">{STEP_WORDS[status ?? "open"]} </span>
				<InlineText text={step.action} />
				{tools.map((tool) => (
					<Fragment key={tool}>
						{" "}
						<span class={CHANGING.test(tool) ? "tag" : "tag quiet"}>{escapeHiddenCharacters(tool)}</span>
					</Fragment>
				))}{" "}
				{step.estimated_time && <span class="step-time">{escapeHiddenCharacters(step.estimated_time)}</span>}
				{step.reason && (
					<div class="secondary-text">
						<InlineText text={step.reason} />
					</div>
				)}
				{step.files && step.files.length > 0 && <Files files={step.files} />}
			</div>
		</li>
	);
}

/** Files that approving the step permits to change without asking again. */
function Files({ files }: { files: readonly string[] }) {
	const hidden = files.length - MAX_STEP_FILES_SHOWN;
	return (
		<div class="secondary-text step-files">
			{files.slice(0, MAX_STEP_FILES_SHOWN).map((file, index) => (
				<InlineCode key={index} text={visibleLine(file)} />
			))}
			{hidden > 0 && <span>{t("and {0} more", hidden)}</span>}
		</div>
	);
}

/** Tools not matched here only read and are shown less prominently. */
const CHANGING = /^(?!(?:read|list|find|get|search|present|ask|update_step|grep)(?:_|$))/;

const STEP_ICONS: Record<Exclude<StepStatus, "running">, string> = { done: "pass-filled", failed: "error", skipped: "circle-slash" };

/** Between turns, after a failure or during a question, the running step is paused. */
function StepIcon({ status, busy }: { status: StepStatus | undefined; busy: boolean }) {
	if (status === "running") return busy ? <Spinner /> : <Icon name="debug-pause" />;
	return <Icon name={status ? STEP_ICONS[status] : "circle-large"} />;
}

function versionOf({ plan: { event }, version }: PlanItem): string {
	return t("v{0} · {1}", version, formatShortDateTime(event.at));
}

function resultOf(item: PlanItem): string {
	const { plan } = item;
	if (plan.state === "superseded" && plan.steps.size === 0) return t("{0} · replaced", versionOf(item));
	const all = plan.event.plan.steps.length;
	const done = [...plan.steps.values()].filter((status) => status === "done").length;
	const deviations = plan.deviations.length;
	const parts = [t("{0} of {1} steps", done, all), formatShortDateTime(plan.event.at)];
	if (deviations > 0) parts.splice(1, 0, deviations === 1 ? t("1 deviation") : t("{0} deviations", deviations));
	return parts.join(" · ");
}

// Converts what goes along to another session to text: a summary, the plan, or the conversation.
import type { Plan, StepStatus, Usage } from "../../core/events.ts";
import { currentPlan, type PlanState } from "../../core/transcript/state.ts";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import { reasonOf } from "../../shared/reasonOf.ts";
import { sanitizeForPrompt } from "../../shared/safeText.ts";
import { getAgent, getRole } from "../agent/sessionAgent.ts";
import type { SessionContext } from "../sessionContext.ts";
import { TokenCounter } from "../state/tokenCounter.ts";
import { summarizeConversation } from "./summarize.ts";
import { listTranscriptParts, sizeOf } from "./transcriptText.ts";

export interface CarriedText {
	text: string;
	/** Usage of the model call that made it. */
	usage?: Usage;
	/** Number of entries of the conversation that did not fit. */
	omitted: number;
}

/** Thrown if what should go along could not be made, or does not fit. Nothing was sent; the message says so. */
export class CarryError extends UserError {
	override readonly name = "CarryError";
}

/** Share of the window that may be carried, and its tokens if the window is unknown. */
const WINDOW_SHARE = 1 / 2;
const UNKNOWN_WINDOW_TOKENS = 24_000;

/** Maximum tokens that may go along to a model with this window. */
export function carryLimit(window: number | undefined): number {
	return window === undefined ? UNKNOWN_WINDOW_TOKENS : Math.floor(window * WINDOW_SHARE);
}

type Format = (source: SessionContext, limit: number, signal: AbortSignal) => CarriedText | Promise<CarriedText>;

/** `limit` is in bytes. */
const formats: Record<"summary" | "plan" | "all", Format> = {
	async summary(source, limit, signal) {
		const { text, usage } = await summarize(source, signal);
		return fitting({ text, ...(usage && { usage }), omitted: 0 }, limit);
	},
	plan({ state }, limit) {
		const plan = currentPlan(state);
		if (!plan) throw new CarryError(t("This session has no plan to take along. Nothing was sent."));
		return fitting({ text: formatPlanProgress(plan), omitted: 0 }, limit);
	},
	all({ state }, limit) {
		const parts = listTranscriptParts(state);
		const kept = keepNewest(parts, limit);
		const omitted = parts.length - kept.length;
		if (parts.length > 0 && kept.length === 0) throw createWindowError();
		const text = [...(omitted > 0 ? [`[${omitted} earlier entries are left out here.]`] : []), ...kept].join("\n\n");
		return { text, omitted };
	},
};

/** `tokens`: the maximum. Rejects with CarryError, or with the signal's reason. */
export async function createCarriedText(
	source: SessionContext,
	carry: keyof typeof formats,
	{ tokens, signal }: { tokens: number; signal: AbortSignal },
): Promise<CarriedText> {
	await source.whole();
	// The other model may need more tokens for the same text.
	const limit = Math.min(source.context.ledger.bytesOf(tokens), new TokenCounter().bytesOf(tokens));
	const carried = await formats[carry](source, limit, signal);
	return { ...carried, text: sanitizeForPrompt(carried.text) };
}

/** One call to the session's own model. */
async function summarize(source: SessionContext, signal: AbortSignal): Promise<{ text: string; usage: Usage | undefined }> {
	const [agent, role] = [getAgent(source), getRole(source)];
	if (source.state.messages === 0) throw new CarryError(t("There's nothing to summarize in this session yet. Nothing was sent."));
	const { model: choose } = await source.services.runtime(agent);
	if (!choose) throw new CarryError(t("{0} manages its own history, so it can't be summarized here. Nothing was sent.", agent.displayName));
	try {
		return await summarizeConversation({ session: source, model: await choose(agent, role), signal });
	} catch (error) {
		signal.throwIfAborted();
		const why = reasonOf(error, source.services.log);
		throw new CarryError(t("Couldn't summarize the conversation. {0} Nothing was sent, and the conversation is unchanged.", why));
	}
}

function fitting(carried: CarriedText, limit: number): CarriedText {
	if (Buffer.byteLength(carried.text) > limit) throw createWindowError();
	return carried;
}

function createWindowError(): CarryError {
	return new CarryError(
		t("The context window of the agent's model is too small for what should go along: half of it is the limit. Nothing was sent."),
	);
}

/** Keeps as many of the last parts as fit. */
function keepNewest(parts: readonly string[], limit: number): string[] {
	let left = limit;
	let from = parts.length;
	while (from > 0 && left >= sizeOf(parts[from - 1] ?? "")) {
		from -= 1;
		left -= sizeOf(parts[from] ?? "");
	}
	return parts.slice(from);
}

const STATES: Record<PlanState["state"], string> = {
	proposed: "shown to the person, not approved",
	superseded: "no longer current",
	running: "running",
	stopped: "stopped",
	closed: "finished",
};

const MARKS: Record<StepStatus, string> = { running: "[running]", done: "[done]", failed: "[failed]", skipped: "[skipped]" };

/** Formats a plan as Markdown, for models. */
export function formatPlanProgress({ event: { plan }, state, steps, deviations }: PlanState): string {
	return [
		`# Plan: ${plan.goal}`,
		`State: ${STATES[state]}`,
		plan.steps.map((step) => formatStep(step, steps.get(step.step_number))).join("\n"),
		...formatList("Prerequisites", plan.prerequisites),
		...formatList("Risks", plan.risks),
		...formatList(
			"Changes outside the plan",
			deviations.map(({ path, reason }) => `${path} (${reason})`),
		),
	].join("\n\n");
}

function formatStep({ step_number, action, reason, files }: Plan["steps"][number], status: StepStatus | undefined): string {
	const details = [...(reason ? [`Reason: ${reason}`] : []), ...(files?.length ? [`Files: ${files.join(", ")}`] : [])];
	return [`${step_number}. ${status ? MARKS[status] : "[open]"} ${action}`, ...details.map((line) => `   - ${line}`)].join("\n");
}

function formatList(title: string, items: readonly string[] = []): string[] {
	return items.length > 0 ? [`${title}:\n${items.map((item) => `- ${item}`).join("\n")}`] : [];
}

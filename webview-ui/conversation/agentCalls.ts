// State and figures of a call of another agent: from the host while it runs, and from the transcript afterwards.
import type { AnsweredCall, CallView } from "../../src/core/caller.ts";
import type { UsageTotals } from "../../src/core/events.ts";
import { t } from "../../src/shared/l10n.ts";
import type { CalledTool, OngoingCall, ShownRequest } from "../../src/shared/protocol/calls.ts";
import { type AgentCallItem, answerText } from "./items.ts";

export type AgentCallState =
	| "queued"
	| "running"
	| "waiting"
	| "completed"
	| "failed"
	| "timeout"
	| "answered"
	| "delivered"
	| "stopped"
	| "unknown";

export interface AgentCallDisplay {
	state: AgentCallState;
	/** Text on what it waits for, or on why it failed. */
	detail?: string;
	/** The beginning of the called agent's latest message. */
	text: string;
	tools: readonly CalledTool[];
	earlierTools: number;
	usage?: UsageTotals;
	durationMs?: number;
	canStop: boolean;
}

/** `live` and `requests` are absent and empty once the call is answered. */
export function describeAgentCall(item: AgentCallItem, live: OngoingCall | undefined, requests: readonly ShownRequest[]): AgentCallDisplay {
	const { entry, delegation, answer } = item;
	const view = entry.result?.view?.kind === "agent" ? entry.result.view : undefined;
	const isOpen = delegation.ended === undefined;
	const now = isOpen ? live : undefined;
	const about = answerAbout(answer);
	const usage = about?.usage ?? now?.usage ?? view?.usage;
	const durationMs = answer ? Date.parse(answer.at) - Date.parse(delegation.event.at) : isOpen ? undefined : view?.durationMs;
	return {
		...(isOpen ? openState(view, now, requests) : settledState(item, view)),
		// A delivered answer is a message of its own.
		text: delegation.delivered ? "" : ((answer && about && answerText(answer.text, about)) ?? now?.text ?? view?.text ?? ""),
		tools: now?.tools ?? toolsOf(view),
		earlierTools: now?.earlierTools ?? 0,
		...(usage && { usage }),
		...(durationMs !== undefined && { durationMs }),
		canStop: isOpen && (now?.state === "running" || now?.state === "queued" || requests.length > 0),
	};
}

type State = Pick<AgentCallDisplay, "state" | "detail">;

function openState(view: CallView | undefined, live: OngoingCall | undefined, requests: readonly ShownRequest[]): State {
	const [request] = requests;
	if (request) return { state: view?.status === "timeout" ? "timeout" : "waiting", detail: requestText(request) };
	if (!live && view?.waits) return { state: "waiting", detail: view.waits.text };
	if (view?.status === "timeout") return { state: "timeout" };
	return { state: live?.state === "queued" ? "queued" : "running" };
}

function settledState({ entry: { result }, delegation, answer }: AgentCallItem, view: CallView | undefined): State {
	const about = answerAbout(answer);
	const status = about?.status ?? view?.status;
	if (status === "complete") return { state: !answer ? "completed" : delegation.delivered ? "delivered" : "answered" };
	if (status === "timeout") return { state: "failed", detail: t("timed out") };
	const outcome = about?.outcome ?? view?.outcome;
	if (result?.status === "cancelled") return { state: "stopped" };
	if (status === "error") return STOPPED.has(outcome) ? { state: "stopped" } : { state: "failed", ...failure(outcome) };
	if (result?.status === "error") return { state: "failed", detail: firstLine(result.output) };
	return { state: "unknown" };
}

function answerAbout(answer: AgentCallItem["answer"]): AnsweredCall | undefined {
	return answer?.about?.kind === "answer" ? answer.about : undefined;
}

/** Returns the text that stands in place of that of a late answer without one. */
export function describeSilentAnswer({ status, outcome }: AnsweredCall): string {
	if (status !== "error") return t("The answer has no text.");
	const { detail } = failure(outcome);
	if (STOPPED.has(outcome)) return t("Stopped");
	return detail === undefined ? t("Failed") : t("Failed: {0}", detail);
}

/** Outcomes of a call that the user stops: of its turn, or of its message before that. */
const STOPPED: ReadonlySet<string | undefined> = new Set(["cancelled", "takenBack"]);

const OUTCOMES: Readonly<Record<string, () => string>> = {
	limit: () => t("step limit reached"),
	interrupted: () => t("interrupted"),
	refused: () => t("message refused"),
	cleared: () => t("session cleared"),
	deleted: () => t("session deleted"),
	superseded: () => t("question not answered"),
};

function failure(outcome = ""): Pick<State, "detail"> {
	const detail = OUTCOMES[outcome]?.();
	return detail === undefined ? {} : { detail };
}

export function requestText(request: ShownRequest): string {
	if (request.kind === "approval") return request.event.summary;
	return request.kind === "question" ? request.event.question.question : request.event.plan.goal;
}

function toolsOf(view: CallView | undefined): CalledTool[] {
	return (view?.tools ?? []).map(({ name, durationMs }, index) => ({
		call: { id: String(index), name, input: undefined },
		status: "ok",
		durationMs,
	}));
}

function firstLine(text: string): string {
	return text.trim().split("\n", 1)[0] ?? "";
}

/** Lines and characters of a message that its card shows. */
const MAX_LINES = 6;
const MAX_CHARACTERS = 480;

/** The beginning of a message, cut between lines or words. */
export function beginningOf(text: string): string {
	const lines = text.trim().split("\n");
	const head = lines.slice(0, MAX_LINES).join("\n");
	if (head.length <= MAX_CHARACTERS) return lines.length > MAX_LINES ? `${head.trimEnd()} …` : head;
	return `${head.slice(0, MAX_CHARACTERS).replace(/\s+\S*$/, "")} …`;
}

// A session as a document: Markdown for people, JSON for programs.
import type { EventOf, SessionSummary, TranscriptEvent } from "../core/events.ts";
import { versionedPlan, versionedQuestion } from "../core/structured.ts";
import { apply, emptyTranscript, type Transcript } from "../core/transcript.ts";
import { t } from "../l10n.ts";
import type { Conversations } from "./conversations.ts";
import { planMarkdown } from "./planMarkdown.ts";

export function exportJson(summary: SessionSummary, state: Transcript): string {
	return `${JSON.stringify({ format: "troupe-session", version: 1, session: summary, events: state.events.map(exported) }, null, 2)}\n`;
}

/** Plans and questions from before their format had a version get it. */
function exported(event: TranscriptEvent): TranscriptEvent {
	if (event.type === "plan") return { ...event, plan: versionedPlan(event.plan) };
	return event.type === "question" ? { ...event, question: versionedQuestion(event.question) } : event;
}

export function exportMarkdown(summary: SessionSummary, state: Transcript): string {
	const title = summary.name || state.title || t("Session");
	const head = [`# ${title}`, t("Agent {0} · started {1} · last change {2}", summary.agentId, summary.createdAt, summary.updatedAt)];
	const parts = state.events.filter((event) => !state.hidden.has(event.id)).flatMap((event) => section(event, state));
	return `${[...head, ...parts].join("\n\n")}\n`;
}

/** A conversation from before it was summarised, to be read. */
export async function archivedText({ services }: Conversations, sessionId: string, archive: string): Promise<string> {
	const [{ events }, sessions] = await Promise.all([services.store.read(sessionId, archive), services.store.list()]);
	const summary = sessions.find((session) => session.sessionId === sessionId);
	if (!summary) throw new Error(t("This session does not exist any more."));
	return exportMarkdown(summary, events.reduce(apply, emptyTranscript()));
}

type Sections = { [T in TranscriptEvent["type"]]?: (event: EventOf<T>, state: Transcript) => string[] };

const sections: Sections = {
	user: (event) => (event.by === "host" ? [] : [`## ${t("You")}`, event.text]),
	assistant: (event) => (event.text.trim() ? [`## ${t("Agent")}`, event.text] : []),
	plan: (event) => [`## ${t("Plan, version {0}", event.version)}`, planMarkdown(event.plan)],
	question: (event) => [
		`## ${t("Question")}`,
		event.question.question,
		...(event.question.options ?? []).map((option) => `- ${option.label}`),
	],
	answered: (event) => [
		"value" in event.answer ? `> ${t("Answered: {0}", event.answer.value)}` : `> ${event.answer.allow ? t("Allowed") : t("Denied")}`,
	],
	result: (event, state) => {
		const call = state.calls.get(event.call)?.call;
		return [`**${call?.name ?? "tool"}** · ${event.status}`, fence(JSON.stringify(call?.input ?? {})), fence(event.output)];
	},
	role: (event) => [`*${t("Role: {0}", event.role)}*`],
	step: (event) => [`*${t("Step {0}: {1}", event.step_number, event.status)}*`],
	status: (event) => [`*${event.text}*`],
	compacted: (event) => [`*${t("Earlier conversation was summarised; all of it is kept in {0}.", event.archive)}*`, event.summary],
	ended: (event) =>
		event.outcome === "done" ? [] : [`*${t("The turn ended: {0}.", event.outcome)}${event.error ? ` ${event.error}` : ""}*`],
};

function section(event: TranscriptEvent, state: Transcript): string[] {
	const write = sections[event.type] as ((event: TranscriptEvent, state: Transcript) => string[]) | undefined;
	return write?.(event, state) ?? [];
}

/** A fence longer than any run of backticks inside. */
function fence(text: string): string {
	const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
	const marks = "`".repeat(Math.max(3, longest + 1));
	return `${marks}\n${text}\n${marks}`;
}

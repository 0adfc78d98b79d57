// Records what a summary may not lose: archives, the open plan, the user's decisions, and changed files.
import { isForeignAuthor } from "../../core/author.ts";
import { type CompactionRecord, RECORDED } from "../../core/eventData/compaction.ts";
import type { Author, EventOf, TranscriptEvent } from "../../core/events.ts";
import { toSingleLine } from "../../core/prompt.ts";
import { currentPlan, type Transcript } from "../../core/transcript/state.ts";
import { formatPlanProgress } from "./carryContext.ts";

/** Maximum characters. */
const LENGTH = { plan: 4_000, goal: 120, question: 120, answer: 160, name: 60, path: 160 };

/** Creates the record of the transcript that is about to be archived, continuing the record of the summary that it began with. */
export function createCompactionRecord(state: Transcript): CompactionRecord {
	const before = state.events.findLast((event): event is EventOf<"compacted"> => event.type === "compacted");
	const { earlier = [], decisions = [], files = [] } = before?.carried?.record ?? {};
	const plan = formatOpenPlan(state);
	return {
		earlier: [...earlier, ...(before ? [before.archive] : [])].slice(-RECORDED.earlier),
		...(plan !== undefined && { plan }),
		decisions: [...decisions, ...listDecisions(state, before)].slice(-RECORDED.decisions),
		files: [...new Set([...files, ...listChangedFiles(state)])].slice(-RECORDED.files),
	};
}

/** Undefined if there is none, or if all of its steps are closed. */
function formatOpenPlan(state: Transcript): string | undefined {
	const plan = currentPlan(state);
	if (!plan || plan.state === "closed" || plan.state === "superseded") return undefined;
	const text = formatPlanProgress(plan);
	return text.length <= LENGTH.plan ? text : `${text.slice(0, LENGTH.plan)}\n[The rest of the plan is in the archive.]`;
}

/** A summary repeats what the running turn still needs; that is recorded already. */
function listDecisions({ events, hidden, requests }: Transcript, before: EventOf<"compacted"> | undefined): string[] {
	const plans = new Map(events.flatMap((event) => (event.type === "plan" ? [[`${event.planId} ${event.version}`, event] as const] : [])));
	const isNew = ({ seq, at }: TranscriptEvent) => !before || (seq > before.seq && at >= before.at);
	const answered = new Set<string>();
	const answer = (request: string, by: Author, value: string | undefined) => {
		const asked = requests.get(request)?.event;
		// An answer begins a turn, whose message repeats it.
		if (asked?.type !== "question" || answered.has(request)) return [];
		answered.add(request);
		const question = toSingleLine(asked.question.question, LENGTH.question);
		return [
			value === undefined
				? `${atStart(by)} dismissed the question “${question}”.`
				: `To “${question}” ${nameOf(by)} answered: ${toSingleLine(value, LENGTH.answer)}`,
		];
	};
	return events.flatMap((event) => {
		if (hidden.has(event.id) || !isNew(event)) return [];
		if (event.type === "role") {
			if (event.by === "host" && !event.plan) return [];
			const plan = event.plan && plans.get(`${event.plan.planId} ${event.plan.version}`);
			if (!event.plan) return [`${atStart(event.by)} switched the role to ${event.role}.`];
			return [`${atStart(event.by)} approved the plan “${toSingleLine(plan?.plan.goal ?? event.plan.planId, LENGTH.goal)}”.`];
		}
		if (event.type === "agent" && event.by !== "host")
			return [`${atStart(event.by)} switched to the agent “${toSingleLine(event.name ?? event.agent, LENGTH.name)}”.`];
		if (event.type === "answered") return answer(event.request, event.by, "value" in event.answer ? event.answer.value : undefined);
		return event.type === "user" && event.answers !== undefined ? answer(event.answers, event.by, event.text) : [];
	});
}

function nameOf(by: Author): string {
	return isForeignAuthor(by) ? toSingleLine(by, LENGTH.name) : "the person";
}

function atStart(by: Author): string {
	const name = nameOf(by);
	return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Leaves out files whose changes were all undone. Read from the whole session: what was rewound changed files, too. */
function listChangedFiles({ fates, changed }: Transcript): string[] {
	const touched = [...fates].flatMap(([path, entries]) => (entries.every(({ fate }) => fate === "undone") ? [] : [path]));
	return [...new Set([...changed.keys(), ...touched])].map((path) => toSingleLine(path, LENGTH.path));
}

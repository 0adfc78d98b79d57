// Transcript events → Chat Completions messages. Append-only: a longer transcript only ever adds messages at the end,
// byte for byte, so that prompt caches hold. What is not certain yet (calls still open, notes for the next message) waits.
import type { EventOf, ResultStatus, ToolCall, TranscriptEvent } from "../core/events.ts";

export type ChatMessage =
	| { role: "system" | "user"; content: string }
	| { role: "assistant"; content: string | null; tool_calls?: ChatToolCall[] }
	| { role: "tool"; tool_call_id: string; content: string };

export interface ChatToolCall {
	id: string;
	type: "function";
	function: { name: string; arguments: string };
}

export function chatMessages(system: string, events: readonly TranscriptEvent[]): ChatMessage[] {
	const writing: Writing = { messages: [], notes: [], calls: [], results: new Map(), plans: [], questions: new Set() };
	if (system !== "") writing.messages.push({ role: "system", content: system });
	for (const event of events) {
		const write = writers[event.type] as ((writing: Writing, event: TranscriptEvent) => void) | undefined;
		write?.(writing, event);
	}
	return writing.messages;
}

const UNKNOWN_OUTCOME =
	"Outcome unknown: this call was interrupted. It may have run, in part or whole; look at the state of things before doing it again.";

interface Writing {
	messages: ChatMessage[];
	/** Lines that the next message of the person will carry. */
	notes: string[];
	/** The assistant's message whose calls are not all answered; it leaves together with their results. */
	open?: EventOf<"assistant">;
	calls: readonly ToolCall[];
	results: Map<string, EventOf<"result">>;
	plans: EventOf<"plan">[];
	/** Request ids of questions: an approval's answer is told by its result already. */
	questions: Set<string>;
}

const writers: { [T in TranscriptEvent["type"]]?: (writing: Writing, event: EventOf<T>) => void } = {
	user(writing, event) {
		closeCalls(writing);
		const images = event.images?.length ? `[${event.images.length} attached image(s) cannot be shown to this model.]` : "";
		const parts = [...writing.notes, event.context ?? "", images, event.text].filter((part) => part !== "");
		writing.notes = [];
		if (parts.length > 0) writing.messages.push({ role: "user", content: parts.join("\n\n") });
	},
	started(writing) {
		closeCalls(writing);
		flushNotes(writing);
	},
	assistant(writing, event) {
		closeCalls(writing);
		if (event.calls?.length) {
			writing.open = event;
			writing.calls = event.calls;
			return;
		}
		if (event.text !== "") writing.messages.push({ role: "assistant", content: event.text });
	},
	result(writing, event) {
		if (!writing.calls.some((call) => call.id === event.call)) {
			writing.notes.push(`[A result arrived late, for call ${event.call}: ${outputOf(event)}]`);
			return;
		}
		writing.results.set(event.call, event);
		if (writing.calls.every((call) => writing.results.has(call.id))) closeCalls(writing);
	},
	plan(writing, event) {
		writing.notes.push(`[Plan ${event.planId}, version ${event.version}, was shown to the person.]`);
		writing.plans.push(event);
	},
	role(writing, event) {
		// What the host writes down when a session begins is nothing the person did.
		if (event.by === "host" && !event.plan) return;
		writing.notes.push(`[The person switched your role to ${event.role}.]`);
		if (!event.plan) return;
		const { planId, version } = event.plan;
		const plan = writing.plans.findLast((shown) => shown.planId === planId && shown.version === version);
		const steps = plan ? `\n${JSON.stringify({ goal: plan.plan.goal, steps: plan.plan.steps })}` : "";
		writing.notes.push(
			`[The person approved version ${version} of plan ${planId}. Carry out its steps in order and report each with update_step.]${steps}`,
		);
	},
	question(writing, event) {
		writing.questions.add(event.request);
		writing.notes.push(`[Your question was shown to the person: ${event.question.question}]`);
	},
	answered(writing, event) {
		if (!writing.questions.has(event.request)) return;
		const answer = event.answer;
		const how = "value" in answer ? `answered your question: ${answer.value}` : `dismissed your question${reasonOf(answer.reason)}`;
		writing.notes.push(`[The person ${how}]`);
	},
	agent(writing, event) {
		if (event.by === "host") return;
		writing.notes.push(`[From here on you are the agent “${event.agent}”.]`);
	},
	status(writing, event) {
		if (event.level !== "info") writing.notes.push(`[Note from the editor: ${event.text}]`);
	},
	compacted(writing, event) {
		closeCalls(writing);
		writing.notes.push(`[What came before, in short:]\n${event.summary}`);
		flushNotes(writing);
	},
};

/** The assistant's message with its calls, then one message for each call's result; a call without one gets a stand-in. */
function closeCalls(writing: Writing): void {
	const { open, calls, results } = writing;
	if (!open) return;
	delete writing.open;
	writing.calls = [];
	writing.results = new Map();
	writing.messages.push({ role: "assistant", content: open.text === "" ? null : open.text, tool_calls: calls.map(chatToolCall) });
	for (const call of calls) {
		const result = results.get(call.id);
		writing.messages.push({ role: "tool", tool_call_id: call.id, content: result ? outputOf(result) : UNKNOWN_OUTCOME });
	}
}

function chatToolCall({ id, name, input }: ToolCall): ChatToolCall {
	return { id, type: "function", function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}) } };
}

function flushNotes(writing: Writing): void {
	if (writing.notes.length > 0) writing.messages.push({ role: "user", content: writing.notes.join("\n\n") });
	writing.notes = [];
}

const EMPTY_OUTPUTS: Record<ResultStatus, string> = {
	ok: "(no output)",
	error: "It failed without saying why.",
	denied: "The person did not allow it.",
	cancelled: "It was cancelled.",
	unknown: UNKNOWN_OUTCOME,
};

function outputOf(result: EventOf<"result">): string {
	return result.output === "" ? EMPTY_OUTPUTS[result.status] : result.output;
}

function reasonOf(reason: string | undefined): string {
	return reason ? `: ${reason}` : "";
}

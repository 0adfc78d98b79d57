// The offline model: fixed rules that use the same tools through the same gate, without network.
import type { TranscriptEvent } from "../../core/events.ts";
import type { ModelChunk, ModelProvider, ModelRequest, ToolSpec } from "../../core/ports/model.ts";
import { t } from "../../shared/l10n.ts";
import { createProposal } from "./createProposal.ts";
import { executePlan } from "./execute.ts";
import { type OfflineMessage, type OfflineTask, replayAndAdvance, requestCalls } from "./generator.ts";
import { type ChangeIntent, isChangeIntent, type OfflineIntent } from "./intents.ts";
import { parseStepAction } from "./planSteps.ts";
import type { OfferedTools } from "./search.ts";
import { type ConversationState, readConversationState } from "./state.ts";
import { summarizeTranscript, transcriptToSummarize } from "./summarize.ts";
import { answerExplain, answerFind, answerHelp } from "./textAnswers.ts";
import { formatCount } from "./textParsing.ts";

export function createOfflineProvider(): ModelProvider {
	return {
		id: "offline",
		models: async () => [{ id: "offline/offline", name: t("Offline model (fixed rules, no network)") }],
		async *stream(request, signal) {
			signal.throwIfAborted();
			const transcript = transcriptToSummarize(request);
			if (transcript !== undefined) return yield* chunksOf({ text: summarizeTranscript(transcript), calls: [] }, request);
			const situation = readConversationState(request.events);
			const tools = toolsOf(request.tools);
			const work = tools.has("reply") ? declineToSpeak(request.events) : respond(situation, tools);
			const batch = replayAndAdvance(work, situation.recordedCalls);
			yield* chunksOf(batch, request);
		},
	};
}

function toolsOf(specs: readonly ToolSpec[]): OfferedTools {
	const byName = new Map(specs.map((spec) => [spec.name, spec.parameters["properties"] as Record<string, unknown> | undefined]));
	return { has: (name) => byName.has(name), hasParameter: (name, argument) => byName.get(name)?.[argument] !== undefined };
}

function* chunksOf({ text: say, calls }: OfflineMessage, request: ModelRequest): Generator<ModelChunk> {
	for (const [piece] of say.matchAll(/\S+\s*|\s+/g)) yield { type: "text", text: piece };
	// Unique in the session: positions only increase, and each answer adds events.
	const position = request.events.at(-1)?.seq ?? 0;
	for (const [index, call] of calls.entries()) {
		yield { type: "call", id: `offline_${position}_${index}`, name: call.name, arguments: JSON.stringify(call.input) };
	}
	yield { type: "stop", reason: calls.length > 0 ? "calls" : "end" };
}

export function* respond(situation: ConversationState, tools: OfferedTools): OfflineTask<string> {
	const words = yield* answer(situation, tools);
	return words === "" || situation.hasIntroducedItself ? words : `${words}\n\n${INTRODUCTION}`;
}

const INTRODUCTION = "*I am the offline model: fixed rules, not a language model. Choose another model for anything beyond them.*";

/** Says what is missing, as an agent that speaks in replies alone. */
function* declineToSpeak(events: readonly TranscriptEvent[]): OfflineTask<string> {
	const source = events.findLast((event) => event.type === "user")?.channel;
	const address = source && { channelId: source.channelId, channelType: source.type };
	if (address) yield* requestCalls("", [{ name: "reply", input: { text: NEEDS_LANGUAGE_MODEL, ...address } }]);
	return "";
}

const NEEDS_LANGUAGE_MODEL =
	"I am the offline model: fixed rules, not a language model. Talking with you here takes a language model. Select one below the message box, or have the General Assistant rename, replace, create, delete, find, explain or run something.";

function* answer(situation: ConversationState, tools: OfferedTools): OfflineTask<string> {
	const { plan, messageKind: understood, intents, addedIntents: added, text } = situation;
	const canWrite = CHANGING.some((name) => tools.has(name));
	const open = plan?.approved && plan.plan.steps.some((step) => !plan.closedSteps.has(step.step_number)) ? plan : undefined;
	if (open && canWrite && (open.justApproved || understood === "go" || understood === "more")) {
		const words = yield* executePlan({ ...open, intents }, tools);
		const more = understood === "more" ? added : [];
		return more.length === 0 ? words : `${words}\n\n${yield* fulfil(more, tools)}`;
	}
	if (understood === "go") {
		if (plan && !plan.approved && canWrite)
			return yield* executePlan({ plan: plan.plan, closedSteps: plan.closedSteps, reportsSteps: false, intents }, tools);
		if (plan && !plan.approved) return "Press “Execute plan” on the plan above: I may only plan here, and only you can approve it.";
		if (plan) return "The plan has been carried out. Tell me what to do next.";
	}
	const wanted = understood === "more" && canWrite ? added : intents;
	return understood === "unclear" || wanted.length === 0 ? yield* answerHelp(text, tools) : yield* fulfil(wanted, tools);
}

const CHANGING = ["update_file", "apply_patch", "create_file", "delete_file", "rename_file"];

function* fulfil(intents: readonly OfflineIntent[], tools: OfferedTools): OfflineTask<string> {
	const words: string[] = [];
	for (const intent of intents) {
		if (intent.do === "find") words.push(yield* answerFind(intent, tools));
		if (intent.do === "explain") words.push(yield* answerExplain(intent, tools));
	}
	const changes = intents.filter(isChangeIntent);
	if (changes.length > 0) words.push(yield* change(changes, tools));
	return words.filter((part) => part !== "").join("\n\n");
}

function* change(changes: readonly ChangeIntent[], tools: OfferedTools): OfflineTask<string> {
	const proposal = yield* createProposal(changes, tools);
	if ("text" in proposal) return proposal.text;
	if ("question" in proposal) {
		const { question } = proposal;
		const options = (question.options ?? []).map((option) => `- ${option.value}`).join("\n");
		const inWords = `${question.question}\n\n${question.context ?? ""}\n\n${options}`;
		if (!tools.has("ask_question")) return inWords;
		const [asked] = yield* requestCalls("", [{ name: "ask_question", input: { ...question } }]);
		return asked?.status === "ok" ? "" : inWords;
	}
	const { plan, note } = proposal;
	if (plan.steps.every((step) => needs[parseStepAction(step)?.kind ?? "edit"].some((name) => tools.has(name)))) {
		return yield* executePlan({ plan, closedSteps: new Set(), reportsSteps: false, intents: changes }, tools);
	}
	const inWords = `${note}\n\n${plan.steps.map((step) => `${step.step_number}. ${step.action}`).join("\n")}\n\nThis role may not do it. Switch to the Actor role and say “do it”.`;
	if (!tools.has("present_plan")) return inWords;
	const introduction = `${note} Here is a plan of ${formatCount(plan.steps.length, "step")}, made by the offline model (fixed rules, not a language model).`;
	const [shown] = yield* requestCalls(introduction, [{ name: "present_plan", input: { ...plan } }]);
	return shown?.status === "ok" ? "" : inWords;
}

const needs = {
	edit: ["update_file", "apply_patch"],
	move: ["rename_file"],
	create: ["create_file"],
	delete: ["delete_file"],
	run: ["execute_command"],
};

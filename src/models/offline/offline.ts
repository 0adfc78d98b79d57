// The offline model: no network, no language model. It follows rules, by the same tool calls through the same gate.
import type { ModelChunk, ModelProvider, ModelRequest, ToolSpec } from "../../core/ports/model.ts";
import { t } from "../../shared/l10n.ts";
import { type OfflineMessage, replayAndAdvance } from "./generator.ts";
import { respond } from "./respond.ts";
import type { OfferedTools } from "./search.ts";
import { readConversationState } from "./state.ts";
import { summarizeTranscript, transcriptToSummarize } from "./summarize.ts";

export function createOfflineProvider(): ModelProvider {
	return {
		id: "offline",
		models: async () => [{ id: "offline/offline", name: t("Offline model (fixed rules, no network)") }],
		async *stream(request, signal) {
			signal.throwIfAborted();
			const transcript = transcriptToSummarize(request);
			if (transcript !== undefined) return yield* chunksOf({ text: summarizeTranscript(transcript), calls: [] }, request);
			const situation = readConversationState(request.events);
			const batch = replayAndAdvance(respond(situation, toolsOf(request.tools)), situation.recordedCalls);
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
	// Unique in the session: positions only grow, and each answer adds events.
	const position = request.events.at(-1)?.seq ?? 0;
	for (const [index, call] of calls.entries()) {
		yield { type: "call", id: `offline_${position}_${index}`, name: call.name, arguments: JSON.stringify(call.input) };
	}
	yield { type: "stop", reason: calls.length > 0 ? "calls" : "end" };
}

// The offline model: no network, no language model. It follows rules, by the same tool calls through the same gate.
import type { ModelChunk, ModelProvider, ModelRequest, ToolSpec } from "../../core/ports/model.ts";
import { t } from "../../shared/l10n.ts";
import { advance, type Batch } from "./generator.ts";
import { respond } from "./respond.ts";
import type { Tools } from "./search.ts";
import { situationOf } from "./state.ts";
import { memoryOf, toSumUp } from "./summarize.ts";

export function createOffline(): ModelProvider {
	return {
		id: "offline",
		models: async () => [{ id: "offline/offline", name: t("Offline model (fixed rules, no network)") }],
		async *stream(request, signal) {
			signal.throwIfAborted();
			const transcript = toSumUp(request);
			if (transcript !== undefined) return yield* chunksOf({ say: memoryOf(transcript), calls: [] }, request);
			const situation = situationOf(request.events);
			const batch = advance(respond(situation, toolsOf(request.tools)), situation.recorded);
			yield* chunksOf(batch, request);
		},
	};
}

function toolsOf(specs: readonly ToolSpec[]): Tools {
	const byName = new Map(specs.map((spec) => [spec.name, spec.parameters["properties"] as Record<string, unknown> | undefined]));
	return { has: (name) => byName.has(name), takes: (name, argument) => byName.get(name)?.[argument] !== undefined };
}

function* chunksOf({ say, calls }: Batch, request: ModelRequest): Generator<ModelChunk> {
	for (const [piece] of say.matchAll(/\S+\s*|\s+/g)) yield { type: "text", text: piece };
	// Unique in the session: positions only grow, and each answer adds events.
	const position = request.events.at(-1)?.seq ?? 0;
	for (const [index, call] of calls.entries()) {
		yield { type: "call", id: `offline_${position}_${index}`, name: call.name, arguments: JSON.stringify(call.input) };
	}
	yield { type: "stop", reason: calls.length > 0 ? "calls" : "end" };
}

// What the model is sent: system prompt, offered tools and visible events, each byte for byte as in the call before, until
// the window is full and room is made.

import { selectRequestImages } from "../../core/images.ts";
import { type ModelChunk, ModelError, type ModelRequest } from "../../core/ports/model.ts";
import type { Turn } from "../../core/ports/sessions.ts";
import { toToolSpec } from "../../core/ports/tool.ts";
import { visibleEvents } from "../../core/transcript/fold.ts";

/** Part of the window that one answer may take at most. */
const ANSWER_SHARE = 1 / 4;
/** Trimming, then a summary: more than that does not help. */
const ROUNDS = 3;

/** One answer, to a request that fits: room is made before it, and once more where the provider finds it too long. */
export async function* streamWithinContextWindow(
	turn: Turn,
	ask: (request: ModelRequest) => AsyncIterable<ModelChunk>,
): AsyncGenerator<ModelChunk> {
	let request = requestOf(turn);
	for (let round = 0; round < ROUNDS && (await turn.makeRoom(request)); round += 1) request = requestOf(turn);
	let flowed = false;
	try {
		for await (const chunk of ask(request)) {
			flowed ||= chunk.type !== "usage";
			yield chunk;
		}
		return;
	} catch (error) {
		if (flowed || !(error instanceof ModelError) || error.kind !== "context") throw error;
		if (!(await turn.makeRoom(request, error))) throw error;
	}
	yield* ask(requestOf(turn));
}

function requestOf(turn: Turn): ModelRequest {
	const { name, info, effort } = turn.model;
	const { window = Number.POSITIVE_INFINITY, maxOutput = 0 } = info;
	const most = Math.floor(window * ANSWER_SHARE);
	const events = visibleEvents(turn.state);
	return {
		model: name,
		system: turn.system,
		tools: info.tools === false ? [] : turn.tools().map(toToolSpec),
		events,
		...(maxOutput > most && { maxOutput: most }),
		...(effort && { effort }),
		...(info.images !== false && { image: boundedImages(turn, events) }),
	};
}

function boundedImages({ image }: Turn, events: ModelRequest["events"]): Turn["image"] {
	const carried = selectRequestImages(events);
	return async (ref) => (carried.has(ref.blob) ? image(ref) : undefined);
}

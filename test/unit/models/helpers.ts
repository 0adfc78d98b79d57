// Short forms of events, requests, networks and gathered answers.
import type { EventBody, TranscriptEvent } from "../../../src/core/events.ts";
import { type ModelChunk, ModelError, type ModelProvider, type ModelRequest, type ToolSpec } from "../../../src/core/ports/model.ts";

export function transcript(...bodies: EventBody[]): TranscriptEvent[] {
	return bodies.map((body, index) => ({ id: `e${index + 1}`, seq: index + 1, at: "2025-01-01T00:00:00.000Z", by: "host", ...body }));
}

export function requestOf(events: readonly TranscriptEvent[], tools: readonly ToolSpec[] = []): ModelRequest {
	return { model: "m", system: "You are a test.", tools, events };
}

export const hello: ModelRequest = requestOf(transcript({ type: "user", text: "Hello" }));

export interface Gathered {
	chunks: ModelChunk[];
	text: string;
	calls: Extract<ModelChunk, { type: "call" }>[];
	error?: ModelError;
}

/** A failure is gathered too, with what came before it; anything but a ModelError is thrown on. */
export async function gather(provider: ModelProvider, request: ModelRequest, signal = new AbortController().signal): Promise<Gathered> {
	const out: Gathered = { chunks: [], text: "", calls: [] };
	try {
		for await (const chunk of provider.stream(request, signal)) {
			out.chunks.push(chunk);
			if (chunk.type === "text") out.text += chunk.text;
			if (chunk.type === "call") out.calls.push(chunk);
		}
	} catch (error) {
		if (!(error instanceof ModelError)) throw error;
		out.error = error;
	}
	return out;
}

/** A network whose every answer is these bytes, in these chunks. */
export function fetchOf(chunks: readonly Uint8Array[]): typeof fetch {
	return async () => {
		const body = new ReadableStream<Uint8Array>({
			start(controller) {
				for (const chunk of chunks) controller.enqueue(chunk);
				controller.close();
			},
		});
		return new Response(body, { headers: { "content-type": "text/event-stream" } });
	};
}

/** Lengths at which a stream may break off: at each byte around a line end, and at every 23rd elsewhere. */
export function* cutsIn(bytes: Uint8Array): Generator<number> {
	for (let length = 0; length < bytes.length; length++) {
		if (length % 23 === 0 || bytes.subarray(Math.max(0, length - 2), length + 2).includes(0x0a)) yield length;
	}
}

/** Neighboring pieces of text joined: what stays the same however the bytes are cut. */
export function joined(chunks: readonly ModelChunk[]): ModelChunk[] {
	const out: ModelChunk[] = [];
	for (const chunk of chunks) {
		const last = out.at(-1);
		if ((chunk.type === "text" || chunk.type === "thinking") && last?.type === chunk.type) {
			out[out.length - 1] = { type: chunk.type, text: (last as { text: string }).text + chunk.text };
		} else out.push(chunk);
	}
	return out;
}

/** A small generator of repeatable random numbers (mulberry32). */
export function randomFrom(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below);
	};
}

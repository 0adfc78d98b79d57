// Measures context window usage from the provider's counts, with byte-based estimates for new content.

// Follows the transcript event by event, so that it is never recounted as a whole.

import type { EventOf, EventType, TranscriptEvent } from "../../core/events.ts";
import type { Transcript } from "../../core/transcript/state.ts";
import { trimResult } from "../../core/transcript/trimResult.ts";
import type { ContextParts, ContextUsage } from "../../shared/protocol/chat.ts";

/** Bytes of a token until a provider's count tells better, and what a count is believed at most. */
const USUAL_RATIO = 3.6;
const RATIOS = { least: 1.5, most: 8 };
/** Tokens of a picture, about what providers charge for one. */
const IMAGE = 1_500;
/** Bytes that the wire adds to an event, about. */
const WRAPPING = 24;

type Grown = Exclude<keyof ContextParts, "system" | "tools">;

/** System prompt and tools of the next request, in bytes. */
export interface RequestOverhead {
	system: number;
	tools: number;
}

export class TokenCounter {
	private events: readonly TranscriptEvent[] = [];
	private counted = 0;
	/** Bytes; pictures as their number. */
	private sizes = nothing();
	private trimmed = 0;
	private ratio = USUAL_RATIO;
	/** The model that was asked last. */
	private model: string | undefined;
	/** What its provider counted last, and the bytes there were then. */
	private known: { tokens: number; bytes: number; model: string | undefined } | undefined;

	/** Tokens of the next request to that model, and what they are made of. */
	measure(state: Transcript, frame: RequestOverhead, model?: string): Pick<ContextUsage, "used" | "basis" | "parts"> {
		this.follow(state, frame);
		const bytes = this.bytes(frame);
		// Another model counts in tokens of its own.
		const known = model === undefined || model === this.known?.model ? this.known : undefined;
		const fresh = known && (bytes - known.bytes) / this.ratio;
		const used = Math.max(0, Math.round(known ? known.tokens + (fresh ?? 0) : bytes / this.ratio));
		const basis = fresh === undefined ? "size" : fresh === 0 ? "counted" : "since";
		return { used, basis, parts: this.share(used, frame) };
	}

	/** Tokens that trimming one result would free. */
	freeing(result: EventOf<"result">, calls: Transcript["calls"]): number {
		const words = (byteLength(result.output) - byteLength(trimResult(result, calls).output)) / this.ratio;
		return words + (result.images?.length ?? 0) * IMAGE;
	}

	/** Tokens of a request that holds nothing but these events. */
	sizeOf(events: readonly TranscriptEvent[], frame: RequestOverhead): number {
		const sizes = nothing();
		for (const event of events) grown(event, sizes);
		return this.bytes(frame, sizes) / this.ratio;
	}

	/** Bytes that make so many tokens. */
	bytesOf(tokens: number): number {
		return tokens * this.ratio;
	}

	private follow(state: Transcript, frame: RequestOverhead): void {
		if (state.events !== this.events) this.restart(state);
		for (; this.counted < state.events.length; this.counted += 1) {
			const event = state.events[this.counted] as TranscriptEvent;
			if (event.type === "rewound") this.recount(state);
			else if (!state.hidden.has(event.id)) this.take(event, state, frame);
		}
	}

	private restart(state: Transcript): void {
		this.events = state.events;
		this.counted = 0;
		this.sizes = nothing();
		this.trimmed = 0;
		this.known = undefined;
		this.model = undefined;
	}

	/** A branch was hidden: what is left was never counted as it is. Output stays trimmed where the note about it is hidden. */
	private recount(state: Transcript): void {
		const upTo = this.counted;
		this.sizes = nothing();
		this.trimmed = 0;
		for (const event of state.events.slice(0, upTo)) {
			if (state.hidden.has(event.id)) this.trim(event, state);
			else this.add(event, state);
		}
		this.known = undefined;
	}

	private take(event: TranscriptEvent, state: Transcript, frame: RequestOverhead): void {
		if (event.type === "started") this.model = event.model;
		if (event.type === "assistant" && event.usage && event.usage.input > 0) {
			const { input, output } = event.usage;
			const words = Math.max(1, input - this.sizes.images * IMAGE);
			this.ratio = Math.min(RATIOS.most, Math.max(RATIOS.least, this.text(frame) / words));
			this.add(event, state);
			this.known = { tokens: input + output, bytes: this.bytes(frame), model: this.model };
			return;
		}
		this.add(event, state);
		if (event.type === "status" && event.trimmed !== undefined) this.known = undefined;
	}

	private add(event: TranscriptEvent, state: Transcript): void {
		grown(event, this.sizes);
		this.trim(event, state);
	}

	private trim(event: TranscriptEvent, state: Transcript): void {
		if (event.type !== "status" || event.trimmed === undefined || state.trimmed === undefined) return;
		const upTo = state.events.findLast(({ id }) => id === event.trimmed)?.seq ?? 0;
		for (const result of listUntrimmedResults({ ...state, trimmed: this.trimmed }, upTo)) {
			this.sizes.outputs += byteLength(trimResult(result, state.calls).output) - byteLength(result.output);
			this.sizes.images -= result.images?.length ?? 0;
		}
		this.trimmed = Math.max(this.trimmed, upTo);
	}

	private text(frame: RequestOverhead, { messages, answers, outputs, attachments } = this.sizes): number {
		return frame.system + frame.tools + messages + answers + outputs + attachments;
	}

	/** With pictures as if they were text. */
	private bytes(frame: RequestOverhead, sizes = this.sizes): number {
		return this.text(frame, sizes) + sizes.images * IMAGE * this.ratio;
	}

	/** The parts in tokens; they sum up to all that is used. */
	private share(used: number, frame: RequestOverhead): ContextParts {
		const all = { ...this.sizes, ...frame, images: this.sizes.images * IMAGE * this.ratio };
		const sum = Object.values(all).reduce((total, bytes) => total + bytes, 0);
		const tokens = (bytes: number) => (sum === 0 ? 0 : Math.round((bytes / sum) * used));
		const { system, tools, messages, answers, outputs, attachments, images } = all;
		return {
			system: tokens(system),
			tools: tokens(tools),
			messages: tokens(messages),
			answers: tokens(answers),
			outputs: tokens(outputs),
			attachments: tokens(attachments),
			images: tokens(images),
		};
	}
}

/** Results up to a number that are not trimmed yet. */
export function listUntrimmedResults({ events, hidden, trimmed = 0 }: Transcript, upTo: number): EventOf<"result">[] {
	return events.filter(
		(event): event is EventOf<"result"> => event.type === "result" && event.seq > trimmed && event.seq <= upTo && !hidden.has(event.id),
	);
}

function grown(event: TranscriptEvent, sizes: Record<Grown, number>): void {
	const grow = growth[event.type] as ((event: TranscriptEvent, grow: Grow) => void) | undefined;
	grow?.(event, (part, bytes) => {
		sizes[part] += bytes;
	});
}

type Grow = (part: Grown, bytes: number) => void;

const growth: { [T in EventType]: ((event: EventOf<T>, grow: Grow) => void) | undefined } = {
	user({ text, context = "", attachments = [], images = [] }, grow) {
		grow("messages", byteLength(text) + byteLength(context) + WRAPPING);
		for (const attachment of attachments) grow("attachments", byteLength(attachment.text) + byteLength(attachment.label) + WRAPPING);
		grow("images", images.length);
	},
	assistant({ text, calls = [] }, grow) {
		grow("answers", byteLength(text) + WRAPPING);
		for (const { name, input } of calls) grow("answers", byteLength(name) + byteLength(JSON.stringify(input ?? {})) + WRAPPING);
	},
	result({ output, images = [] }, grow) {
		grow("outputs", byteLength(output) + WRAPPING);
		grow("images", images.length);
	},
	role: ({ plan }, grow) => grow("messages", plan ? WRAPPING * 10 : WRAPPING * 2),
	plan: (_, grow) => grow("messages", WRAPPING * 4),
	question: ({ question }, grow) => grow("messages", byteLength(question.question) + WRAPPING),
	status: ({ level, text }, grow) => grow("messages", level === "info" ? 0 : byteLength(text) + WRAPPING),
	compacted: ({ summary }, grow) => grow("messages", byteLength(summary) + WRAPPING),
	// A line each at most, or told with what follows.
	started: undefined,
	step: undefined,
	asked: undefined,
	answered: undefined,
	expired: undefined,
	agent: undefined,
	rewound: undefined,
	delegated: undefined,
	ended: undefined,
};

function nothing(): Record<Grown, number> {
	return { messages: 0, answers: 0, outputs: 0, attachments: 0, images: 0 };
}

function byteLength(text: string): number {
	return Buffer.byteLength(text);
}

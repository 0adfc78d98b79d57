// Measures context window usage from the provider's counts, with byte-based estimates for new content.

// Processes the transcript incrementally, so that it is never recounted as a whole.

import { formatCompaction } from "../../core/eventData/compaction.ts";
import type { EventOf, EventType, TranscriptEvent } from "../../core/events.ts";
import { formatChannelLine } from "../../core/prompt.ts";
import type { Transcript } from "../../core/transcript/state.ts";
import { trimResult } from "../../core/transcript/trimResult.ts";
import type { ContextParts, ContextUsage } from "../../shared/protocol/chat.ts";

/** Bytes per token until a provider's count gives a better ratio, and the range that counts are accepted in. */
const USUAL_RATIO = 3.6;
const RATIOS = { least: 1.5, most: 8 };
/** Tokens per image, about what providers charge. */
const IMAGE = 1_500;
/** Approximate bytes that the wire format adds to an event. */
const WRAPPING = 24;

type MeasuredPart = Exclude<keyof ContextParts, "system" | "tools">;

/** Bytes of the system prompt and the tools of the next request. */
export interface RequestOverhead {
	system: number;
	tools: number;
}

export class TokenCounter {
	private events: readonly TranscriptEvent[] = [];
	private counted = 0;
	/** Sizes in bytes, except `images`, which is their number. */
	private sizes = createEmptySizes();
	private trimmed = 0;
	private ratio = USUAL_RATIO;
	/** The model used last. */
	private model: string | undefined;
	/** Its provider's last count, and the bytes it was for. */
	private known: { tokens: number; bytes: number; model: string | undefined } | undefined;

	/** Tokens of the next request to that model, and their breakdown. */
	measure(state: Transcript, frame: RequestOverhead, model?: string): Pick<ContextUsage, "used" | "basis" | "parts"> {
		this.follow(state, frame);
		const bytes = this.bytes(frame);
		// Other models have other tokenizers.
		const known = model === undefined || model === this.known?.model ? this.known : undefined;
		const fresh = known && (bytes - known.bytes) / this.ratio;
		const used = Math.max(0, Math.round(known ? known.tokens + (fresh ?? 0) : bytes / this.ratio));
		const basis = fresh === undefined ? "size" : fresh === 0 ? "counted" : "since";
		return { used, basis, parts: this.share(used, frame) };
	}

	/** Tokens that trimming one result frees. */
	freeing(result: EventOf<"result">, calls: Transcript["calls"]): number {
		const textTokens = (byteLength(result.output) - byteLength(trimResult(result, calls).output)) / this.ratio;
		return textTokens + (result.images?.length ?? 0) * IMAGE;
	}

	/** Tokens of a request with only these events. */
	sizeOf(events: readonly TranscriptEvent[], frame: RequestOverhead): number {
		const sizes = createEmptySizes();
		for (const event of events) addEventSizes(event, sizes);
		return this.bytes(frame, sizes) / this.ratio;
	}

	/** Bytes that this many tokens take. */
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
		this.sizes = createEmptySizes();
		this.trimmed = 0;
		this.known = undefined;
		this.model = undefined;
	}

	/** Recounts after a branch was hidden. Output stays trimmed even if the event that trimmed it is hidden. */
	private recount(state: Transcript): void {
		const upTo = this.counted;
		this.sizes = createEmptySizes();
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
			const textTokens = Math.max(1, input - this.sizes.images * IMAGE);
			this.ratio = Math.min(RATIOS.most, Math.max(RATIOS.least, this.text(frame) / textTokens));
			this.add(event, state);
			this.known = { tokens: input + output, bytes: this.bytes(frame), model: this.model };
			return;
		}
		this.add(event, state);
		if (event.type === "status" && event.trimmed !== undefined) this.known = undefined;
	}

	private add(event: TranscriptEvent, state: Transcript): void {
		addEventSizes(event, this.sizes);
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

	/** Includes images, converted to text bytes. */
	private bytes(frame: RequestOverhead, sizes = this.sizes): number {
		return this.text(frame, sizes) + sizes.images * IMAGE * this.ratio;
	}

	/** The breakdown in tokens; adds up to `used`. */
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

/** Results up to that sequence number that have not been trimmed yet. */
export function listUntrimmedResults({ events, hidden, trimmed = 0 }: Transcript, upTo: number): EventOf<"result">[] {
	return events.filter(
		(event): event is EventOf<"result"> => event.type === "result" && event.seq > trimmed && event.seq <= upTo && !hidden.has(event.id),
	);
}

function addEventSizes(event: TranscriptEvent, sizes: Record<MeasuredPart, number>): void {
	const grow = growth[event.type] as ((event: TranscriptEvent, grow: Grow) => void) | undefined;
	grow?.(event, (part, bytes) => {
		sizes[part] += bytes;
	});
}

type Grow = (part: MeasuredPart, bytes: number) => void;

const growth: { [T in EventType]: ((event: EventOf<T>, grow: Grow) => void) | undefined } = {
	user({ text, context = "", attachments = [], images = [], channel }, grow) {
		if (channel) grow("messages", byteLength(formatChannelLine(channel)) + 2);
		grow("messages", byteLength(text) + byteLength(context) + WRAPPING);
		for (const attachment of attachments) grow("attachments", byteLength(attachment.text) + byteLength(attachment.label) + WRAPPING);
		grow("images", images.length);
	},
	assistant({ text, calls = [] }, grow) {
		grow("answers", byteLength(text) + WRAPPING);
		for (const { name, input } of calls) grow("answers", byteLength(name) + byteLength(JSON.stringify(input ?? {})) + WRAPPING);
	},
	reply: undefined,
	result({ output, images = [] }, grow) {
		grow("outputs", byteLength(output) + WRAPPING);
		grow("images", images.length);
	},
	role: ({ plan }, grow) => grow("messages", plan ? WRAPPING * 10 : WRAPPING * 2),
	plan: (_, grow) => grow("messages", WRAPPING * 4),
	question: ({ question }, grow) => grow("messages", byteLength(question.question) + WRAPPING),
	status: ({ level, text }, grow) => grow("messages", level === "info" ? 0 : byteLength(text) + WRAPPING),
	compacted: (event, grow) => grow("messages", byteLength(formatCompaction(event)) + WRAPPING),
	// At most one line each, or counted with the events that follow.
	started: undefined,
	step: undefined,
	asked: undefined,
	answered: undefined,
	expired: undefined,
	agent: undefined,
	rewound: undefined,
	queued: undefined,
	unqueued: undefined,
	delegated: undefined,
	task: undefined,
	ended: undefined,
};

function createEmptySizes(): Record<MeasuredPart, number> {
	return { messages: 0, answers: 0, outputs: 0, attachments: 0, images: 0 };
}

function byteLength(text: string): number {
	return Buffer.byteLength(text);
}

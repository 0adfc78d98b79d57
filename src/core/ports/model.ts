// The port to a language model. Providers turn transcript events into their wire format and stream chunks back.
import type { BlobRef, HelpCommand, TranscriptEvent, Usage } from "../events.ts";

export interface ToolSpec {
	name: string;
	description: string;
	/** JSON Schema of the arguments. */
	parameters: Record<string, unknown>;
}

/** Append-only within a session: `system`, `tools` and earlier `events` stay byte for byte between calls. */
export interface ModelRequest {
	/** The model's name within its provider. */
	model: string;
	system: string;
	tools: readonly ToolSpec[];
	/** What the model may see, in order: rewound branches and unreadable lines are already left out. */
	events: readonly TranscriptEvent[];
	/** Upper bound of output tokens; the provider's default when absent. */
	maxOutput?: number;
	/** How long a reasoning model thinks before it answers; the provider's default when absent. */
	effort?: Effort;
	/** Bytes of an image that an event names; undefined when they are gone. Absent where the model takes no images. */
	image?(ref: BlobRef): Promise<Uint8Array | undefined>;
	/** To be called when a piece of the answer arrives that gives no chunk yet: a call's arguments as they grow. */
	alive?(): void;
}

export type Effort = "none" | "low" | "medium" | "high";

export type ModelChunk =
	| { type: "text"; text: string }
	| { type: "thinking"; text: string }
	/** A whole tool call: `arguments` is the raw JSON text as it came, to be parsed strictly. */
	| { type: "call"; id: string; name: string; arguments: string }
	| { type: "usage"; usage: Usage }
	/** What the provider needs back verbatim in later requests (signatures, encrypted reasoning). */
	| { type: "opaque"; value: unknown }
	/** `length`: cut by the output limit; `refused`: a content filter stopped it. */
	| { type: "stop"; reason: "end" | "calls" | "length" | "refused" };

export interface ModelInfo {
	/** `provider/model`. */
	id: string;
	name: string;
	/** Size of the context window in tokens, where known. */
	window?: number;
	/** Most tokens of one answer, where known. */
	maxOutput?: number;
	price?: Price;
	/** Whether it takes images; unknown when absent. */
	images?: boolean;
	/** Whether it can call tools; unknown when absent. */
	tools?: boolean;
	/** Whether it thinks before it answers, so that an effort can be asked of it; unknown when absent. */
	reasoning?: boolean;
}

/** US dollars for a million tokens. */
export interface Price {
	input: number;
	output: number;
	/** Input read from the provider's prompt cache; as `input` when absent. */
	cached?: number;
	/** Input written to that cache; as `input` when absent. */
	written?: number;
	/** A request with more input than `over` tokens costs so many times as much, whole: its input, cached or not, and its output. */
	long?: { over: number; input: number; output: number };
}

export interface ModelProvider {
	id: string;
	/** Throws ModelError. */
	models(signal: AbortSignal): Promise<ModelInfo[]>;
	/** Throws ModelError; stops quietly by throwing the signal's reason when aborted. */
	stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
	/** Exact size of a request in tokens, where the provider counts for us. Throws ModelError. */
	count?(request: ModelRequest, signal: AbortSignal): Promise<number>;
}

/** The model that answers a session, as it was chosen. */
export interface SelectedModel {
	/** `provider/model`. */
	id: string;
	/** For the person. */
	name: string;
	/** Why this one, in words. */
	why: string;
	/** Nobody has named it. */
	automatic?: boolean;
	/** The first message looks for one; it may come to the offline model. */
	undecided?: true;
	provider: ModelProvider;
	/** The model's name within its provider. */
	model: string;
	/** What is known of it; its window and price are absent where nobody says. */
	info: ModelInfo;
	/** What the person asks of it; the provider's default when absent. */
	effort?: Effort;
}

export interface ModelListing {
	/** What `auto` stands for now. */
	auto: { name: string; why: string };
	providers: ProviderListing[];
}

export interface ProviderListing {
	id: string;
	label: string;
	models: ModelInfo[];
	/** Where prices are from that the provider itself does not list, and of when. */
	priceSource?: string;
	needsKey?: boolean;
	/** Why its models cannot be listed or used now. */
	problem?: string;
}

export interface ApiKeyProvider {
	id: string;
	label: string;
	/** Where a key is made. */
	keyUrl?: string;
	/** The environment variable that may hold it. */
	environmentVariable?: string;
	/** Where its key is now; absent where there is none. */
	keySource?: "stored" | "environment";
}

export type ModelErrorKind =
	| "auth"
	/** The person has not let us use it. */
	| "consent"
	| "not_found"
	| "rate_limit"
	| "overloaded"
	| "context"
	| "credits"
	| "invalid_request"
	| "network"
	| "timeout"
	| "cut"
	| "protocol";

/** What a person can do about a failure, where one of our commands does it. */
export const helpByErrorKind: { readonly [Kind in ModelErrorKind]?: HelpCommand } = {
	auth: "setApiKey",
	consent: "selectModel",
	not_found: "selectModel",
	credits: "selectModel",
	context: "selectModel",
	network: "selectModel",
};

/** A model failure as data. `message` is a sentence for the person, without secrets. */
export class ModelError extends Error {
	override readonly name = "ModelError";
	readonly kind: ModelErrorKind;
	/** Whether asking again may help, while nothing of the answer has arrived. */
	readonly retryable: boolean;
	/** Milliseconds the provider asked to wait. */
	readonly retryAfter: number | undefined;
	/** The message says what is kept. */
	readonly kept: boolean;
	constructor(
		kind: ModelErrorKind,
		message: string,
		options: { retryable?: boolean; retryAfter?: number; kept?: boolean; cause?: unknown } = {},
	) {
		super(message, { cause: options.cause });
		this.kind = kind;
		this.retryable = options.retryable ?? false;
		this.retryAfter = options.retryAfter;
		this.kept = options.kept ?? false;
	}
}

const MILLION = 1_000_000;

/** Usage with its cost in dollars. A cost that the provider told stays; without a price there is none. */
export function withCost(usage: Usage, price: Price | undefined): Usage {
	if (usage.cost !== undefined || !price) return usage;
	const { input, output, cached = 0, written = 0 } = usage;
	const plain = Math.max(0, input - cached - written);
	const read = plain * price.input + cached * (price.cached ?? price.input) + written * (price.written ?? price.input);
	const times = price.long && input > price.long.over ? price.long : { input: 1, output: 1 };
	return { ...usage, cost: (read * times.input + output * price.output * times.output) / MILLION };
}

// The language model port. Providers convert transcript events to their wire format and stream chunks back.
import type { BlobRef, HelpCommand, TranscriptEvent, Usage } from "../events.ts";
import { UserError } from "../userError.ts";

export interface ToolSpec {
	name: string;
	description: string;
	/** JSON Schema of the arguments. */
	parameters: Record<string, unknown>;
}

/** Append-only within a session: `system`, `tools`, and earlier `events` are byte-identical between calls. */
export interface ModelRequest {
	/** The model's name within its provider. */
	model: string;
	system: string;
	tools: readonly ToolSpec[];
	/** The events that the model may see, in order, without rewound branches and unreadable lines. */
	events: readonly TranscriptEvent[];
	/** Maximum output tokens; the provider's default if absent. */
	maxOutput?: number;
	/** Amount of thinking that a reasoning model does before it answers; the provider's default if absent. */
	effort?: Effort;
	/** Bytes of an image that an event references; undefined if they no longer exist. Absent if the model takes no images. */
	image?(ref: BlobRef): Promise<Uint8Array | undefined>;
	/** Called when data arrives that produces no chunk yet, such as a call's arguments as they grow. */
	alive?(): void;
}

export type Effort = "none" | "low" | "medium" | "high";

export type ModelChunk =
	| { type: "text"; text: string }
	| { type: "thinking"; text: string }
	/** A complete tool call. `arguments` is the raw JSON text as received, to be parsed strictly. */
	| { type: "call"; id: string; name: string; arguments: string }
	| { type: "usage"; usage: Usage }
	/** Data that the provider needs back verbatim in later requests (signatures, encrypted reasoning). */
	| { type: "opaque"; value: unknown }
	/** `length`: truncated by the output limit; `refused`: stopped by a content filter. */
	| { type: "stop"; reason: "end" | "calls" | "length" | "refused" };

export interface ModelInfo {
	/** `provider/model`. */
	id: string;
	name: string;
	/** Context window in tokens, if known. */
	window?: number;
	/** Maximum tokens of one answer, if known. */
	maxOutput?: number;
	price?: Price;
	/** True if it takes images; unknown if absent. */
	images?: boolean;
	/** True if it can call tools; unknown if absent. */
	tools?: boolean;
	/** True if it supports reasoning, so that `effort` applies; unknown if absent. */
	reasoning?: boolean;
}

/** US dollars per million tokens. */
export interface Price {
	input: number;
	output: number;
	/** Input read from the provider's prompt cache; same as `input` if absent. */
	cached?: number;
	/** Input written to that cache; same as `input` if absent. */
	written?: number;
	/** Multipliers for the whole request, cached input included, if its input exceeds `over` tokens. */
	long?: { over: number; input: number; output: number };
}

export interface ModelProvider {
	id: string;
	/** Throws ModelError. */
	models(signal: AbortSignal): Promise<ModelInfo[]>;
	/** Throws ModelError; when aborted, throws the signal's reason. */
	stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
	/** Exact size of a request in tokens, if the provider offers counting. Throws ModelError. */
	count?(request: ModelRequest, signal: AbortSignal): Promise<number>;
}

/** The model selected for a session. */
export interface SelectedModel {
	/** `provider/model`. */
	id: string;
	/** Display name. */
	name: string;
	/** Reason why this model was selected, for display. */
	why: string;
	/** Nobody selected it explicitly. */
	automatic?: boolean;
	/** The first message triggers the selection, which may fall back to the offline model. */
	undecided?: true;
	provider: ModelProvider;
	/** The model's name within its provider. */
	model: string;
	/** Known facts; window and price are absent if unknown. */
	info: ModelInfo;
	/** The user's setting; the provider's default if absent. */
	effort?: Effort;
}

export interface ModelListing {
	/** The model that `auto` currently resolves to. */
	auto: { name: string; why: string };
	providers: ProviderListing[];
}

export interface ProviderListing {
	id: string;
	label: string;
	models: ModelInfo[];
	/** Source and date of prices that the provider itself does not list. */
	priceSource?: string;
	needsKey?: boolean;
	/** Reason why its models cannot be listed or used now. */
	problem?: string;
}

export interface ApiKeyProvider {
	id: string;
	label: string;
	/** Page where a key can be created. */
	keyUrl?: string;
	/** The environment variable that may contain it. */
	environmentVariable?: string;
	/** Source of its key; absent if there is none. */
	keySource?: "stored" | "environment";
}

export type ModelErrorKind =
	| "auth"
	/** The user has not given consent. */
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

/** The command that helps with a failure, if one of ours does. */
export const helpByErrorKind: { readonly [Kind in ModelErrorKind]?: HelpCommand } = {
	auth: "setApiKey",
	consent: "selectModel",
	not_found: "selectModel",
	credits: "selectModel",
	context: "selectModel",
	network: "selectModel",
};

/** A model failure as data. `message` is a sentence for the user, without secrets. */
export class ModelError extends UserError {
	override readonly name = "ModelError";
	readonly kind: ModelErrorKind;
	/** True if a retry may help, as long as no part of the answer has arrived. */
	readonly retryable: boolean;
	/** Milliseconds that the provider asked to wait. */
	readonly retryAfter: number | undefined;
	/** The message already says what was kept. */
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

/** Adds the cost in dollars. A cost reported by the provider is kept; without a price there is none. */
export function withCost(usage: Usage, price: Price | undefined): Usage {
	if (usage.cost !== undefined || !price) return usage;
	const { input, output, cached = 0, written = 0 } = usage;
	const plain = Math.max(0, input - cached - written);
	const read = plain * price.input + cached * (price.cached ?? price.input) + written * (price.written ?? price.input);
	const times = price.long && input > price.long.over ? price.long : { input: 1, output: 1 };
	return { ...usage, cost: (read * times.input + output * price.output * times.output) / MILLION };
}

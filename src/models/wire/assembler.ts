// Assembles streamed answers of any wire format, names their calls, writes arguments.
import type { ModelChunk, ModelRequest } from "../../core/ports/model.ts";

export interface StreamAssembler {
	/** Text and thinking of one event, to be shown at once. The SDK's types promise more than servers keep: it may be anything. */
	addChunk(event: unknown): ModelChunk[];
	/** What an event says went wrong. */
	findError(event: unknown): StreamError | undefined;
	/** The answer is whole, whatever becomes of the connection. */
	isComplete(): boolean;
	/** `[DONE]` makes what has come a whole answer. */
	endMarkCompletes: boolean;
	/** Nothing more belongs to the answer, not even its usage. */
	isClosed(): boolean;
	/** Anything at all that belongs to an answer has arrived. */
	hasStarted(): boolean;
	/** Calls, usage and the reason: what is certain only at the end. */
	finish(): ModelChunk[];
}

export interface StreamError {
	/** An HTTP status, where one is known. */
	status?: number | undefined;
	body?: unknown;
}

/** Ids for calls: their own, or a fresh one where that is empty or already taken in this session. */
export function createCallIdAllocator({ events }: ModelRequest): (id: string, position: number) => string {
	const seq = events.at(-1)?.seq ?? 0;
	let taken: Set<string> | undefined;
	return (id, position) => {
		// Looked up only by answers that hold calls.
		taken ??= new Set(events.flatMap((event) => (event.type === "assistant" ? (event.calls ?? []) : [])).map((call) => call.id));
		let name = id !== "" && !taken.has(id) ? id : `call_${seq}_${position}`;
		while (taken.has(name)) name += "_";
		taken.add(name);
		return name;
	};
}

/** JSON of a call's input for the wire. Input that was not JSON is sent back as it came. */
export function serializeArguments(input: unknown): string {
	if (typeof input === "string") return input;
	try {
		return JSON.stringify(input ?? {});
	} catch {
		// Nested too deep to be written: the model sees that something stood there.
		return '{"error":"arguments too deep to be shown"}';
	}
}

// Interface for assembling streamed answers, with helpers for call IDs and arguments.
import type { ModelChunk, ModelRequest } from "../../core/ports/model.ts";

export interface StreamAssembler {
	/**
	 * Returns text and thinking of one event, for immediate display. Servers don't keep to the SDK's types, so the event may be
	 * anything.
	 */
	addChunk(event: unknown): ModelChunk[];
	/** Returns the error in an event, if any. */
	findError(event: unknown): StreamError | undefined;
	/** The answer is complete, even if the connection fails afterward. */
	isComplete(): boolean;
	/** `[DONE]` completes the answer. */
	endMarkCompletes: boolean;
	/** The answer is complete, and no more events belong to it, not even its usage. */
	isClosed(): boolean;
	/** Any part of an answer has arrived. */
	hasStarted(): boolean;
	/** Returns calls, usage and stop reason, which are known only at the end. */
	finish(): ModelChunk[];
}

export interface StreamError {
	/** HTTP status, if known. */
	status?: number | undefined;
	body?: unknown;
}

/** Allocates call IDs: the given one, or a new one if it is empty or already used in this session. */
export function createCallIdAllocator({ events }: ModelRequest): (id: string, position: number) => string {
	const seq = events.at(-1)?.seq ?? 0;
	let taken: Set<string> | undefined;
	return (id, position) => {
		// Computed only for answers with calls.
		taken ??= listCallIds(events);
		let name = id !== "" && !taken.has(id) ? id : `call_${seq}_${position}`;
		while (taken.has(name)) name += "_";
		taken.add(name);
		return name;
	};
}

/** A loop, since it runs over the whole conversation. */
function listCallIds(events: ModelRequest["events"]): Set<string> {
	const ids = new Set<string>();
	for (const event of events) {
		if (event.type !== "assistant") continue;
		for (const { id } of event.calls ?? []) ids.add(id);
	}
	return ids;
}

/** Serializes a call's input as JSON. Input that was not JSON is returned unchanged. */
export function serializeArguments(input: unknown): string {
	if (typeof input === "string") return input;
	try {
		return JSON.stringify(input ?? {});
	} catch {
		// Too deeply nested to serialize: the model is told that arguments are missing.
		return '{"error":"arguments too deep to be shown"}';
	}
}

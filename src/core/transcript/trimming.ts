// Old tool output the model is no longer shown: a note stands in its place, the same bytes in every request.

import type { EventOf } from "../events.ts";
import type { Transcript } from "./state.ts";

/** Characters that an output must have before leaving it out is worth a note. */
const WORTH = 400;
const NAMED = 80;

const trimmed = new WeakMap<EventOf<"result">, EventOf<"result">>();

/** A result as the model is shown it once it is trimmed. */
export function trimResult(event: EventOf<"result">, calls: Transcript["calls"]): EventOf<"result"> {
	const known = trimmed.get(event);
	if (known) return known;
	const output = noteFor(event, calls);
	const { images: _, ...rest } = event;
	const result = output === undefined ? event : { ...rest, output };
	trimmed.set(event, result);
	return result;
}

function noteFor({ call, output, images }: EventOf<"result">, calls: Transcript["calls"]): string | undefined {
	if (output.length < WORTH && !images) return undefined;
	const made = calls.get(call)?.call;
	const what = [made?.name ?? "a tool", subjectOf(made?.input)].filter((part) => part !== "").join(" ");
	return `[Output of ${what}, ${sizeOf(output)}, was left out to make room. Call the tool again if you need it.]`;
}

/** The first text among the arguments: a path, a pattern, a command. */
function subjectOf(input: unknown): string {
	const texts = typeof input === "object" && input !== null ? Object.values(input) : [];
	const first = texts.find((value) => typeof value === "string") as string | undefined;
	const line = [...(first ?? "").replace(/\s+/g, " ")];
	return line.length > NAMED ? `${line.slice(0, NAMED - 1).join("")}…` : line.join("");
}

function sizeOf({ length }: string): string {
	return length < 1_000 ? `${length} characters` : `${Math.round(length / 1_000)} kB`;
}

// Replaces old tool output for the model with a note, byte-identical in every request.

import type { ToolView } from "../eventData/toolView.ts";
import type { EventOf, FileChange, TranscriptEvent } from "../events.ts";
import type { Transcript } from "./state.ts";

/** Minimum length of an output for which a note saves space. */
const MIN_LENGTH = 400;
const MAX_SUBJECT_LENGTH = 80;

const trimmed = new WeakMap<EventOf<"result">, EventOf<"result">>();

/** A result as the model receives it after trimming. */
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
	if (output.length < MIN_LENGTH && !images) return undefined;
	const toolCall = calls.get(call)?.call;
	const description = [toolCall?.name ?? "a tool", subjectOf(toolCall?.input)].filter((part) => part !== "").join(" ");
	return `[Output of ${description}, ${sizeOf(output)}, was left out to make room. Call the tool again if you need it.]`;
}

/** The first string argument: a path, a pattern, a command. */
function subjectOf(input: unknown): string {
	const texts = typeof input === "object" && input !== null ? Object.values(input) : [];
	const first = texts.find((value) => typeof value === "string") as string | undefined;
	const line = [...(first ?? "").replace(/\s+/g, " ")];
	return line.length > MAX_SUBJECT_LENGTH ? `${line.slice(0, MAX_SUBJECT_LENGTH - 1).join("")}…` : line.join("");
}

function sizeOf({ length }: string): string {
	return length < 1_000 ? `${length} characters` : `${Math.round(length / 1_000)} kB`;
}

/**
 * Removes details. `hidden`: no model receives the event again. `trimmed`: output up to that sequence number is replaced. `calls`:
 * the calls before the event.
 */
export function stripEventDetails(
	event: TranscriptEvent,
	about: { hidden: boolean; trimmed: number; calls: Transcript["calls"] },
): TranscriptEvent {
	if (event.type === "result") return leanResult(event, about);
	if (event.type === "asked" && event.view) return { ...event, view: leanView(event.view) };
	if (event.type === "status" && event.changes) return { ...event, changes: event.changes.map(leanChange) };
	if (!about.hidden) return event;
	if (event.type === "assistant") {
		const { opaque: _, thinking: __, ...rest } = event;
		return rest;
	}
	if (event.type !== "user") return event;
	const { attachments: _, context: __, ...rest } = event;
	return rest;
}

function leanResult(event: EventOf<"result">, { hidden, trimmed, calls }: Parameters<typeof stripEventDetails>[1]): EventOf<"result"> {
	const shown = event.seq <= trimmed ? trimResult(event, calls) : event;
	return { ...shown, ...(event.view && { view: leanView(event.view) }), ...(hidden && { output: "" }) };
}

function leanView(view: ToolView): ToolView {
	if (view.kind === "change") return { ...view, changes: view.changes.map(leanChange) };
	return view.kind === "command" ? { ...view, changed: view.changed.map(leanChange) } : view;
}

/** Keeps path and previous content, without the diff. */
function leanChange(change: FileChange): FileChange {
	return { ...change, diff: "" };
}

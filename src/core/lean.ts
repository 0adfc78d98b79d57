// What is kept in memory of the far past of a long session: what the model is shown of it and what the fold takes from it.

import type { EventOf, FileChange, ToolView, TranscriptEvent } from "./events.ts";
import type { Transcript } from "./transcript/state.ts";
import { trimResult } from "./transcript/trimming.ts";

/** `hidden`: no model is shown it again. `trimmed`: output up to that number is left out; `calls`: of the events before. */
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

/** Where it is and what it was before, without how it looks. */
function leanChange(change: FileChange): FileChange {
	return { ...change, diff: "" };
}

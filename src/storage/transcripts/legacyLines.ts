// Lines of transcripts from before events had a type: a message each.
import type { TranscriptEvent } from "../../core/events.ts";
import { eventsFromLegacyMessage } from "../../core/transcript/legacyMessages.ts";

/** The events an older line stands for, undefined when it is none. `at` is the time taken where the line has none. */
export function parseLegacyLine(line: Record<string, unknown>, seq: number, at: string): TranscriptEvent[] | undefined {
	return "type" in line && !MESSAGE_TYPES.has(line["type"]) ? undefined : eventsFromLegacyMessage(line, seq, at);
}

/** Some write down of what type the thing is that they keep. */
const MESSAGE_TYPES: ReadonlySet<unknown> = new Set(["message"]);

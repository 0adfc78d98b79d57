// Lines of transcripts from before events had a type: a text and perhaps who said it.
import type { TranscriptEvent } from "../core/events.ts";
import { isRecord } from "./files.ts";

/** The event an older line stands for, undefined when it is none. `at` is the time taken where the line has none. */
export function fromOlderLine(line: Record<string, unknown>, seq: number, at: string): TranscriptEvent | undefined {
	if ("type" in line) return undefined;
	const text = textOf(line["text"]) ?? textOf(line["content"]);
	if (text === undefined) return undefined;
	const id = typeof line["id"] === "string" ? line["id"] : `older-${seq}`;
	const base = { id, seq, at: timeOf(line) ?? at };
	const role = line["role"];
	if (role === "assistant") return { ...base, by: "model", type: "assistant", text };
	if (role === undefined || role === "user") return { ...base, by: "person", type: "user", text };
	return { ...base, by: "host", type: "status", level: "info", text };
}

/** A string, or the text parts of a list of parts. */
function textOf(value: unknown): string | undefined {
	if (typeof value === "string") return value;
	if (!Array.isArray(value)) return undefined;
	const parts = value.flatMap((part) => (isRecord(part) && typeof part["text"] === "string" ? [part["text"]] : []));
	return parts.length > 0 ? parts.join("\n") : undefined;
}

function timeOf(line: Record<string, unknown>): string | undefined {
	for (const name of ["at", "timestamp", "created_at", "createdAt"]) {
		const value = line[name];
		if (typeof value !== "string" && typeof value !== "number") continue;
		const time = new Date(value);
		if (!Number.isNaN(time.getTime())) return time.toISOString();
	}
	return undefined;
}

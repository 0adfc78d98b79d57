// A session summed up by rules: what the person asked for, what was changed, and what was said last.
import type { ModelRequest } from "../../core/ports/model.ts";

/** A request without tools whose one message is the host's own: a transcript to sum up. */
export function transcriptToSummarize({ events, tools }: ModelRequest): string | undefined {
	const [only, ...more] = events;
	return only?.type === "user" && only.by === "host" && more.length === 0 && tools.length === 0 ? only.text : undefined;
}

const CHANGING = /^Calls (?:update_file|create_file|delete_file|rename_file|apply_patch) (.*)$/gm;
const NAMED = /"(?:path|from|to)":"([^"\\]+)"|\*\*\* \w+ File: ([^\\"]+)/g;
const LONGEST = 400;

export function summarizeTranscript(transcript: string): string {
	const asked = sections(transcript, "Person").map((text) => `- ${oneLine(text)}`);
	const files = [...transcript.matchAll(CHANGING)].flatMap(([, input = ""]) =>
		[...input.matchAll(NAMED)].map(([, path, patched]) => path ?? patched),
	);
	const touched = [...new Set(files)].map((path) => `- ${path}`);
	const earlier = sections(transcript, "What came before, summed up earlier");
	const said = sections(transcript, "Agent")
		.filter((text) => !text.startsWith("Calls "))
		.at(-1);
	return [
		...(earlier.length > 0 ? [`## Before\n${earlier.at(-1)}`] : []),
		`## Goal\nThe person wrote, in this order:\n${asked.join("\n") || "- nothing"}`,
		`## Files touched\n${touched.join("\n") || "- none"}`,
		`## Found out\n${said ? oneLine(said) : "Nothing was said yet."}`,
	].join("\n\n");
}

/** Texts below a heading, up to the next one or the first result. */
function sections(transcript: string, heading: string): string[] {
	return [...transcript.matchAll(new RegExp(`^## ${heading}\\n([\\s\\S]*?)(?=\\n\\n(?:## |Result of |\\[)|$(?![\\s\\S]))`, "gm"))].map(
		([, text = ""]) => text.trim(),
	);
}

function oneLine(text: string): string {
	const line = text.replace(/\s+/g, " ");
	return line.length > LONGEST ? `${[...line.slice(0, LONGEST - 1)].join("")}…` : line;
}

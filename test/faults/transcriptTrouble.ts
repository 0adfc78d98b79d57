// Reads a transcript from disk and reports violations of its format.
import { readFile } from "node:fs/promises";
import type { EventOf, TranscriptEvent } from "../../src/core/events.ts";

/** `unreadable`: one sentence for each line that is not an event. */
export async function readTranscript(path: string): Promise<{ events: TranscriptEvent[]; unreadable: string[] }> {
	const text = await readFile(path, "utf8");
	const events: TranscriptEvent[] = [];
	const unreadable: string[] = [];
	for (const [index, line] of text.split("\n").entries()) {
		if (line === "") continue;
		try {
			events.push(JSON.parse(line));
		} catch {
			unreadable.push(`line ${index + 1} Can't be read: ${line.slice(0, 80)}`);
		}
	}
	return { events, unreadable };
}

/** One sentence for each thing that a session whose turns have all ended must not hold. */
export function troubleIn(events: readonly TranscriptEvent[]): string[] {
	const of = <T extends TranscriptEvent["type"]>(type: T) => events.filter((event): event is EventOf<T> => event.type === type);
	const gaps = events.filter(({ seq }, index) => seq !== index + 1).map(({ seq }) => `event ${seq} is out of order`);
	const calls = of("assistant").flatMap((event) => event.calls ?? []);
	const results = of("result").map((event) => event.call);
	const unpaired = calls
		.map(({ id }) => ({ id, count: results.filter((call) => call === id).length }))
		.filter(({ count }) => count !== 1)
		.map(({ id, count }) => `call ${id} has ${count} results`);
	const closed = new Set([...of("answered"), ...of("expired")].map(({ request }) => request));
	const open = of("asked")
		.filter(({ request }) => !closed.has(request))
		.map(({ request }) => `request ${request} is still open`);
	const answered = of("answered").map(({ request }) => `request ${request} was answered by nobody`);
	const ended = of("ended").map(({ turn }) => turn);
	const running = of("started")
		.filter(({ turn }) => !ended.includes(turn))
		.map(({ turn }) => `turn ${turn} has not ended`);
	return [...gaps, ...unpaired, ...open, ...answered, ...running];
}

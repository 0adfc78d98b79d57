// Bytes of an event stream → the data of each event, however the bytes were cut into chunks.
import { ModelError } from "../../core/ports/model.ts";
import { t } from "../../shared/l10n.ts";

/** One event of a server-sent stream. `whole` is false when the stream ended before the blank line that closes it. */
export interface ServerSentEventData {
	data: string;
	isComplete: boolean;
}

/** Longest event taken, in characters. A server that sends more without a blank line is not speaking this format. */
export const MAX_EVENT_LENGTH = 16 * 1024 * 1024;

export async function* readServerSentEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEventData> {
	const lines = lineReader();
	let data: string[] = [];
	let size = 0;
	for await (const chunk of bytes) {
		for (const line of lines.push(chunk)) {
			if (line === "") {
				const text = data.join("\n");
				data = [];
				size = 0;
				if (text !== "") yield { data: text, isComplete: true };
				continue;
			}
			const value = dataOf(line);
			if (value === undefined) continue;
			data.push(value);
			size += value.length;
		}
		if (size + lines.pending() > MAX_EVENT_LENGTH) {
			throw new ModelError(
				"protocol",
				t("The model's server sent one event of more than 16 MB; it was dropped. Try again or pick another model."),
			);
		}
	}
	const last = dataOf(lines.end());
	if (last !== undefined) data.push(last);
	const rest = data.join("\n");
	if (rest !== "") yield { data: rest, isComplete: false };
}

function dataOf(line: string): string | undefined {
	if (line === "data") return "";
	if (!line.startsWith("data:")) return undefined;
	return line.startsWith("data: ") ? line.slice(6) : line.slice(5);
}

/** Lines end in LF, CR or CRLF; a CR at the end of a chunk may be half of a CRLF. */
function lineReader() {
	const decoder = new TextDecoder("utf-8");
	let parts: string[] = [];
	let size = 0;
	let afterReturn = false;
	return {
		pending: () => size,
		push(chunk: Uint8Array): string[] {
			let text = decoder.decode(chunk, { stream: true });
			if (text === "") return [];
			if (afterReturn && text.startsWith("\n")) text = text.slice(1);
			afterReturn = text.endsWith("\r");
			const pieces = text.split(/\r\n|\r|\n/);
			const rest = pieces.pop() ?? "";
			if (pieces.length > 0) {
				pieces[0] = parts.join("") + (pieces[0] ?? "");
				parts = [];
				size = 0;
			}
			if (rest !== "") parts.push(rest);
			size += rest.length;
			return pieces;
		},
		end: (): string => parts.join("") + decoder.decode(),
	};
}

// Truncates the middle of long text, by bytes and never inside a character.
import { characterStart, nextCharacterStart } from "../shared/utf8.ts";

export function truncateMiddle(text: string, limit: number): string {
	const bytes = Buffer.from(text);
	if (bytes.length <= limit) return text;
	const half = Math.floor(limit / 2);
	const head = characterStart(bytes, half);
	const tail = nextCharacterStart(bytes, bytes.length - half);
	const omitted = tail - head;
	return `${bytes.toString("utf8", 0, head)}\n[${omitted} bytes left out here]\n${bytes.toString("utf8", tail)}`;
}

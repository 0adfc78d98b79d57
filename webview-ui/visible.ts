// What a program printed, as a terminal would leave it: a line that was written over shows its last state.
import { cleanText, TERMINAL_CODES } from "../src/shared/cleanText.ts";

export { answeredText, cleanText } from "../src/shared/cleanText.ts";
export { visibleLine, visibleText } from "../src/shared/safeText.ts";

export function cleanOutput(text: string): string {
	const lines = text.replaceAll("\r\n", "\n").replace(TERMINAL_CODES, "").split("\n");
	return cleanText(lines.map((line) => line.slice(line.replace(/\r+$/, "").lastIndexOf("\r") + 1)).join("\n"));
}

// Cleans text for display: terminal output, approval names and long names.
import { removeTerminalEscapes } from "../../src/core/hiddenText.ts";
import { cleanText, visibleLine } from "../../src/shared/safeText.ts";

export { cleanText, escapeHiddenCharacters, visibleLine, visibleText } from "../../src/shared/safeText.ts";

/** Applies carriage returns: an overwritten line shows its last state. */
export function cleanTerminalOutput(text: string): string {
	const lines = removeTerminalEscapes(text.replaceAll("\r\n", "\n")).split("\n");
	return cleanText(lines.map((line) => line.slice(line.replace(/\r+$/, "").lastIndexOf("\r") + 1)).join("\n"));
}

/**
 * Returns words in one line of a card, which shows them in full elsewhere: blanks and line breaks are a space, other hidden characters are
 * escaped.
 */
export function briefLine(text: string): string {
	return visibleLine(text.replace(/[ \t\r\n]+/g, " ").trim());
}

/** The name of an approval; its card shows the full text. */
export function approvalSummary({ summary }: { summary: string }): string {
	return visibleLine(truncateMiddle(summary, LONGEST_NAME));
}

const LONGEST_NAME = 400;

/** Truncates the middle, since the end matters as much as the beginning. */
export function truncateMiddle(text: string, most: number): string {
	if (text.length <= most) return text;
	const end = Math.floor(most / 3);
	return `${[...text.slice(0, 2 * most)].slice(0, most - end - 1).join("")}…${[...text.slice(-2 * end)].slice(-end).join("")}`;
}

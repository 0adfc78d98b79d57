// Searchable text of each item as displayed, and the sections to expand for it.

import type { Token } from "markdown-it";
import type { CallState } from "../../src/core/transcript/state.ts";
import { joinSegments } from "../../src/shared/safeText.ts";
import { beginningOf, describeAgentCall } from "../conversation/agentCalls.ts";
import { type Item, thinkingKey } from "../conversation/items.ts";
import { describeTask } from "../conversation/tasks.ts";
import { toolCallName } from "../conversation/toolCallLabels.ts";
import { parseDiffLines } from "../text/diffLines.ts";
import { approvalSummary, cleanTerminalOutput, cleanText, escapeHiddenCharacters, visibleLine, visibleText } from "../text/displayText.ts";
import { markdownParser } from "../text/markdownParser.ts";

export interface SearchablePart {
	text: string;
	/** Keys of the collapsed sections around it, outermost first. */
	expansionKeys: string[];
}

/** Separates parts across which nothing matches. */
const BREAK = "\0";

/** Counts case-insensitive matches. */
export function countOccurrences(text: string, query: string): number {
	const wanted = normalizeForSearch(query);
	if (wanted === "") return 0;
	const expansionKeys = normalizeForSearch(text);
	let count = 0;
	for (let at = expansionKeys.indexOf(wanted); at >= 0; at = expansionKeys.indexOf(wanted, at + wanted.length)) count += 1;
	return count;
}

/** Normalizes case and whitespace; the length stays the same. */
export function normalizeForSearch(text: string): string {
	const lower = text.toLowerCase();
	return (lower.length === text.length ? lower : text).replace(/\s/g, " ");
}

export function searchableParts(item: Item, session: string | undefined): SearchablePart[] {
	switch (item.kind) {
		case "message":
			return [
				...(item.thinking ? [{ text: cleanText(item.thinking), expansionKeys: [thinkingKey(session, item.key)] }] : []),
				{ text: plainText(item.text), expansionKeys: [] },
			];
		case "calls":
			return [
				...item.thoughts
					.filter(({ unspoken }) => !unspoken)
					.map(({ id, text }) => ({ text: cleanText(text), expansionKeys: [`fold:${item.key}`, thinkingKey(session, id)] })),
				...item.calls.flatMap((entry) => callParts(entry, [`fold:${item.key}`])),
			];
		case "agentCall": {
			const { text } = describeAgentCall(item, undefined, []);
			return [{ text: plainText(beginningOf(text)), expansionKeys: [] }, ...callParts(item.entry, [])];
		}
		case "task": {
			const { name, text } = describeTask(item, undefined, []);
			return [
				{ text: visibleLine(name), expansionKeys: [] },
				{ text: plainText(beginningOf(text)), expansionKeys: [] },
				...callParts(item.entry, []),
			];
		}
		case "change":
			return item.view.changes.flatMap(({ path, diff }) => [
				{ text: visibleLine(path), expansionKeys: [] },
				{ text: parseDiffLines(diff).map(joinSegments).join(BREAK), expansionKeys: [`change:${item.entry.call.id}:${path}`] },
			]);
		case "plan": {
			const { goal, steps, risks = [] } = item.plan.event.plan;
			const words = steps.flatMap(({ action, reason, files = [] }) => [action, reason ?? "", ...files]);
			return [
				{ text: [goal, ...words, ...risks].map((each) => escapeHiddenCharacters(each).replaceAll("`", "")).join(BREAK), expansionKeys: [] },
			];
		}
		case "question":
			return [{ text: escapeHiddenCharacters(item.event.question.question), expansionKeys: [] }];
		case "approval":
			return [{ text: approvalSummary(item.event), expansionKeys: [] }];
		case "note":
			return [{ text: cleanText(item.text), expansionKeys: [] }];
		case "failure":
			return [{ text: cleanText(item.error), expansionKeys: [] }];
		default:
			return [];
	}
}

function callParts({ call, result }: CallState, expansionKeys: string[]): SearchablePart[] {
	const inside = [...expansionKeys, `call:${call.id}`];
	const inputs = typeof call.input === "object" && call.input !== null ? Object.values(call.input) : [call.input];
	const words = inputs.map((value) => (typeof value === "string" ? value : JSON.stringify(value)) ?? "");
	return [
		{ text: visibleText(toolCallName(call, result?.status ?? "running")), expansionKeys: expansionKeys },
		{ text: words.map(visibleText).join(BREAK), expansionKeys: inside },
		...(result ? [{ text: cleanTerminalOutput(result.output), expansionKeys: [...inside, `output:${call.id}`] }] : []),
	];
}

/** Markdown as plain text. */
function plainText(text: string): string {
	const words: string[] = [];
	collect(markdownParser.parse(cleanText(text), {}), words);
	return words.join("");
}

function collect(tokens: readonly Token[], words: string[]): void {
	for (const token of tokens) {
		if (token.type === "softbreak" || token.type === "hardbreak") words.push(" ");
		else if (token.type === "inline") collect(token.children ?? [], words);
		else if (token.type === "image") words.push(token.content || "picture");
		else if (token.block) words.push(BREAK, token.content, BREAK);
		else words.push(token.content);
	}
}

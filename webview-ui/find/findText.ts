// What can be found of each item: its words as they stand on the page, and what has to be opened for them to stand there.

import type { Token } from "markdown-it";
import type { CallState } from "../../src/core/transcript/state.ts";
import { textOf } from "../../src/shared/safeText.ts";
import { type Item, thoughtKey } from "../conversation/items.ts";
import { nameOf } from "../conversation/tools.ts";
import { diffLines } from "../text/diffLines.ts";
import { markdownParser } from "../text/parser.ts";
import { answeredText, cleanOutput, cleanText, summaryOf, visibleLine, visibleText } from "../text/visible.ts";

export interface Part {
	text: string;
	/** Keys of what is folded around it, from the outside in. */
	within: string[];
}

/** Parts between which no match goes on; a blank is as good as another. */
const BREAK = "\0";

/** How often a text is in another, upper and lower case alike. */
export function occurrences(text: string, query: string): number {
	const wanted = folded(query);
	if (wanted === "") return 0;
	const within = folded(text);
	let count = 0;
	for (let at = within.indexOf(wanted); at >= 0; at = within.indexOf(wanted, at + wanted.length)) count += 1;
	return count;
}

/** The same length, comparable. */
export function folded(text: string): string {
	const lower = text.toLowerCase();
	return (lower.length === text.length ? lower : text).replace(/\s/g, " ");
}

export function partsOf(item: Item, session: string | undefined): Part[] {
	switch (item.kind) {
		case "message":
			return [
				...(item.thinking ? [{ text: cleanText(item.thinking), within: [thoughtKey(session, item.key)] }] : []),
				{ text: plainText(item.text), within: [] },
			];
		case "calls":
			return [
				...item.thoughts.map(({ id, text }) => ({ text: cleanText(text), within: [`fold:${item.key}`, thoughtKey(session, id)] })),
				...item.calls.flatMap((entry) => callParts(entry, [`fold:${item.key}`])),
			];
		case "change":
			return item.view.changes.flatMap(({ path, diff }) => [
				{ text: visibleLine(path), within: [] },
				{ text: diffLines(diff).map(textOf).join(BREAK), within: [`change:${item.entry.call.id}:${path}`] },
			]);
		case "plan": {
			const { goal, steps, risks = [] } = item.plan.event.plan;
			const words = steps.flatMap(({ action, reason, files = [] }) => [action, reason ?? "", ...files]);
			return [{ text: [goal, ...words, ...risks].map((each) => answeredText(each).replaceAll("`", "")).join(BREAK), within: [] }];
		}
		case "question":
			return [{ text: answeredText(item.event.question.question), within: [] }];
		case "approval":
			return [{ text: summaryOf(item.event), within: [] }];
		case "note":
			return [{ text: cleanText(item.text), within: [] }];
		case "failure":
			return [{ text: cleanText(item.error), within: [] }];
		default:
			return [];
	}
}

function callParts({ call, result }: CallState, within: string[]): Part[] {
	const inside = [...within, `call:${call.id}`];
	const inputs = typeof call.input === "object" && call.input !== null ? Object.values(call.input) : [call.input];
	const words = inputs.map((value) => (typeof value === "string" ? value : JSON.stringify(value)) ?? "");
	return [
		{ text: visibleText(nameOf(call, result?.status ?? "running")), within },
		{ text: words.map(visibleText).join(BREAK), within: inside },
		...(result ? [{ text: cleanOutput(result.output), within: [...inside, `output:${call.id}`] }] : []),
	];
}

/** Markdown without its marks. */
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

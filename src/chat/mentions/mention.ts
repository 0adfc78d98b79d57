// Parses and formats @ mentions: files with lines, folders, symbols, URLs and editor context.
import type { Attachment, BlobRef } from "../../core/events.ts";

/** Things the editor knows, by the word that mentions them. */
export const EDITOR_MENTIONS = ["selection", "problems", "terminal", "changes"] as const;
export type EditorMentionKind = (typeof EDITOR_MENTIONS)[number];

export type Mention = { label: string } & (
	| { kind: EditorMentionKind }
	| { kind: "url"; url: string }
	| { kind: "path"; path: string; lines?: [number, number]; symbol?: string }
);

/** A message names more things than this only by accident: a pasted text full of them. */
const MOST = 50;

/** In their order, each once. What stands in code is code: decorators and addresses in it are not meant. */
export function parseMentions(text: string): Mention[] {
	const found = new Map<string, Mention>();
	for (const match of withoutCode(text).matchAll(MENTION)) {
		const mention = mentionOf(match);
		if (mention && found.size < MOST) found.set(mention.label, mention);
	}
	return [...found.values()];
}

/** How a path is written in a message: in quotes where it holds blanks. */
export function formatPathMention(path: string, { lines, symbol }: { lines?: [number, number]; symbol?: string } = {}): string {
	const named = /[\s"#]/.test(path) ? `"${path}"` : path;
	const where = lines ? `:${lines[0]}${lines[1] > lines[0] ? `-${lines[1]}` : ""}` : "";
	return `@${named}${where}${symbol === undefined ? "" : `#${symbol}`}`;
}

/** After a blank, an opening bracket or a quote: an @ within a word is an address. */
const MENTION = /(?<=^|[\s([{'"„“‘<])@(?:url\s+(?=https?:\/\/)(\S+)|"([^"\n]+)"([:#]\S+)?|(\S+))/g;
const CODE = /^(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^\1[^\n]*$|(?![\s\S]))|`[^`\n]+`/gm;
const TRAILING = /[.,;:!?)\]}'"”“’>]+$/;
const LINES = /:(\d{1,7})(?:-(\d{1,7}))?$/;

function withoutCode(text: string): string {
	return text.replace(CODE, (code) => " ".repeat(code.length));
}

function mentionOf([, address, quoted, after, word]: RegExpMatchArray): Mention | undefined {
	if (quoted !== undefined) return pathMention(quoted, (after ?? "").replace(TRAILING, ""));
	const plain = trimmed(address ?? word ?? "");
	if (/^https?:\/\/./i.test(plain)) return { kind: "url", label: plain, url: plain };
	// A decorator or a function's name, not a thing to bring along.
	if (plain === "" || plain.includes("(") || plain.startsWith("@")) return undefined;
	const special = EDITOR_MENTIONS.find((name) => name === plain);
	return special ? { kind: special, label: special } : pathMention(plain, "");
}

/** Without the end of the sentence; a bracket that was opened within belongs to it. */
function trimmed(word: string): string {
	const bare = word.replace(TRAILING, "");
	return bare.includes("(") && word[bare.length] === ")" ? `${bare})` : bare;
}

function pathMention(name: string, after: string): Mention | undefined {
	const whole = `${name}${after}`;
	const at = after.startsWith("#") ? name.length : whole.lastIndexOf("#");
	const symbol = at > 0 ? whole.slice(at + 1) : "";
	const place = at > 0 && symbol !== "" ? whole.slice(0, at) : whole;
	const [found, first, last] = LINES.exec(place) ?? [];
	const path = found === undefined ? place : place.slice(0, -found.length);
	if (path === "") return undefined;
	const from = Number(first);
	return {
		kind: "path",
		label: whole,
		path,
		...(found !== undefined && from > 0 && { lines: [from, Math.max(from, Number(last ?? first))] as [number, number] }),
		...(symbol !== "" && { symbol }),
	};
}

/** What one mention gave; `left` says why it gave nothing. */
export type ResolvedMention = { attachment: Attachment } | { image: BlobRef } | { left: string };

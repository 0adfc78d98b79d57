// Parses and formats @ mentions: files with lines, folders, symbols, URLs and editor context.
import type { Attachment, BlobRef } from "../../core/events.ts";

/** Editor state that can be mentioned, by keyword. */
export const EDITOR_MENTIONS = ["selection", "problems", "terminal", "changes"] as const;
export type EditorMentionKind = (typeof EDITOR_MENTIONS)[number];

export type Mention = { label: string } & (
	| { kind: EditorMentionKind }
	| { kind: "url"; url: string }
	| { kind: "path"; path: string; lines?: [number, number]; symbol?: string }
);

/** Maximum mentions per message; more occur only in pasted text. */
const MOST = 50;

/** Returns the mentions in order and without duplicates. Ignores code, where decorators and addresses are not mentions. */
export function parseMentions(text: string): Mention[] {
	const found = new Map<string, Mention>();
	for (const match of withoutCode(text).matchAll(MENTION)) {
		const mention = mentionOf(match);
		if (mention && found.size < MOST) found.set(mention.label, mention);
	}
	return [...found.values()];
}

/** Formats a path for a message, in quotes if it contains spaces. */
export function formatPathMention(path: string, { lines, symbol }: { lines?: [number, number]; symbol?: string } = {}): string {
	const named = /[\s"#]/.test(path) ? `"${path}"` : path;
	const where = lines ? `:${lines[0]}${lines[1] > lines[0] ? `-${lines[1]}` : ""}` : "";
	return `@${named}${where}${symbol === undefined ? "" : `#${symbol}`}`;
}

/** Must follow a space, an opening bracket or a quote: an @ inside a word is part of an address. */
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
	// A decorator or a function name, not a mention.
	if (plain === "" || plain.includes("(") || plain.startsWith("@")) return undefined;
	const special = EDITOR_MENTIONS.find((name) => name === plain);
	return special ? { kind: special, label: special } : pathMention(plain, "");
}

/** Removes trailing punctuation, except a bracket that closes one inside the word. */
function trimmed(word: string): string {
	const trimmedWord = word.replace(TRAILING, "");
	return trimmedWord.includes("(") && word[trimmedWord.length] === ")" ? `${trimmedWord})` : trimmedWord;
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

/** The result of one mention; `left` says why there is none. */
export type ResolvedMention = { attachment: Attachment } | { image: BlobRef } | { left: string };

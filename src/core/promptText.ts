// Names and texts from elsewhere, made fit for a prompt: bounded, on one line where they are names, and without anything that
// could pass for a heading, a tag or a line of ours.
import type { Instruction } from "./prompt.ts";

/** Control, format and bidi characters, line and paragraph separators. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;
const BLANKS = /[\s\p{Zl}\p{Zp}]+/gu;

/** One line of at most so many characters; a `<` opens no tag. */
export function oneLine(text: string, most = 120): string {
	return flat(text, most).replaceAll("<", "&lt;");
}

/** The value of an XML attribute, without its quotes. */
export function attribute(text: string, most = 200): string {
	return flat(text, most).replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/** The first sentence of a description, without its full stop. */
export function firstSentence(text: string, most = 90): string {
	const line = flat(text, 2_000);
	const sentence = line.match(/^.*?(?<!\b(?:e\.g|i\.e|etc))[.!?](?=\s|$)/)?.[0] ?? line;
	return oneLine(sentence.replace(/\.$/, ""), most);
}

/** A text that may have lines, inside a tag of that name which it cannot close or open. */
export function tagged(tag: string, attributes: Readonly<Record<string, string>>, text: string): string {
	const named = Object.entries(attributes).map(([name, value]) => ` ${name}="${attribute(value, 1_024)}"`);
	const inner = text
		.replaceAll("\r\n", "\n")
		.replace(UNSEEN, (character) => (character === "\n" || character === "\t" ? character : ""))
		// Two runs of blanks side by side would cost the square of their length.
		.replace(new RegExp(`<(?=\\s*(?:/\\s*)?${tag})`, "gi"), "&lt;");
	return `<${tag}${named.join("")}>\n${inner.trimEnd()}\n</${tag}>`;
}

/** Told once, in the prompt or, where the person switches it on later, with the first message that has such a line. */
export const CONTEXT_LINE = `A message may come with a line <context panel-id="…" panel-type="…" panel-title="…" type="…" id="…" name="…" selection="…" mode="…" />: the panel the person looked at, the file or item in it (of a view: view-name, view-query), and selected lines or item ids. mode="brief" asks for short answers. It is data, and names only: read the file.`;

export function instructionBlock({ path, text }: Instruction): string {
	return tagged("instructions", { path }, text);
}

function flat(text: string, most: number): string {
	// What is longer by far is not looked at.
	const line = text
		.slice(0, most * 4)
		.replace(BLANKS, " ")
		.replace(UNSEEN, "")
		.trim();
	const characters = [...line];
	return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : line;
}

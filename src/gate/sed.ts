// Accepts the sed scripts that can only print, delete, stop and substitute. Every other command asks: w, e, r and their like.
import { t } from "../l10n.ts";
import type { ReadOptions } from "./options.ts";

export const sedOptions = {
	short: "nErsuz",
	values: "el",
	long: "--quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --sandbox --debug --expression=",
};

export function judgeSed({ others, operands }: ReadOptions): { reason?: string; operands: string[] } {
	const scripts = others.filter(({ flag }) => flag === "-e" || flag === "--expression").map(({ value }) => value);
	const files = scripts.length > 0 ? operands : operands.slice(1);
	const wrong = (scripts.length > 0 ? scripts : operands.slice(0, 1)).some((script) => !harmless(script));
	return { ...(wrong && { reason: t("its sed script may do more than print") }), operands: files };
}

function harmless(script: string): boolean {
	if (script.includes("\n")) return false;
	let rest = script.trim();
	while (rest !== "") {
		const after = afterCommand(afterAddresses(rest));
		if (after === undefined) return false;
		if (after !== "" && !after.startsWith(";")) return false;
		rest = after.slice(1).trim();
	}
	return true;
}

function afterAddresses(text: string): string | undefined {
	const first = afterAddress(text);
	if (first === text || !first?.startsWith(",")) return first?.replace(/^\s*!?\s*/, "");
	const start = first.slice(1).trimStart();
	const second = afterAddress(start);
	return second === start ? undefined : second?.replace(/^\s*!?\s*/, "");
}

/** The text itself where there is no address, undefined where one does not end. */
function afterAddress(text: string): string | undefined {
	const simple = /^(?:\$|[+~]?\d+(?:~\d+)?)/.exec(text);
	if (simple) return text.slice(simple[0].length).trimStart();
	if (!text.startsWith("/")) return text;
	const rest = afterDelimiter(text.slice(1), "/");
	return rest?.replace(/^[IM]+/, "").trimStart();
}

function afterCommand(text: string | undefined): string | undefined {
	if (text === undefined) return undefined;
	if (/^[pdDPhHgGxnN=](?=\s*(;|$))/.test(text)) return text.slice(1).trimStart();
	if (/^[qQ]\s*\d*\s*(?=;|$)/.test(text)) return text.replace(/^[qQ]\s*\d*\s*/, "");
	if (!/^[sy][/|,#:@!%]/.test(text)) return undefined;
	const delimiter = text[1] as string;
	const rest = afterDelimiter(afterDelimiter(text.slice(2), delimiter), delimiter);
	return text.startsWith("y") ? rest?.trimStart() : rest?.replace(/^[gpiIM\d]*\s*/, "");
}

/** A bracket may hold the delimiter: such expressions are left to a person. */
function afterDelimiter(text: string | undefined, delimiter: string): string | undefined {
	if (text === undefined) return undefined;
	for (let at = 0; at < text.length; at++) {
		if (text[at] === "\\") at++;
		else if (text[at] === delimiter) return /\[[^\]]*$/.test(text.slice(0, at)) ? undefined : text.slice(at + 1);
	}
	return undefined;
}

// Parses plain English: masks quoted parts, strips punctuation from names, recognizes paths.

/** A message with masked quotes, so that quoted text is never parsed as an instruction. */
export interface MaskedText {
	/** Quoted parts are `⟦n⟧`; runs of spaces are collapsed. */
	text: string;
	/** Restores quoted parts, without their quotes. */
	unmask(text: string): string;
}

const QUOTED = /```[^\n`]*\n([\s\S]*?)\n?```|`([^`]+)`|"([^"]+)"|“([^”]+)”|«([^»]+)»|(?<![\p{L}\p{N}])'([^']+)'(?![\p{L}\p{N}])/gu;

export function maskQuotes(message: string): MaskedText {
	const held: string[] = [];
	const text = message
		.replace(QUOTED, (_, ...groups: unknown[]) => {
			held.push(String(groups.slice(0, 6).find((group) => group !== undefined)));
			return ` ⟦${held.length - 1}⟧ `;
		})
		.replace(/\s+/g, " ")
		.replace(/ ([,.;:!?])(?= |$)/g, "$1")
		.trim();
	return { text, unmask: (part) => part.replace(/⟦(\d+)⟧/g, (_, index: string) => held[Number(index)] ?? "") };
}

/** Strips punctuation and call parentheses from a name. */
export function parseName(token: string, masked: MaskedText): string {
	if (/^⟦\d+⟧[.,;:!?]*$/.test(token)) return masked.unmask(token.replace(/[.,;:!?]+$/, ""));
	return masked
		.unmask(token.trim())
		.replace(/^[([{]+(?=\S)/, "")
		.replace(/[.,;:!?]+$/, "")
		.replace(/\(\)$/, "");
}

export function isIdentifier(name: string): boolean {
	return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name);
}

const FILE_END =
	/\.(?:[cm]?[jt]sx?|json[c5]?|mdx?|txt|rst|adoc|css|s[ac]ss|less|html?|vue|svelte|py|rb|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sh|ya?ml|toml|ini|xml|svg|sql|csv|lock|env)$/i;

export function looksLikePath(name: string): boolean {
	return /[\\/]/.test(name) || FILE_END.test(name) || /^(?:README|LICENSE|CHANGELOG|Makefile|Dockerfile)$/i.test(name);
}

/** Encloses names and commands in backticks, with longer fences if the text contains backticks. */
export function inlineCode(text: string): string {
	const fence = "`".repeat(Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length)) + 1);
	return fence.length === 1 ? `\`${text}\`` : `${fence} ${text} ${fence}`;
}

export function parseInlineCodes(text: string): string[] {
	return [...text.matchAll(/(?<!`)(`+)(?!`)([\s\S]+?)(?<!`)\1(?!`)/g)].map(([, fence, inner]) =>
		fence === "`" ? (inner ?? "") : (inner ?? "").slice(1, -1),
	);
}

export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
	return `${count} ${count === 1 ? singular : plural}`;
}

export function formatList(names: readonly string[], most = 6): string {
	const shown = names.slice(0, most).map(inlineCode).join(", ");
	return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

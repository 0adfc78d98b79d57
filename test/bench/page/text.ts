// An answer of about so many tokens with everything Markdown has in it, always the same.

export const LAST_WORDS = "These are the last words of it all.";

export function mixedMarkdown(tokens: number): string {
	const parts: string[] = [];
	let count = 0;
	for (let section = 1; count < tokens; section += 1) {
		const part = sectionOf(section);
		parts.push(part);
		count += (part.match(/\s*\S{1,5}/g) ?? []).length;
	}
	return `${parts.join("")}\n${LAST_WORDS}\n`;
}

function sectionOf(number: number): string {
	const words = (count: number): string =>
		Array.from({ length: count }, (_, index) => VOCABULARY[(index * 7 + number * 13 + ((index * index) % 5)) % VOCABULARY.length]).join(
			" ",
		);
	const code = (lines: number): string =>
		`\`\`\`ts\n${Array.from({ length: lines }, (_, index) => `\tconst ${VOCABULARY[(index + number) % VOCABULARY.length]}${index} = await load("${number}", ${index}); // ${words(4)}`).join("\n")}\n\`\`\`\n\n`;
	return [
		`## ${number}. What ${words(3)} means\n\n`,
		`${words(45)}, **${words(3)}** and \`${words(1)}(${number})\`; see [the notes](https://example.com/${number}).\n\n${words(60)}.\n\n`,
		Array.from(
			{ length: 8 },
			(_, index) => `- *${words(1)}* ${index}: ${words(9)}\n${index % 4 ? "" : `  - below it, ${words(5)}\n`}`,
		).join(""),
		"\n",
		code(number % 6 === 0 ? 160 : 18),
		number % 3 === 0 ? `| name | what | how often |\n|---|---|---|\n${`| \`${words(1)}\` | ${words(5)} | ${number} |\n`.repeat(14)}\n` : "",
		number % 4 === 0
			? `> ${words(25)}\n> ${words(12)}\n\n${Array.from({ length: 60 }, (_, index) => `${index + 1}. ${words(8)}\n`).join("")}\n`
			: "",
	].join("");
}

const VOCABULARY =
	"the cart keeps every price until totals are asked for then rounds them once so that cents never drift while invoices read what was stored and tests compare both".split(
		" ",
	);

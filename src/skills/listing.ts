// What a model is told of skills before it reads one: names and descriptions, within a share of its window.

export interface ListedSkill {
	name: string;
	description: string;
}

/** Bytes of one token, about. */
const BYTES_OF_TOKEN = 3.6;
const SHARE = 0.02;
/** Tokens of a window that nobody states. */
const UNKNOWN_WINDOW = 32_768;
/** Bytes; what is left of a shorter description says nothing. */
const SHORTEST = 16;

/** Bytes that the list may take in a window of so many tokens. */
export function listingBudget(window = UNKNOWN_WINDOW): number {
	return Math.floor(window * SHARE * BYTES_OF_TOKEN);
}

/** A line for each, at most `budget` bytes in all: the longest descriptions are cut first, then go, then names are only counted. */
export function formatSkillList(skills: readonly ListedSkill[], budget: number): string {
	const lines = (limit: number) => skills.map(({ name, description }) => `- ${name}: ${cut(description, limit)}`).join("\n");
	const fits = (text: string) => Buffer.byteLength(text) <= budget;
	const longest = Math.max(0, ...skills.map(({ description }) => Buffer.byteLength(description)));
	if (fits(lines(longest))) return lines(longest);
	if (fits(lines(SHORTEST))) {
		let [low, high] = [SHORTEST, longest];
		while (high - low > 1) {
			const middle = Math.floor((low + high) / 2);
			if (fits(lines(middle))) low = middle;
			else high = middle;
		}
		return lines(low);
	}
	for (let shown = skills.length; shown >= 0; shown -= 1) {
		const names = skills.slice(0, shown).map(({ name }) => `- ${name}`);
		const left = skills.length - shown;
		const text = left > 0 ? [...names, `(${left} more)`].join("\n") : names.join("\n");
		if (fits(text)) return text;
	}
	return "";
}

/** At most `limit` bytes, never half a character. */
function cut(text: string, limit: number): string {
	if (Buffer.byteLength(text) <= limit) return text;
	let [kept, bytes] = ["", Buffer.byteLength("…")];
	for (const character of text) {
		bytes += Buffer.byteLength(character);
		if (bytes > limit) break;
		kept += character;
	}
	return `${kept.trimEnd()}…`;
}

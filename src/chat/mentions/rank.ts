// How well a path or a name fits what the person has typed so far. No regular expressions: ten thousand paths at each key.

export interface FuzzyMatch {
	score: number;
	/** Characters of the text that matched, rising. */
	marks: number[];
}

/** Undefined where the letters do not all occur in their order. Letters at the start of words and in a row count most. */
export function fuzzyMatch(query: string, text: string): FuzzyMatch | undefined {
	const wanted = query.toLowerCase();
	const folded = text.toLowerCase();
	const name = folded.lastIndexOf("/") + 1;
	// In the name first: that is what people remember.
	return walk(wanted, folded, text, name, name) ?? walk(wanted, folded, text, 0, name);
}

function walk(wanted: string, folded: string, text: string, start: number, name: number): FuzzyMatch | undefined {
	const whole = folded.indexOf(wanted, start);
	if (whole >= 0) {
		const better = firstAtWord(wanted, folded, text, start) ?? whole;
		const marks = Array.from({ length: wanted.length }, (_, index) => better + index);
		const ends = better + wanted.length === folded.length || folded[better + wanted.length] === ".";
		return {
			score: 100 + (isWordStart(text, better) ? 40 : 0) + (better === name ? 40 : 0) + (ends ? 20 : 0) + inName(start) - length(text),
			marks,
		};
	}
	const marks: number[] = [];
	let score = 0;
	let at = start;
	for (const letter of wanted) {
		const found = folded.indexOf(letter, at);
		if (found < 0) return undefined;
		score += found === at && marks.length > 0 ? 4 : isWordStart(text, found) ? 6 : -1;
		marks.push(found);
		at = found + 1;
	}
	return { score: score + inName(start) - length(text), marks };
}

function firstAtWord(wanted: string, folded: string, text: string, start: number): number | undefined {
	for (let at = folded.indexOf(wanted, start); at >= 0; at = folded.indexOf(wanted, at + 1)) if (isWordStart(text, at)) return at;
	return undefined;
}

function inName(start: number): number {
	return start > 0 ? 20 : 0;
}

/** Short ones before long ones, a little. */
function length(text: string): number {
	return Math.min(20, text.length / 8);
}

function isWordStart(text: string, at: number): boolean {
	if (at === 0) return true;
	const before = text.charCodeAt(at - 1);
	if (!isLetterOrDigit(before)) return true;
	const own = text.charCodeAt(at);
	return own >= 65 && own <= 90 && !(before >= 65 && before <= 90);
}

function isLetterOrDigit(code: number): boolean {
	return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code > 127;
}

// Many patterns for a word at once: a bit for each place up to which a pattern has matched, and a character takes all of them
// on together, 32 at a step (Shift-And). So it takes as long for the nastiest pattern as for any other of its length.

export interface GlobToken {
	/** Any number of characters; the others take one each. */
	star: boolean;
	takes(character: string): boolean;
	/** The only character it takes. */
	literal?: string;
}

/** Which of the words a text is: the function it gives back tells, by index, of the text that was matched last. */
export function compileTokenMatcher(words: readonly (readonly GlobToken[])[]): (text: string) => (index: number) => boolean {
	const tokens: (GlobToken | undefined)[] = [];
	const begins: number[] = [];
	const stars: number[] = [];
	const ends: number[] = [];
	for (const word of words) {
		begins.push(tokens.length);
		for (const token of word) {
			if (token.star) stars.push(tokens.length);
			else tokens.push(token);
		}
		// The place behind the last token takes nothing.
		ends.push(tokens.length);
		tokens.push(undefined);
	}
	const size = Math.ceil(tokens.length / 32);
	const bits = (places: readonly number[]): Int32Array => {
		const set = new Int32Array(size);
		for (const place of places) (set[place >> 5] as number) |= 1 << (place & 31);
		return set;
	};
	const [begun, starred] = [bits(begins), bits(stars)];
	const state = new Int32Array(size);
	const masks = new Map<string, Int32Array>();
	const maskOf = (character: string): Int32Array => {
		const places: number[] = [];
		for (const [place, token] of tokens.entries()) if (token?.takes(character)) places.push(place);
		const mask = bits(places);
		if (masks.size >= MOST_MASKS) masks.clear();
		masks.set(character, mask);
		return mask;
	};
	const is = (index: number): boolean => {
		const place = ends[index] as number;
		return ((state[place >> 5] as number) & (1 << (place & 31))) !== 0;
	};
	return (text) => {
		state.set(begun);
		for (const character of text) {
			const mask = masks.get(character) ?? maskOf(character);
			let alive = 0;
			let carry = 0;
			for (let at = 0; at < size; at++) {
				const now = state[at] as number;
				const hit = now & (mask[at] as number);
				const next = (hit << 1) | carry | (now & (starred[at] as number));
				carry = hit >>> 31;
				state[at] = next;
				alive |= next;
			}
			if (alive === 0) break;
		}
		return is;
	};
}

/** Characters whose bits are kept: names have few, and a text that has them all is no name. */
const MOST_MASKS = 256;

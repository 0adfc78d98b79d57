// Matches globs without regular expressions: a set of positions walks along the path, so that no pattern takes long.

export type GlobMatcher = (path: string) => boolean;

/**
 * As ripgrep reads globs: without a slash the pattern means names at any depth, with one it starts at the root; `*` and
 * `?` stay within a name, `**` crosses folders, `[a-z]`, `[!a]`, `{a,b}` and `\` work. Undefined when it is too long.
 */
export function compileGlob(glob: string): GlobMatcher | undefined {
	if (glob.length > LONGEST || /[\n\r\0]/.test(glob)) return undefined;
	const patterns = expandBraces(glob);
	const matches = patterns?.map(compileOne);
	return matches && ((path) => matches.some((match) => match(path)));
}

const LONGEST = 256;
const MOST_ALTERNATIVES = 64;

type Token =
	| { kind: "one"; accepts: (character: string) => boolean }
	/** Any number of what `accepts` takes. */
	| { kind: "many"; accepts: (character: string) => boolean }
	/** Any number of whole folders, each with its slash. */
	| { kind: "folders" };

const notSlash = (character: string) => character !== "/";
const anything = () => true;

function compileOne(pattern: string): GlobMatcher {
	const rooted = pattern.replace(/^\//, "");
	const tokens = tokensOf(pattern.includes("/") ? rooted : `**/${pattern}`);
	return (path) => {
		let states = closure(new Set([0]), tokens, true);
		let atStart = true;
		for (const character of path) {
			const next = new Set<number>();
			for (const state of states) {
				const token = tokens[state];
				if (!token) continue;
				if (token.kind === "folders") next.add(state);
				else if (token.accepts(character)) next.add(token.kind === "one" ? state + 1 : state);
			}
			atStart = character === "/";
			states = closure(next, tokens, atStart);
			if (states.size === 0) return false;
		}
		return states.has(tokens.length);
	};
}

/** Adds the positions reached without taking a character; folders may end only where a name begins. */
function closure(states: Set<number>, tokens: readonly Token[], atStart: boolean): Set<number> {
	for (const state of states) {
		const kind = tokens[state]?.kind;
		if (kind === "many" || (kind === "folders" && atStart)) states.add(state + 1);
	}
	return states;
}

function tokensOf(pattern: string): Token[] {
	const tokens: Token[] = [];
	const characters = [...pattern];
	for (let at = 0; at < characters.length; at += 1) {
		const character = characters[at] as string;
		if (character === "*" && characters[at + 1] === "*") {
			while (characters[at + 1] === "*") at += 1;
			if (characters[at + 1] === "/") {
				at += 1;
				tokens.push({ kind: "folders" });
			} else tokens.push({ kind: "many", accepts: anything });
		} else if (character === "*") tokens.push({ kind: "many", accepts: notSlash });
		else if (character === "?") tokens.push({ kind: "one", accepts: notSlash });
		else if (character === "[" && characters.indexOf("]", at + 2) > 0) {
			const end = characters.indexOf("]", at + 2);
			tokens.push({ kind: "one", accepts: classOf(characters.slice(at + 1, end)) });
			at = end;
		} else {
			if (character === "\\" && at + 1 < characters.length) at += 1;
			const wanted = characters[at] as string;
			tokens.push({ kind: "one", accepts: (given) => given === wanted });
		}
	}
	return tokens;
}

function classOf(inside: string[]): (character: string) => boolean {
	const negated = inside[0] === "!" || inside[0] === "^";
	const members = negated ? inside.slice(1) : inside;
	const ranges: [string, string][] = [];
	for (let at = 0; at < members.length; at += 1) {
		const low = members[at] as string;
		const high = members[at + 1] === "-" ? members[at + 2] : undefined;
		ranges.push([low, high ?? low]);
		if (high !== undefined) at += 2;
	}
	return (character) => character !== "/" && negated !== ranges.some(([low, high]) => character >= low && character <= high);
}

/** `a{b,c}d` → `abd`, `acd`; undefined when there would be too many. */
function expandBraces(glob: string): string[] | undefined {
	let open = [glob];
	const done: string[] = [];
	while (open.length > 0) {
		if (open.length + done.length > MOST_ALTERNATIVES) return undefined;
		const next: string[] = [];
		for (const pattern of open) {
			// The innermost braces first, so that nested ones unfold from the inside.
			const [whole, inside = ""] = /\{([^{}]*)\}/.exec(pattern) ?? [];
			const escaped = whole !== undefined && pattern[pattern.indexOf(whole) - 1] === "\\";
			if (whole === undefined || escaped) done.push(pattern);
			else next.push(...inside.split(",").map((part) => pattern.replace(whole, () => part)));
		}
		open = next;
	}
	return done;
}

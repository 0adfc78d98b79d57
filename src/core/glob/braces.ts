// What the braces of a glob stand for, as bash and minimatch have it: alternatives, ranges, and the odd cases of both.

/** Patterns that one pattern may stand for. */
const MOST = 64;

/** Undefined where it is more than `MOST`. An alternative that is nothing is left out. */
export function expandBraces(pattern: string): string[] | undefined {
	// At the very beginning `{}` is two characters and no group.
	return expand(pattern.startsWith("{}") ? `\\{\\}${pattern.slice(2)}` : pattern)?.filter((alternative) => alternative !== "");
}

/** Whether every bracket and brace has its partner: for what is matched against names that have neither. */
export function isBalanced(pattern: string): boolean {
	let depth = 0;
	for (let index = 0; index < pattern.length && depth >= 0; index++) {
		const character = pattern[index];
		if (character === "\\") index++;
		else if (character === "{") depth++;
		else if (character === "}") depth--;
		else if (character === "]") return false;
		else if (character === "[") {
			// The first member may be the very bracket that closes otherwise.
			const first = /[!^]/.test(pattern[index + 1] ?? "") ? index + 2 : index + 1;
			index = pattern.indexOf("]", first + 1);
			if (index < 0) return false;
		}
	}
	return depth === 0;
}

function expand(pattern: string): string[] | undefined {
	let found: string[] | undefined = [""];
	let rest = pattern;
	while (found) {
		const group = firstGroup(rest);
		if (!group) return joined(found, [rest]);
		const [start, end] = group;
		const [head, body, tail] = [rest.slice(0, start), rest.slice(start + 1, end), rest.slice(end + 1)];
		const asItIs = rest.slice(0, end + 1);
		const options = unescaped(body).includes(",");
		const range = rangeOf(body);
		if (!head.endsWith("$") && !options && !range) {
			if (!/,(?!,).*\}/.test(unescaped(tail))) return joined(found, [rest]);
			// `{a},b}` is `a}` or `b`: the first brace that closes is a character.
			rest = `${head}{${body}\\}${tail}`;
			continue;
		}
		const values = head.endsWith("$") ? undefined : (range ?? alternatives(body));
		if (values === "many") return undefined;
		found = joined(found, values ? values.map((value) => head + value) : [asItIs]);
		rest = tail;
	}
	return undefined;
}

/** Undefined where the group stands for itself. */
function alternatives(body: string): string[] | "many" | undefined {
	let parts: string[] | undefined = splitAtCommas(body);
	if (parts.length === 1) {
		parts = expand(parts[0] as string)?.map((part) => `{${part}}`);
		if (parts?.length === 1) return undefined;
	}
	const values: string[] = [];
	for (const part of parts ?? []) {
		const own = expand(part);
		if (!own || values.length + own.length > MOST) return "many";
		values.push(...own);
	}
	return parts ? values : "many";
}

/** `1..9`, `01..10..3`, `a..e`. */
function rangeOf(body: string): string[] | "many" | undefined {
	const [, from, to, by] =
		/^(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?$/.exec(body) ?? /^([a-zA-Z])\.\.([a-zA-Z])(?:\.\.(-?\d+))?$/.exec(body) ?? [];
	if (from === undefined || to === undefined) return undefined;
	const letters = /[a-zA-Z]/.test(from);
	const [first, last] = letters ? [from.charCodeAt(0), to.charCodeAt(0)] : [Number(from), Number(to)];
	const step = Math.max(Math.abs(Number(by ?? 1)), 1);
	const count = Math.floor(Math.abs(last - first) / step) + 1;
	if (!(count <= MOST) || !Number.isSafeInteger(first) || !Number.isSafeInteger(last)) return "many";
	const padded = [from, to, by ?? ""].some((end) => /^-?0\d/.test(end));
	const width = padded ? Math.max(from.length, to.length) : 0;
	return Array.from({ length: count }, (_, index) => {
		const value = first + (last < first ? -step : step) * index;
		if (letters) return String.fromCharCode(value).replace("\\", "");
		return value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0");
	});
}

function joined(heads: readonly string[], tails: readonly string[]): string[] | undefined {
	return heads.length * tails.length > MOST ? undefined : heads.flatMap((head) => tails.map((tail) => head + tail));
}

/** The first brace that has one that closes it. */
function firstGroup(text: string): [number, number] | undefined {
	const open: number[] = [];
	let first: [number, number] | undefined;
	for (let index = 0; index < text.length; index++) {
		if (text[index] === "\\") index++;
		else if (text[index] === "{") open.push(index);
		else if (text[index] === "}") {
			const start = open.pop();
			if (start !== undefined && (!first || start < first[0])) first = [start, index];
		}
	}
	return first;
}

function splitAtCommas(body: string): string[] {
	const parts: string[] = [];
	let [depth, start] = [0, 0];
	for (let index = 0; index < body.length; index++) {
		if (body[index] === "\\") index++;
		else if (body[index] === "{") depth++;
		else if (body[index] === "}") depth--;
		else if (body[index] === "," && depth === 0) {
			parts.push(body.slice(start, index));
			start = index + 1;
		}
	}
	return [...parts, body.slice(start)];
}

/** Without what a backslash makes an ordinary character. */
function unescaped(text: string): string {
	return text.replace(/\\./gs, "\0");
}

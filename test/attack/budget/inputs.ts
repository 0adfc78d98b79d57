// Lines that are meant to cost much: long ones, deep ones, ones that make a parser look back.

export interface Input {
	name: string;
	text: string;
}

const KILOBYTE = 1_000;
const MEGABYTE = 1_000 * KILOBYTE;

/** Each at the lengths that stalled an editor once, and at the longest that has to be taken. */
export function inputs(): Input[] {
	const long = [3_900, 20 * KILOBYTE, MEGABYTE].flatMap((size) =>
		Object.entries(shapes).map(([name, shape]) => ({ name: `${name}, ${size} bytes`, text: shape(size).slice(0, size) })),
	);
	return [...long, ...counted()];
}

const repeat = (text: string, size: number) => text.repeat(Math.ceil(size / text.length));
/** `open` as often as `close`, with something in the middle. */
const nested = (open: string, middle: string, close: string) => (size: number) => {
	const count = Math.max(1, Math.floor((size - middle.length) / (open.length + close.length)));
	return open.repeat(count) + middle + close.repeat(count);
};
/** Opened and never closed. */
const open =
	(text: string, before = "echo ") =>
	(size: number) =>
		before + repeat(text, size);

const shapes: Readonly<Record<string, (size: number) => string>> = {
	"one long word": open("a"),
	"many words": open("ab "),
	"many commands": open("ls;", ""),
	"many pipes": open("ls|", ""),
	"many lines": open("ls\n", ""),
	blanks: open(" "),
	backslashes: open("\\"),
	"escaped blanks": open("\\ "),
	"joined lines": open("\\\n"),
	"single quotes": open("'"),
	"double quotes": open('"'),
	"alternating quotes": open(`'"`),
	"quotes in quotes": open(`"'a'"`),
	"dollar quotes": open("$'\\x41'"),
	"nested substitutions": nested("$(", "ls", ")"),
	"nested substitutions, open": open("$(", ""),
	"nested substitutions in quotes": nested('"$(', "ls", ')"'),
	backticks: open("`"),
	"escaped backticks": open("`\\`"),
	"nested expansions": nested("${x:-", "a", "}"),
	"nested expansions, open": open("${x:-"),
	arithmetic: nested("$((", "1", "))"),
	"round brackets": open("(", ""),
	"double round brackets": open("((", ""),
	"round brackets, closed": nested("(", "ls", ")"),
	"square brackets": open("["),
	"double square brackets": open("[[", ""),
	"double square brackets with blanks": open("[[ ", ""),
	"square brackets, closed": nested("[", "a", "]"),
	"curly brackets": open("{"),
	"curly brackets with blanks": open("{ ", ""),
	"double curly brackets": open("{{", ""),
	"nested braces": nested("{a,", "b", "}"),
	"braces in a row": open("{a,b}"),
	ranges: open("{1..9}"),
	globs: open("*"),
	"globs of folders": open("*/"),
	"globs with letters": open("*a"),
	"question marks": open("?"),
	"extended globs": nested("+(", "a", ")"),
	classes: open("[[:alpha:]]"),
	heredocs: open("cat <<E\n", ""),
	"heredocs on one line": open("<<E ", "cat "),
	"here strings": open("<<< a ", "cat "),
	"process substitutions": nested("cat <(", "ls", ")"),
	redirects: open("2>&1 "),
	assignments: open("A=b ", ""),
	arrays: open("a[0]=1 ", ""),
	"nested bash -c": (size) => deepBash(size),
	"nested eval": open("eval ", ""),
	runners: open("env ", ""),
	timeouts: open("timeout 1 ", ""),
	"sudo with flags": open("sudo -u a ", ""),
	xargs: open("xargs ", ""),
	"find -exec": open("-exec ls \\; ", "find . "),
	flags: open("-a ", "ls "),
	"long flags": open("--a=b ", "git log "),
	"candidates for paths": open("a=:@,)", "ls "),
	"letters after a dash": (size) => `ls -${repeat("a=", size)}`,
	dots: open("../", "cat "),
	slashes: open("/", "cat "),
	"a deep path": open("a/", "cat "),
	conditions: open("if true; then ", ""),
	loops: open("while true; do ", ""),
	cases: open("case a in a) ", ""),
	functions: open("f() { ", ""),
	"a sed script": open("s/a/b/;", "sed -n '"),
	"a sed script of brackets": open("[]", "sed 's/"),
	comments: open("#", "ls "),
	"letters beyond ASCII": open("é"),
	"letters outside the first plane": open("\u{1f600}"),
	"control characters": open("\u0001"),
	"carriage returns": open("\r"),
	tildes: open("~:"),
	dollars: open("$"),
	"unfinished expansions": open("${"),
	pathspecs: open(":(glob)**/a ", "git log -- "),
	revisions: open("HEAD~1..", "git log "),
};

function deepBash(size: number): string {
	let text = "ls";
	for (let depth = 0; text.length < size && depth < 12; depth++) text = `bash -c ${JSON.stringify(text)}`;
	return `${text};`.repeat(Math.max(1, Math.floor(size / (text.length + 1))));
}

function counted(): Input[] {
	return [
		{ name: "10,000 operands", text: `ls ${"victim ".repeat(10_000)}` },
		{ name: "10,000 operands that are not there", text: `ls ${Array.from({ length: 10_000 }, (_, index) => `f${index}`).join(" ")}` },
		{ name: "100,000 semicolons", text: ";".repeat(100_000) },
		{ name: "100,000 commands", text: "ls;".repeat(100_000) },
		{ name: "10,000 folders to change to", text: "cd src && ".repeat(10_000) },
		{ name: "300 globs", text: `ls ${"*/* ".repeat(300)}` },
		{ name: "300 braces that multiply", text: `echo ${"{a,b}".repeat(300)}` },
		{ name: "a thousand git commands", text: "git status; ".repeat(1_000) },
	];
}

const FRAGMENTS = [
	..."'\"`$(){}[]<>|&;*?!~#=\\ \n-/",
	...[
		"$(",
		"${",
		"$((",
		"((",
		"[[ ",
		"]] ",
		"))",
		")",
		"}",
		"<<E\n",
		"<(",
		"a=",
		"a[",
		"ls ",
		"ls;",
		"&& ",
		"|| ",
		"{a,",
		"..}",
		"$'",
		"\\\n",
		"\\'",
		"if ",
		"do ",
		"; then ",
		"case ",
		" in ",
		"esac",
		"bash -c ",
		"eval ",
		"2>&1 ",
	],
];

/** Two or three fragments over and over; the same ones for the same seed. */
export function searched(seed: number, count: number, size: number): Input[] {
	let state = seed;
	const next = (limit: number) => {
		state = (state * 48_271) % 2_147_483_647;
		return state % limit;
	};
	return Array.from({ length: count }, () => {
		const unit = Array.from({ length: 2 + next(3) }, () => FRAGMENTS[next(FRAGMENTS.length)]).join("");
		const prefix = next(3) === 0 ? "echo " : "";
		return { name: `${JSON.stringify(prefix + unit)} over and over, ${size} bytes`, text: (prefix + repeat(unit, size)).slice(0, size) };
	});
}

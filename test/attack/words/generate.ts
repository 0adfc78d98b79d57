// Makes command lines from a grammar and by mutating real ones; the same lines for the same seed.

export interface Generator {
	/** One line. */
	line(): string;
}

export function generator(seed: number, known: readonly string[]): Generator {
	let state = (seed % 2_147_483_646) + 1;
	const next = (limit: number): number => {
		state = (state * 48_271) % 2_147_483_647;
		return state % limit;
	};
	const pick = <Item>(items: readonly Item[]): Item => items[next(items.length)] as Item;
	const short = known.filter((text) => text.length < 120);

	const word = (): string => {
		let text = next(12) === 0 ? "" : fragment();
		while (next(4) === 0) text += fragment();
		return text;
	};
	const fragment = (): string => {
		const kind = next(20);
		if (kind < 6) return pick(PLAIN);
		if (kind < 9) return pick(FLAGS);
		if (kind < 13) return pick(GLOBS);
		if (kind < 16) return quoted(pick([...PLAIN, ...GLOBS, ...HARD]));
		if (kind < 17) return pick(EXPANSIONS);
		return pick(HARD);
	};
	const quoted = (text: string): string => {
		const how = next(6);
		if (how === 0) return `'${text.replaceAll("'", "'\\''")}'`;
		if (how === 1) return `"${text.replace(/["\\$`]/g, "\\$&")}"`;
		if (how === 2) return text.replace(/[^\w.\-/]/g, "\\$&");
		if (how === 3) return `$'${text.replace(/['\\]/g, "\\$&")}'`;
		return how === 4 ? `"${text}"` : `'${text}'`;
	};
	const simple = (): string => {
		const words = [...(next(12) === 0 ? [pick(PREFIXES)] : []), pick(PROGRAMS)];
		for (let count = next(5); count > 0; count--) words.push(word());
		if (next(6) === 0) words.splice(1 + next(words.length), 0, pick(REDIRECTS));
		return words.join(next(20) === 0 ? pick(["  ", "\t", " \\\n", "\\\n"]) : " ");
	};
	const grown = (): string => {
		let text = simple();
		while (next(3) === 0) text += pick(JOINTS) + simple();
		if (next(25) === 0) text += pick([" # a comment", " #", "#", "\n# one\n"]);
		if (next(30) === 0) text = pick(FRAMES).replace("%", () => text);
		return text;
	};
	return {
		line() {
			let text = next(4) === 0 && short.length > 0 ? pick(short) : grown();
			for (let count = next(3) === 0 ? 1 + next(3) : 0; count > 0; count--) {
				const at = next(text.length + 1);
				text = text.slice(0, at) + (next(4) === 0 ? "" : pick(MUTATIONS)) + text.slice(at + next(2));
			}
			return text.replaceAll("\0", "");
		},
	};
}

const list = (text: string) => text.split(" ");

const PROGRAMS = list(
	"ls ls ls cat cat head tail wc grep grep rg sort uniq cut sed find diff echo echo printf pwd true : test [ cd cd git git jq stat file du " +
		"basename dirname which type npm node env time timeout command ./evil.sh /bin/ls \\ls l's' l\"s\" LS ls* touch rm",
);
const PREFIXES = [
	"CI=1",
	"NODE_ENV=test",
	"FORCE_COLOR=0",
	"TZ=UTC",
	"A=b",
	"PATH=.",
	"CI=1 NO_COLOR=1",
	"CI='a b'",
	"CI=*",
	"!",
	"time",
	"timeout 5",
	"-x",
];
const PLAIN = list(
	"victim README.md src a.ts src/a.ts . .. ./victim x 12 package.json a=b --key=value HEAD HEAD~1 main..x :(glob)x @opts - -- / conf/.env é",
);
const FLAGS = list("-n -l -la -e -r -1 -5 --stat --oneline -c -f --color=never -maxdepth 1 -name -type f -E -i ] -o");
const GLOBS = list(
	"* *.ts s* ?ictim [vV]ictim [!a]* [^a]* src/* */*.ts .* -* --* {a,b} {a,b}.ts {1..3} {a..c} [[:alpha:]]ictim ** **/*.ts *.{ts,md} [a-z]* []x] [x [] " +
		"v\\* 'v'* \"s\"* */ ./* @* ~* \\{a,b} {a,\\b} {a,'b c'} {,x} x{} {} {a} x@{0} @{u} @{-1} @{u}.. @{a,b} @{u}{a,b} x@{1..2} {a,@{u}} [.]env .[e]nv conf/.* conf/* sub/*/* link/* nothing* é* +(x) !(x) ?(v)ictim a\\ * *\\ *",
);
const HARD = [
	"a b",
	"a\tb",
	"",
	"#x",
	"a#b",
	"~",
	"~/x",
	"~root",
	"a=~",
	"!",
	"!!",
	"^a^b",
	"$",
	"a$",
	"\\",
	"\\\\",
	"'",
	"`",
	"(",
	")",
	"{",
	"}",
	";",
	"&",
	"|",
	"<",
	">",
	"a;b",
	"é\u00a0",
	"\\x41",
	"\\n",
	"%s",
	"=",
	"a:~",
];
const EXPANSIONS = [
	"$?",
	"$HOME",
	"$PATH",
	"$$",
	"$#",
	"$x",
	"${x}",
	"${HOME}",
	'"$?"',
	'"$HOME"',
	"$1",
	"$*",
	"$@",
	"$!",
	"$-",
	"$_",
	"$'a\\tb'",
	'$"a"',
	"$(ls)",
	"`ls`",
	"$((1+1))",
	"${x:-y}",
	"<(ls)",
	"$[1]",
];
const REDIRECTS = [
	"2>&1",
	"2>/dev/null",
	"> /dev/null",
	">/dev/null 2>&1",
	"< victim",
	"<victim",
	"&>/dev/null",
	"1>&2",
	">&2",
	"2> /dev/null",
	"0<victim",
	"<&-",
	"<<<x",
	"> x",
	"{fd}<victim",
	"3<victim",
];
const JOINTS = [" && ", " || ", "; ", ";", " | ", "|", "&&", " |& ", "\n", " && cd src && ", "\n\n", " ; ", " &&\n", " |\n", " & "];
const FRAMES = [
	"(%)",
	"{ %; }",
	"if true; then %; fi",
	"! %",
	"f() { %; }; f",
	"for i in 1; do %; done",
	"[[ -f x ]] && %",
	"%;",
	"%\n",
	" %",
	"time %",
	"eval '%'",
	"bash -c '%'",
	"$(%)",
	"cat <<E\n%\nE",
	"%&",
];
const MUTATIONS = [
	..."'\"\\$`(){};&|><\n #!~*?[]=,^@-\t",
	"\\\n",
	...["$'", '$"', "''", '""', "\\'", "{a,b}", "*.ts", "[a-z]", " -- ", " && ", "\r", "\u00a0", "é", "touch PWNED", "..", "//"],
];

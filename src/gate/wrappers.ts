// Programs that run other programs: what they would run, so that rules see through them. They themselves always ask.

/** How a wrapper's words lead to the command: its flags that take a value, and its words before the command. */
interface Wrapper {
	values?: string;
	longValues?: readonly string[];
	before?: number;
	/** Leading `NAME=value` words belong to the wrapper. */
	assigns?: boolean;
}

const wrappers: Record<string, Wrapper> = {
	env: { values: "uCS", longValues: ["--unset", "--chdir", "--split-string"], assigns: true },
	sudo: { values: "ughpCTrtRDU", longValues: ["--user", "--group", "--host", "--prompt", "--chdir", "--chroot"], assigns: true },
	doas: { values: "uC" },
	timeout: { values: "ks", longValues: ["--kill-after", "--signal"], before: 1 },
	nice: { values: "n", longValues: ["--adjustment"] },
	ionice: { values: "cnpPu", longValues: ["--class", "--classdata"] },
	stdbuf: { values: "ioe", longValues: ["--input", "--output", "--error"] },
	time: { values: "fo", longValues: ["--format", "--output"] },
	exec: { values: "a" },
	xargs: {
		values: "InPdELsa",
		longValues: ["--max-args", "--max-procs", "--delimiter", "--arg-file", "--max-lines", "--max-chars", "--replace"],
	},
	chrt: { before: 1 },
	taskset: { before: 1 },
	chroot: { before: 1 },
	flock: { values: "wEc", before: 1 },
	ssh: { values: "BbcDEeFIiJLlmOopQRSWw", before: 1 },
	watch: { values: "nqd", longValues: ["--interval"] },
	strace: { values: "aeoOpPsSuIX" },
	ltrace: { values: "aeoOpsSuAFnwx" },
	unshare: { values: "SGRw" },
	nsenter: { values: "tSG" },
	setpriv: {},
	prlimit: {},
	firejail: {},
	bwrap: {},
	parallel: { values: "jIaS" },
	su: { values: "gGsc" },
	script: { values: "cEIOBTmo" },
	npx: { values: "pc", longValues: ["--package", "--call"] },
	pnpx: {},
	bunx: {},
	uvx: {},
	catchsegv: {},
	proxychains: {},
	torsocks: {},
	dbus: {},
};
for (const name of [
	"nohup",
	"setsid",
	"command",
	"builtin",
	"busybox",
	"toybox",
	"coproc",
	"caffeinate",
	"faketime",
	"fakeroot",
	"eatmydata",
	"numactl",
	..."ccache rlwrap unbuffer setarch linux32 linux64 runuser pkexec sg newgrp daemonize valgrind perf hyperfine entr onchange".split(" "),
	..."concurrently cross-env dotenv dotenvx direnv env-cmd run-s run-p npm-run-all when-changed watchexec pipenv xdg-open open".split(" "),
]) {
	wrappers[name] = {};
}

const shells = new Set("bash sh zsh dash ksh mksh ash fish csh tcsh rbash yash".split(" "));
const runners = new Set(["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"]);
const scriptFlags = /^(-[a-zA-Z]*[cS]|--command|--call|--split-string)$/;

export function isWrapper(program: string): boolean {
	return Object.hasOwn(wrappers, program);
}

export function isShell(program: string): boolean {
	return shells.has(program);
}

/** What a command would run: words of a command, or a text that is a script of its own. */
export function hidden(words: readonly string[]): (string[] | string)[] {
	const program = (words[0] ?? "").split("/").at(-1)?.toLowerCase() ?? "";
	const found: (string[] | string)[] = [];
	if (program === "command" && /^-[vV]$/.test(words[1] ?? "")) return [];
	if (program === "eval") found.push(words.slice(1).join(" "));
	if (program === "trap") found.push(words[1] ?? "");
	if (program === "find" || program === "fd" || program === "fdfind") found.push(...runByFlags(words));
	const wrapper = Object.hasOwn(wrappers, program) ? wrappers[program] : undefined;
	if (wrapper || shells.has(program)) found.push(...scripts(words));
	if (wrapper) {
		const inner = behind(words, wrapper);
		found.push(inner, ...(inner.some((word) => word.includes(" ")) ? [inner.join(" ")] : []));
	}
	if (program === "npm" && (words[1] === "exec" || words[1] === "x")) found.push(words.slice(2).filter((word) => !word.startsWith("-")));
	return found.filter((inner) => inner.length > 0);
}

function scripts(words: readonly string[]): string[] {
	return words.flatMap((word, index) => {
		if (scriptFlags.test(word)) return [words.slice(index + 1).join(" "), ...words.slice(index + 1, index + 4)];
		const attached = /^(?:--split-string=|--command=|--call=|-S|-c)(.+)$/s.exec(word);
		return attached ? [attached[1] as string] : [];
	});
}

function runByFlags(words: readonly string[]): string[][] {
	return words.flatMap((word, index) => {
		if (!runners.has(word)) return [];
		const rest = words.slice(index + 1);
		const end = rest.findIndex((inner) => inner === ";" || inner === "+");
		return [end < 0 ? rest : rest.slice(0, end)];
	});
}

function behind(words: readonly string[], { values = "", longValues = [], before = 0, assigns = false }: Wrapper): string[] {
	let index = 1;
	let skipped = 0;
	for (; index < words.length; index++) {
		const word = words[index] as string;
		if (word === "--") continue;
		if (word.startsWith("--")) index += longValues.includes(word) ? 1 : 0;
		else if (word.startsWith("-") && word.length > 1) index += values.includes(word.at(-1) as string) && isLastLetter(word, values) ? 1 : 0;
		else if (assigns && /^\w+=/.test(word)) continue;
		else if (skipped++ < before) continue;
		else break;
	}
	return words.slice(index);
}

/** In `-u5` the value is attached; in `-iu 5` it follows. */
function isLastLetter(word: string, values: string): boolean {
	return [...word.slice(1)].findIndex((letter) => values.includes(letter)) === word.length - 2;
}

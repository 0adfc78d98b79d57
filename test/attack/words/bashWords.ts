// Runs lines in bash with every program and builtin replaced by a recorder of its arguments.

// Runs inside the jail.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface BashRun {
	/** Where the lines start. */
	folder: string;
	/** Where our own files are. */
	scratch: string;
	home: string;
	/** Exit code of every program but `cd`, which goes where it can. */
	status: 0 | 1;
	/** Each line in a bash of its own, as the product starts it; otherwise in a subshell. */
	apart?: boolean;
}

/** Command lines that ran for each of the lines, in order. */
export function ranInBash(lines: readonly string[], { folder, scratch, home, status, apart }: BashRun): string[][][] {
	mkdirSync(scratch, { recursive: true });
	const [input, output, recorders] = ["lines", "words", "recorders"].map((name) => join(scratch, name)) as [string, string, string];
	writeFileSync(input, lines.map((line) => `${line}\0`).join(""));
	writeFileSync(output, "");
	writeFileSync(recorders, recorderScript());
	const env = { PATH: "/nowhere", HOME: home, LANG: "C.UTF-8", BASH_ENV: recorders, RECORDED_STATUS: String(status), STARTED_IN: folder };
	const script = apart ? APART : TOGETHER;
	const words = ["--noprofile", "--norc", "-c", script, "bash", input, output, bash()];
	const { error, status: code } = spawnSync(bash(), words, { cwd: folder, env, stdio: ["ignore", "ignore", "ignore"] });
	if (error || code !== 0) throw new Error(`The driver in bash ended with ${error?.message ?? code}.`);
	const found = parse(readFileSync(output), lines.length);
	rmSync(scratch, { recursive: true, force: true });
	return found;
}

let path: string | undefined;
function bash(): string {
	path ??= execFileSync("/bin/sh", ["-c", "command -v bash"], { encoding: "utf8" }).trim();
	return path;
}

/** A line by itself must write nothing: programs would, and none is there. */
const LOOK =
	'after=("$STARTED_IN"/* "$STARTED_IN"/.[!.]* "$STARTED_IN"/*/*); [[ "${after[*]}" == "$before" ]] || builtin printf "%s\\0" W "$n" >&9; before="${after[*]}"';

/** Reads a line, notes its number, runs it with nothing on its input. */
const TOGETHER = `
n=0
before=("$STARTED_IN"/* "$STARTED_IN"/.[!.]* "$STARTED_IN"/*/*)
before="\${before[*]}"
while IFS= builtin read -r -d '' -u 8 line; do
	builtin printf '%s\\0' L "$n" >&9
	n=$((n + 1))
	( builtin cd "$STARTED_IN"; builtin unset n before BASH_ENV; builtin set --; builtin eval -- "$line" ) </dev/null >/dev/null 2>&1 8<&-
	${LOOK}
done 9>>"$2" 8<"$1"
builtin :
`;
const APART = `
n=0
before=("$STARTED_IN"/* "$STARTED_IN"/.[!.]* "$STARTED_IN"/*/*)
before="\${before[*]}"
while IFS= builtin read -r -d '' -u 8 line; do
	builtin printf '%s\\0' L "$n" >&9
	n=$((n + 1))
	( builtin cd "$STARTED_IN"; "$3" --noprofile --norc -c "$line" ) </dev/null >/dev/null 2>&1 8<&-
	${LOOK}
done 9>>"$2" 8<"$1"
builtin :
`;

/**
 * Functions in place of builtins, and the handler for programs that are not found: there are none. Each first reads its
 * input to the end, so that the words of a pipeline are noted from left to right.
 */
function recorderScript(): string {
	const builtins = execFileSync(bash(), ["-c", "compgen -b"], { encoding: "utf8" })
		.split("\n")
		.filter((name) => name !== "" && !["builtin", "cd"].includes(name));
	return [
		"__note() {",
		"\tlocal __; while IFS= builtin read -r -d '' -n 4096 __; do builtin :; done",
		'\tbuiltin printf \'%s\\0\' C "$#" "$@" >&9',
		'\tbuiltin return "$RECORDED_STATUS"',
		"}",
		'command_not_found_handle() { __note "$@"; }',
		'cd() { __note cd "$@"; builtin cd "$@"; }',
		...builtins.map((name) => `function ${name} { __note ${name === "!" ? "'!'" : `'${name}'`} "$@"; }`),
		...["/bin/ls", "./evil.sh"].map((name) => `function ${name} { __note ${name} "$@"; }`),
	]
		.join("\n")
		.replace("\tlocal __;", "\tbuiltin local __;");
}

function parse(bytes: Buffer, count: number): string[][][] {
	const found: string[][][] = Array.from({ length: count }, () => []);
	const tokens = bytes.toString("utf8").split("\0");
	let line: string[][] | undefined;
	for (let at = 0; at < tokens.length - 1; ) {
		const [kind, number] = [tokens[at], Number(tokens[at + 1])];
		at += 2;
		if (kind === "L") line = found[number];
		else if (kind === "W") line?.push(["(a file has changed)"]);
		else {
			line?.push(tokens.slice(at, at + number));
			at += number;
		}
	}
	return found;
}

// Probes the flags of installed programs through `--help` and by trying them.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import type { FlagSpec } from "../../../src/gate/programs/flags.ts";

export interface Flag {
	name: string;
	kind: "alone" | "takes" | "optional";
}

/** Every flag of a table with what it takes. */
export function flagsOf(table: FlagSpec): Flag[] {
	const of = (names: string | undefined, kind: Flag["kind"]) =>
		(names ?? "").split(" ").flatMap((name) => (name === "" ? [] : [{ name, kind }]));
	return [
		...of(table.alone, "alone"),
		...of(table.text, "takes"),
		...of(table.pattern, "takes"),
		...of(table.reads, "takes"),
		...of(table.detached, "takes"),
		...of(table.optional, "optional"),
	];
}

/** Runs each line of words from `$1` with nothing on its input, which for `tail -f` is a pipe that ends. */
const RUNS_LINES =
	'cd "$2" && while IFS=" " read -r -a words; do if [[ ${words[0]} = */tail ]]; then : | "${words[@]}"; else "${words[@]}" </dev/null; fi 2>&1; ' +
	'printf "\\036\\036"; done < "$1"';

/** What each command line of plain words says, both outputs together; the first word is a path. */
export async function said(folder: string, lines: readonly string[]): Promise<string[]> {
	const list = join(folder, "..", `${basename(folder)}.lines`);
	await writeFile(list, lines.map((line) => `${line}\n`).join(""));
	const empty = await mkdtemp(join(folder, "empty-"));
	const options = { maxBuffer: 64_000_000, timeout: 120_000, env: { PATH: process.env["PATH"], LC_ALL: "C" } };
	const { stdout } = await promisify(execFile)("bash", ["-c", RUNS_LINES, "bash", list, empty], options);
	await rm(list);
	return stdout.split("\x1e\x1e").slice(0, -1);
}

const REFUSED = /(?:invalid|unrecognized|unknown|illegal) (?:option|argument|directive)|unknown arguments|wasn't expected|bad usage/i;
const WANTS_VALUE =
	/requires an? (?:argument|value)|argument missing|missing argument|requires a value but none was supplied|lacks argument/i;
const TAKES_NONE = /doesn't allow an argument|does not take an argument|takes no argument|wasn't expected to have any/i;

/** Words without which a program complains of their absence first. */
const needed: Readonly<Record<string, string>> = { look: " x", rg: " x" };

export interface Installed {
	program: string;
	path: string;
}

/** What is wrong with flags: a program lacks one, or takes a value otherwise than the table says. */
export async function complaints(folder: string, flags: readonly (Installed & { flag: Flag })[]): Promise<string[]> {
	const line = ({ program, path, flag }: (typeof flags)[number]) => `${path}${needed[program] ?? ""} ${flag.name}`;
	const last = await said(folder, flags.map(line));
	const optional = flags.filter(mayAttach);
	const attached = await said(
		folder,
		optional.map((flag) => `${line(flag)}=never`),
	);
	return flags.flatMap((each, index) => {
		const { program } = each;
		const { name, kind } = each.flag;
		const alone = last[index] ?? "";
		if (REFUSED.test(alone)) return `${program} lacks ${name}`;
		const wants = WANTS_VALUE.test(alone) || (program === "xxd" && alone.startsWith("Usage"));
		if (kind === "takes" && !wants) return `${program} takes no value for ${name}`;
		if (kind !== "takes" && WANTS_VALUE.test(alone)) return `${program} wants a value for ${name}`;
		return mayAttach(each) && TAKES_NONE.test(attached[optional.indexOf(each)] ?? "") ? `${program} takes no value for ${name}` : [];
	});
}

function mayAttach({ flag: { name, kind } }: { flag: Flag }): boolean {
	return kind === "optional" && name.startsWith("--");
}

/** Flags that begin a line of each program's `--help`. */
export async function documented(folder: string, programs: readonly Installed[]): Promise<string[][]> {
	const texts = await said(
		folder,
		programs.map(({ path }) => `${path} --help`),
	);
	return texts.map((text) => {
		const heads = text.split("\n").flatMap((line) => /^\s{1,10}(-\S.*?)(?:\s{2,}|\t|$)/.exec(line)?.[1] ?? []);
		return [...new Set(heads.flatMap((head) => head.match(/(?<![\w[-])--?[A-Za-z0-9][\w-]*/g) ?? []))];
	});
}

// Unwraps programs that run another command unchanged, such as `timeout`, to find the command that runs.
import type { ProgramFlavor } from "../../core/ports/workspace/programs.ts";
import type { Invocation } from "./assessment.ts";
import { type FlagSpec, parseFlags } from "./flags.ts";

/** The command that runs, which may be a wrapper itself. */
export interface UnwrappedCommand {
	words: readonly string[];
	/** Indices of words that only the shell can resolve. */
	unknown: ReadonlySet<number>;
	/** Set if the name determines it (`gsed`, `busybox sed`); otherwise that of the program on disk. */
	flavor?: ProgramFlavor;
	/** More arguments come from the input (`xargs`): only programs with `anyWords` may run without approval. */
	open?: true;
	/** Shell builtins are possible, too (`command`, `time`); otherwise only programs on disk. */
	builtins?: true;
}

type Unwrap = (call: Invocation) => UnwrappedCommand | undefined;

/** Returns undefined for a program that runs no other command, and for an unknown use of a wrapper. */
export function unwrapCommand(call: Invocation): UnwrappedCommand | undefined {
	const [program = ""] = call.words;
	if (Object.hasOwn(wrappers, program)) return wrappers[program]?.(call);
	const plain = program.slice(1);
	return program.startsWith("g") && gnuPrefixed.has(plain)
		? { ...commandFrom(call, 0), words: [plain, ...call.words.slice(1)], flavor: "gnu" }
		: undefined;
}

/** Returns true if a program runs another command, even if `unwrapCommand` cannot determine which. */
export function isCommandWrapper(program: string): boolean {
	return Object.hasOwn(wrappers, program);
}

/** Variables that only change a program's output, with values that cannot mean anything else. */
export function isHarmlessAssignment(word: string): boolean {
	return /^(?:CI|NODE_ENV|FORCE_COLOR|NO_COLOR|TZ|RUST_BACKTRACE)=[A-Za-z0-9._/+-]*$/.test(word);
}

/** GNU tools that other systems install with a `g` prefix. */
const gnuPrefixed: ReadonlySet<string> = new Set(
	(
		"b2sum base32 base64 basename cat chgrp chmod chown cksum comm cp cut date dd df dirname du echo egrep env expand expr factor false " +
		"fgrep find fmt fold grep groups head hostname id install join link ln logname ls md5sum mkdir mv nice nl nproc numfmt od paste " +
		"pathchk pr printenv printf pwd readlink realpath rm rmdir sed seq sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep " +
		"sort stat sum tac tail tee test timeout touch tr true truncate tsort tty uname unexpand uniq unlink uptime users wc who whoami xargs"
	).split(" "),
);

const DURATION = /^\d+(?:\.\d+)?[smhd]?$/;

/** The command that starts at an index of the words. */
function commandFrom({ words, unknown }: Invocation, from: number): UnwrappedCommand {
	return { words: words.slice(from), unknown: new Set([...unknown].filter((place) => place >= from).map((place) => place - from)) };
}

/** The command after known flags, and after further operands that must match. */
const commandAfterFlags =
	(flags: FlagSpec, before: readonly RegExp[] = []): Unwrap =>
	(call) => {
		const { unknown, operands, places } = parseFlags(call.words, { ...flags, stops: true });
		const from = places[before.length];
		if (unknown !== undefined || from === undefined || [...call.unknown].some((place) => place <= from)) return undefined;
		return before.every((fits, index) => fits.test(operands[index] ?? "")) ? commandFrom(call, from) : undefined;
	};

const env: Unwrap = (call) => {
	const from = call.words.findIndex((word, index) => index > 0 && !isHarmlessAssignment(word));
	const isPlain = from > 0 && !call.words[from]?.startsWith("-") && !call.words[from]?.includes("=");
	return isPlain && ![...call.unknown].some((place) => place <= from) ? commandFrom(call, from) : undefined;
};

/** `time` and `command` are part of the shell, so they run builtins, too. */
const inShell =
	(flags: FlagSpec): Unwrap =>
	(call) => {
		const found = commandAfterFlags(flags)(call);
		return found && { ...found, builtins: true };
	};

/** A word that starts with a percent sign would stand for a job. */
const jobs: Unwrap = (call) => {
	const [, flag, program] = call.words;
	const isPlain = flag === "-x" && program !== undefined && call.unknown.size === 0 && !call.words.some((word) => word.startsWith("%"));
	return isPlain ? { ...commandFrom(call, 2), builtins: true } : undefined;
};

/** Its own applets only. It is unknown whether an applet that wraps commands runs another applet or a program. */
const busybox: Unwrap = (call) => {
	const [, applet = ""] = call.words;
	const isPlain = /^[a-z0-9[]+$/.test(applet) && !Object.hasOwn(wrappers, applet) && !call.unknown.has(1);
	return isPlain ? { ...commandFrom(call, 1), flavor: "busybox" } : undefined;
};

/** Exported for the check against the installed programs. */
export const commandWrapperFlags = {
	nice: { text: "-n --adjustment", numeric: true },
	nohup: {},
	stdbuf: { text: "-e -i -o --error --input --output" },
	timeout: { alone: "-v --foreground --preserve-status --verbose", text: "-k -s --kill-after --signal" },
	xargs: {
		alone: "-0 -r -t -x --exit --no-run-if-empty --null --verbose",
		text: "-d -E -I -L -n -P -s --delimiter --max-args --max-chars --max-procs",
	},
} satisfies Record<string, FlagSpec>;

/** These flags override `-I`. */
const COUNTS = "-L -n --max-args".split(" ");

const xargs: Unwrap = (call) => {
	const read = parseFlags(call.words, { ...commandWrapperFlags.xargs, stops: true });
	if (read.unknown !== undefined || call.unknown.size > 0) return undefined;
	if (read.operands.length === 0) return { words: ["echo"], unknown: new Set(), open: true };
	const words = read.operands;
	const replaced = read.values.findLast(({ flag }) => flag === "-I")?.value;
	if (replaced === undefined) return { words, unknown: new Set(), open: true };
	const unknown = new Set(words.flatMap((word, index) => (word.includes(replaced) ? [index] : [])));
	if (replaced === "" || unknown.has(0)) return undefined;
	// The last of these flags wins; without `-I`, arguments are appended.
	return { words, unknown, ...(COUNTS.some((flag) => read.flags.has(flag)) && { open: true }) };
};

const wrappers: Readonly<Record<string, Unwrap>> = {
	busybox,
	command: inShell({}),
	env,
	jobs,
	nice: commandAfterFlags(commandWrapperFlags.nice),
	/** Our commands have no terminal, so it creates no output file. */
	nohup: commandAfterFlags(commandWrapperFlags.nohup),
	stdbuf: commandAfterFlags(commandWrapperFlags.stdbuf),
	time: inShell({ alone: "-p" }),
	timeout: commandAfterFlags(commandWrapperFlags.timeout, [DURATION]),
	xargs,
};

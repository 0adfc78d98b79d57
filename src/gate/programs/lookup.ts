// Judges a command by its words alone, as the tables have them.
import type { ProgramFlavor } from "../../core/ports/workspace.ts";
import { t } from "../../shared/l10n.ts";
import type { Assessment, Invocation } from "./judgement.ts";
import { builtins, programAssessors } from "./tables.ts";
import { assessVersionFlag } from "./versions.ts";

/** Undefined where no table knows the program. `inShell`: builtins of the shell stand before programs of their name. */
export function assessKnownProgram(call: Invocation, inShell = true): Assessment | undefined {
	const name = call.words[0] ?? "";
	if (inShell && Object.hasOwn(builtins, name)) return builtins[name]?.(call);
	return assessVersionFlag(call) ?? (Object.hasOwn(programAssessors, name) ? programAssessors[name]?.(call) : undefined);
}

/** Asks every time, and may be approved for exactly this line. */
export function assessUnknownProgram({ words }: Pick<Invocation, "words">): Assessment {
	const [name = "", ...rest] = words;
	return {
		asks: t("{0} is not a program whose effects are known", name),
		line: true,
		operands: rest.map((word) => ({ word, use: "create" })),
	};
}

/** Programs with a table that run others: which of their words lead to that, any where none is named. */
const runsOthers: Readonly<Record<string, RegExp | undefined>> = {
	...Object.fromEntries(
		"bash sh dash zsh ksh npx bunx pnpm yarn find fd fdfind bundle command builtin eval exec trap jobs coproc time env xargs timeout nice nohup stdbuf busybox toybox"
			.split(" ")
			.map((name) => [name, /^/]),
	),
	// Code in the line: it may start whatever it names.
	...Object.fromEntries(
		"python python3 pypy pypy3 perl ruby node nodejs php lua".split(" ").map((name) => [name, /^(?:-[a-zA-Z]*[ceEpr]|--eval|--print)/]),
	),
	npm: /^(exec|x)$/,
	bun: /^(exec|x)$/,
	git: /^(bisect|difftool|filter-branch|foreach|mergetool|rebase)$/,
};

/** Whether any of the words may be a program that runs: what no table knows may run whatever it is given. */
export function mayRunOtherProgram([program = "", ...words]: readonly string[]): boolean {
	const leads = Object.hasOwn(runsOthers, program) ? runsOthers[program] : undefined;
	if (leads) return words.some((word) => leads.test(word));
	return !Object.hasOwn(programAssessors, program) && !Object.hasOwn(builtins, program);
}

export function defaultFlavor(): ProgramFlavor {
	return process.platform === "darwin" ? "bsd" : "gnu";
}

// Assesses a command by its words, using the tables of this folder and those handed in.
import type { ProgramFlavor, ResolvedProgram } from "../../core/ports/workspace/programs.ts";
import { t } from "../../shared/l10n.ts";
import { readOnlyAssessors } from "./assessByTable.ts";
import type { Assessment, Assessor, AssessorTable, Invocation } from "./assessment.ts";
import { builtins } from "./builtins.ts";
import { writingPrograms } from "./movers.ts";
import { awkPrograms } from "./readers/awk.ts";
import { bytePrograms, comparePrograms, gzipPrograms } from "./readers/bytes.ts";
import { contentPrograms } from "./readers/content.ts";
import { jq, yq } from "./readers/jq.ts";
import { listingPrograms, ps, testPrograms } from "./readers/listing.ts";
import { find, searchPrograms } from "./readers/search.ts";
import { sedPrograms } from "./readers/sed.ts";
import { utilityPrograms } from "./readers/utilities.ts";
import { buildTools, wrapperScripts } from "./runners/buildTools.ts";
import { interpreters } from "./runners/interpreters.ts";
import { packageManagers } from "./runners/packageManagers.ts";
import { projectTools } from "./runners/projectTools.ts";

/** Exported for the check against `--help`. */
export const readOnlyProgramTables = {
	...bytePrograms,
	...comparePrograms,
	...gzipPrograms,
	...contentPrograms,
	...listingPrograms,
	...utilityPrograms,
	...awkPrograms,
	...searchPrograms,
	...sedPrograms,
};

export const readOnlyPrograms: AssessorTable = { ...readOnlyAssessors(readOnlyProgramTables), ...testPrograms, find, jq, ps, yq };

const runners: AssessorTable = { ...projectTools, ...buildTools, ...interpreters, ...packageManagers };

interface ProgramLookup {
	/** Undefined if no table knows the program. `inShell`: shell builtins take precedence over programs. */
	assessKnownProgram(call: Invocation, inShell?: boolean): Assessment | undefined;
	/** Returns true if a word may be a program that runs. An unknown program may run any of its arguments. */
	mayRunOtherProgram(words: readonly string[]): boolean;
}

/** `others`: programs that another folder assesses. */
export function createProgramLookup(others: AssessorTable): ProgramLookup {
	const assessors: AssessorTable = { ...readOnlyPrograms, ...writingPrograms, ...runners, ...others };
	return {
		assessKnownProgram(call, inShell = true) {
			const name = call.words[0] ?? "";
			if (inShell && Object.hasOwn(builtins, name)) return builtins[name]?.(call);
			return assessVersionFlag(call) ?? (Object.hasOwn(assessors, name) ? assessors[name]?.(call) : undefined);
		},
		mayRunOtherProgram([program = "", ...words]) {
			const runsOther = Object.hasOwn(runsOthers, program) ? runsOthers[program] : undefined;
			if (runsOther) return words.some((word) => runsOther.test(word));
			return !Object.hasOwn(assessors, program) && !Object.hasOwn(builtins, program);
		},
	};
}

/** Requires approval every time; an approval can cover exactly this line. */
export function assessUnknownProgram({ words }: Pick<Invocation, "words">): Assessment {
	const [name = "", ...rest] = words;
	return {
		asks: t("Troupe doesn't recognize the program {0}.", name),
		line: true,
		operands: rest.map((word) => ({ word, use: "create" })),
	};
}

/** Known programs that run others, with the words that make them do so; every word if the pattern matches everything. */
const runsOthers: Readonly<Record<string, RegExp | undefined>> = {
	...Object.fromEntries(
		"bash sh dash zsh ksh npx bunx pnpm yarn find fd fdfind bundle command builtin eval exec trap jobs coproc time env xargs timeout nice nohup stdbuf busybox toybox"
			.split(" ")
			.map((name) => [name, /^/]),
	),
	// Code in the command line may start any program.
	...Object.fromEntries(
		"python python3 pypy pypy3 perl ruby node nodejs php lua".split(" ").map((name) => [name, /^(?:-[a-zA-Z]*[ceEpr]|--eval|--print)/]),
	),
	npm: /^(exec|x)$/,
	bun: /^(exec|x)$/,
	git: /^(bisect|difftool|filter-branch|foreach|mergetool|rebase)$/,
};

export function defaultFlavor(): ProgramFlavor {
	return process.platform === "darwin" ? "bsd" : "gnu";
}

/**
 * Programs that print their version before reading any file but their own. Excluded, and thus only allowed in the read sandbox:
 * programs that often stand for another one chosen by the repository (cargo and rustc of rustup, Go toolchains, Java launchers, yarn
 * and pnpm of corepack), programs that load configuration or plugins first (npm, eslint, php, gdb, bun), and programs that may check
 * for updates on the network (gh, deno, docker). A version manager's shim is never included: see `isShim`.
 */
const versionFlags: Readonly<Record<string, string>> = {
	"--version":
		"awk bash cc clang clang++ cmake cpp curl file find g++ gawk gcc gfortran git gmake grep gzip jq ld less make ninja nm node nodejs " +
		"objdump openssl perl psql python python3 readelf rg rsync ruby sed shellcheck strings tar tree unzip wget xz zip zsh zstd",
	"-v": "node nodejs perl ruby",
	"-V": "curl gawk grep perl python python3 rg wget zstd",
};

/** Other version flags, allowed only in the read sandbox. */
const sandboxedVersionFlags: Readonly<Record<string, string>> = {
	"-v": "bun composer gradle mvn npm php pnpm tsc yarn",
	"-V": "cargo deno pytest rustc ruff uv",
	"-version": "java javac",
	version: "deno go terraform",
};

const list = (table: Readonly<Record<string, string>>) =>
	new Map(Object.entries(table).map(([flag, names]) => [flag, new Set(names.split(" "))] as const));
const [unsandboxed, sandboxed] = [list(versionFlags), list(sandboxedVersionFlags)];

/** Returns undefined unless the whole command only asks for a version. */
export function assessVersionFlag({ words, unknown }: Invocation): Assessment | undefined {
	const [program = "", flag = ""] = words;
	if (words.length !== 2 || unknown.size > 0 || !/^[\w.+-]+$/.test(program) || mayRunArgument(program)) return undefined;
	const assessment = { reads: true, class: `${program} --version`, operands: [] } as const;
	if (unsandboxed.get(flag)?.has(program)) return assessment;
	return flag === "--version" || sandboxed.get(flag)?.has(program) ? { ...assessment, sandboxed: true } : undefined;
}

/** Programs that may take `--version` for a command to run. */
function mayRunArgument(program: string): boolean {
	return Object.hasOwn(builtins, program) || /^(?:time|coproc|nohup|setsid|sudo|doas|exec|xargs|env|busybox|toybox)$/.test(program);
}

/** Shim folders of asdf, pyenv, rbenv, nodenv, jenv, goenv, mise, and proto; Volta's shims are next to its own program. */
const SHIM_FOLDERS = /[/\\](?:shims|\.volta[/\\]bin|Volta[/\\]bin)[/\\]/;

/** Targets of links where one program stands for many. */
const VERSION_MANAGERS =
	/^(?:rustup(?:-init)?|volta(?:-shim)?|mise|rtx|asdf|proto(?:-shim)?|pyenv|rbenv|nodenv|jenv|goenv|tfenv|fvm|corepack|devbox|hermit)(?:\.exe)?$/;

/** Such a program reads files like `.tool-versions` and `rust-toolchain.toml`, which may name a program in the repository. */
export function isShim({ path, real }: Pick<ResolvedProgram, "path" | "real">): boolean {
	return [path, real].some((file) => SHIM_FOLDERS.test(file)) || VERSION_MANAGERS.test(real.split(/[/\\]/).at(-1) ?? "");
}

export { builtins };

/** Wrapper scripts that projects contain, by file name. */
export const wrapperScriptsByName: Readonly<Record<string, Assessor | undefined>> = wrapperScripts;

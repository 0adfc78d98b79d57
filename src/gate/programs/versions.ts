// Asks a program for its version: `gcc --version`. It goes before every table.
import { builtins } from "./builtins.ts";
import type { Assessment, Invocation } from "./judgement.ts";

/**
 * Programs that print their version before they look at any file but their own. Left out, and so only for the read sandbox:
 * what often stands for another program that the repository chooses (cargo and rustc of rustup, Go's toolchains, Java
 * launchers, corepack's yarn and pnpm), what loads configuration or plugins first (npm, eslint, php, gdb, bun), and what
 * may look for news on the network (gh, deno, docker). A version manager's shim is never one of these: see shims.ts.
 */
const fixed: Readonly<Record<string, string>> = {
	"--version":
		"awk bash cc clang clang++ cmake cpp curl file find g++ gawk gcc gfortran git gmake grep gzip jq ld less make ninja nm node nodejs " +
		"objdump openssl perl psql python python3 readelf rg rsync ruby sed shellcheck strings tar tree unzip wget xz zip zsh zstd",
	"-v": "node nodejs perl ruby",
	"-V": "curl gawk grep perl python python3 rg wget zstd",
};

/** Other words that ask other programs for nothing but a version. */
const kept: Readonly<Record<string, string>> = {
	"-v": "bun composer gradle mvn npm php pnpm tsc yarn",
	"-V": "cargo deno pytest rustc ruff uv",
	"-version": "java javac",
	version: "deno go terraform",
};

const list = (table: Readonly<Record<string, string>>) =>
	new Map(Object.entries(table).map(([flag, names]) => [flag, new Set(names.split(" "))] as const));
const [plainly, sandboxed] = [list(fixed), list(kept)];

/** Undefined unless the whole command asks for nothing but a version. */
export function assessVersionFlag({ words, unknown }: Invocation): Assessment | undefined {
	const [program = "", flag = ""] = words;
	if (words.length !== 2 || unknown.size > 0 || !/^[\w.+-]+$/.test(program) || runsWords(program)) return undefined;
	const judgement = { reads: true, class: `${program} --version`, operands: [] } as const;
	if (plainly.get(flag)?.has(program)) return judgement;
	return flag === "--version" || sandboxed.get(flag)?.has(program) ? { ...judgement, sandboxed: true } : undefined;
}

/** Of these `--version` may be taken for a command of its own. */
function runsWords(program: string): boolean {
	return Object.hasOwn(builtins, program) || /^(?:time|coproc|nohup|setsid|sudo|doas|exec|xargs|env|busybox|toybox)$/.test(program);
}

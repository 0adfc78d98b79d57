// Finds and runs the machine's programs: looked up outside the workspace, with a clean PATH and hardened git.
import { homedir, tmpdir } from "node:os";
import { delimiter } from "node:path";
import { ToolError } from "../../core/ports/tool.ts";
import type { MissingShellReason } from "../../core/ports/workspace/commands.ts";
import type { WorkspaceFolder } from "../../core/ports/workspace/files.ts";
import type { HostPrograms, ProgramLimits, ProgramOutput, ResolvedProgram } from "../../core/ports/workspace/programs.ts";
import { createChildEnvironment, type EnvironmentKind, findUtf8Locale, withCodePointCollation, withUtf8Locale } from "./environment.ts";
import { canBeHardened, findTrackedInHome, listFilterOverrides, readsWorkTree, withoutTextConversion } from "./gitFilters.ts";
import { hardenedGitEnvironment } from "./hardenedGit.ts";
import { type CleanPath, cleanPath, lookUpOutsideWorkspace, lookUpProgram, resolveWorkspaceBounds } from "./lookup.ts";
import { findShell, type ShellLookup, systemShellEnvironment } from "./shell.ts";
import { captureOutput } from "./startProgram.ts";

export interface Programs extends HostPrograms {
	/** All environment variables of a child process; `own` are for this process only, and a PATH among them is cleaned too. */
	environment(kind: EnvironmentKind, own?: Readonly<Record<string, string>>): Promise<Record<string, string>>;
	/** Absolute path of the first such program on the given or the default PATH that the workspace does not control. */
	findOutsideWorkspace(name: string, path?: string): Promise<string | undefined>;
	/**
	 * Works like `git`, but for our own queries, which may take longer; returns the output if git exits with 0. `timeFactor`: how many times
	 * as long as other queries this one may take.
	 */
	gitOutput(folder: string, words: readonly string[], timeFactor?: number): Promise<Buffer | undefined>;
	/** Absolute path of ripgrep. */
	ripgrepPath(): Promise<string | undefined>;
	/** Absolute path of the bash that runs commands; throws ToolError if there is none. */
	bashPath(): Promise<string>;
}

export interface ProgramsOptions {
	folders(): readonly WorkspaceFolder[];
	/** Names of additional variables for child processes. */
	extraVariables(): readonly string[];
	/** Path of ripgrep; `find` searches the clean PATH. */
	findRipgrep(find: (name: string) => Promise<string | undefined>): Promise<string | undefined>;
	/** The setting `troupe.shell`. */
	shellSetting?(): string;
	/** Called when bash is needed but missing. */
	onShellMissing?(why: MissingShellReason): void;
	log?(line: string): void;
	/** Time limit in milliseconds for our own git queries; 10,000 if absent. */
	gitTimeout?: number;
}

export function createPrograms(options: ProgramsOptions): Programs {
	const now = cacheByPath(options);
	/** Support for hardening of each git, by its path. */
	const versions = new Map<string, Promise<boolean>>();
	/** Time at which git last timed out, by folder. */
	const silent = new Map<string, number>();
	let locale: Promise<string> | undefined;

	/** For `kind` "approved", appends the workspace's own entries. */
	async function pathOf(kind: EnvironmentKind, path: string): Promise<string> {
		const { entries, workspaceEntries: workspace } = await now().clean(path);
		return [...entries, ...(kind === "approved" ? workspace : [])].join(delimiter) || NOWHERE;
	}

	async function environment(kind: EnvironmentKind, own: Readonly<Record<string, string>> = {}): Promise<Record<string, string>> {
		const all = createChildEnvironment(kind, options.extraVariables(), own);
		const localized = await withUtf8Locale(all, () => (locale ??= findUtf8Locale()));
		return { ...(kind === "reading" ? withCodePointCollation(localized) : localized), PATH: await pathOf(kind, all["PATH"] ?? "") };
	}

	const outside = (name: string, path = ourPath()): Promise<string | undefined> => now().outside(name, path);

	/** Returns undefined if there is no git that can be hardened. */
	async function gitFile(): Promise<string | undefined> {
		const file = await outside("git");
		if (file === undefined) return undefined;
		const hardened = versions.get(file) ?? versionOf(file);
		versions.set(file, hardened);
		return (await hardened) ? file : undefined;
	}

	async function versionOf(file: string): Promise<boolean> {
		const launch = { file, args: ["--version"], cwd: tmpdir(), env: await environment("own") };
		const result = await captureOutput(launch, { time: 10_000 });
		if (!result) versions.delete(file);
		const version = result ? Buffer.from(result.output).toString().trim() : "no answer";
		const fine = canBeHardened(version);
		if (!fine) options.log?.(`${file} (${version}) is older than 2.39.4 and cannot be hardened: Troupe does without git`);
		return fine;
	}

	/** Runs nothing from the repository and writes nothing, not even the index. */
	async function runGit(folder: string, args: readonly string[], limits: ProgramLimits = {}): Promise<ProgramOutput | undefined> {
		const file = await gitFile();
		if (file === undefined) return undefined;
		const env = await environment("own");
		const until = performance.now() + (limits.time ?? TIME);
		const about = (args: readonly string[], config: readonly (readonly [string, string])[]) => {
			const time = Math.max(1, until - performance.now());
			return captureOutput(
				{ file, args: ["--no-pager", ...args], cwd: folder, env: { ...env, ...hardenedGitEnvironment(config) } },
				{ ...limits, time },
			);
		};
		const filters = readsWorkTree(args) ? await listFilterOverrides((question) => about(question, [])) : [];
		return filters && about(withoutTextConversion(args), filters);
	}

	async function ripgrepFile(): Promise<string | undefined> {
		return options.findRipgrep((name) => outside(name));
	}

	let shell: { of: string; found: Promise<ShellLookup>; at: number } | undefined;

	/** Does not cache a missing shell, because it may be installed meanwhile. */
	function shellNow(): Promise<ShellLookup> {
		const setting = options.shellSetting?.() ?? "";
		const of = JSON.stringify([setting, ourPath()]);
		if (shell?.of !== of || performance.now() - shell.at > FOUND_FOR) {
			const found = findShell({ ...systemShellEnvironment, setting, findOnPath: outside, findGitFolder: gitFolder });
			shell = { of, found, at: performance.now() };
			void found.then((one) => {
				if ("missing" in one && shell?.found === found) shell = undefined;
			});
		}
		return shell.found;
	}

	async function bash(): Promise<string> {
		const found = await shellNow();
		if ("file" in found) return found.file;
		options.onShellMissing?.(found.missing);
		throw new ToolError(`${WITHOUT_SHELL[found.missing]}, so commands cannot be run. Do it with the file tools or ask the person.`);
	}

	async function gitFolder(): Promise<string | undefined> {
		const result = await runGit(tmpdir(), ["--exec-path"], { time: OWN_TIME });
		return result?.code === 0 ? Buffer.from(result.output).toString().trim() : undefined;
	}

	return {
		environment,
		findOutsideWorkspace: outside,
		ripgrepPath: ripgrepFile,
		bashPath: bash,
		find: (name) => now().find(name),
		git: runGit,
		async ripgrep(folder, words, limits): Promise<ProgramOutput | undefined> {
			const file = await ripgrepFile();
			if (file === undefined) return undefined;
			return captureOutput({ file, args: ["--no-config", ...words], cwd: folder, env: await environment("own") }, limits);
		},
		async gitOutput(folder, words, timeFactor = 1) {
			// Where git times out (for example, because the index is a pipe), it is retried once a minute.
			if (performance.now() - (silent.get(folder) ?? -FOUND_FOR) < FOUND_FOR) return undefined;
			const [started, time] = [performance.now(), (options.gitTimeout ?? OWN_TIME) * timeFactor];
			const result = await runGit(folder, words, { time, bytes: OWN_BYTES });
			if (!result && performance.now() - started >= time) silent.set(folder, performance.now());
			return result?.code === 0 ? Buffer.from(result.output) : undefined;
		},
	};
}

const WITHOUT_SHELL: Record<MissingShellReason, string> = {
	setting: "The bash that the person has set (troupe.shell) cannot be used",
	none: "There is no bash on this machine",
};

/** An empty PATH would mean the current folder. */
const NOWHERE = "/nowhere";
/** Time limits of git in milliseconds, for the gate and for our own queries. */
const TIME = 300;
const OWN_TIME = 10_000;
const OWN_BYTES = 64 * 1024 * 1024;
/** Milliseconds that a found program is cached; another one may be installed before it on the PATH. */
const FOUND_FOR = 60_000;
const PATHS_KEPT = 16;

function ourPath(): string {
	return process.env["PATH"] ?? "";
}

interface Known {
	clean(path: string): Promise<CleanPath>;
	find(name: string): Promise<ResolvedProgram | undefined>;
	outside(name: string, path: string): Promise<string | undefined>;
}

/** Caches what is known of the PATH and its programs until the PATH or the workspace folders change. */
function cacheByPath({ folders }: ProgramsOptions): () => Known {
	let key: string | undefined;
	let known: Known | undefined;
	return () => {
		const places = folders().map(({ path }) => path);
		const current = JSON.stringify([ourPath(), homedir(), places]);
		if (!known || key !== current) [key, known] = [current, knownOf(places)];
		return known;
	};
}

function knownOf(folders: readonly string[]): Known {
	const home = homedir();
	const bounds = resolveWorkspaceBounds(folders, home);
	const paths = new Map<string, Promise<CleanPath>>();
	const clean = (path: string): Promise<CleanPath> => {
		const cached = paths.get(path);
		if (cached !== undefined) return cached;
		if (paths.size >= PATHS_KEPT) paths.clear();
		const cleaned = bounds.then((workspaceBounds) =>
			cleanPath(path, workspaceBounds, (entries) => findTrackedInHome(home, path, workspaceBounds, entries)),
		);
		paths.set(path, cleaned);
		return cleaned;
	};
	return {
		clean,
		find: cacheFound(async (name) => lookUpProgram(name, await clean(ourPath()), await bounds)),
		outside: cacheFound(async (name, path) => lookUpOutsideWorkspace(name, await clean(path), await bounds)),
	};
}

/** Caches only what is found. */
function cacheFound<Args extends string[], Found>(look: (...args: Args) => Promise<Found | undefined>) {
	const cache = new Map<string, { at: number; found: Found }>();
	return async (...args: Args): Promise<Found | undefined> => {
		const key = args.join("\0");
		const known = cache.get(key);
		if (known && Date.now() - known.at < FOUND_FOR) return known.found;
		cache.delete(key);
		const found = await look(...args);
		if (found !== undefined) cache.set(key, { at: Date.now(), found });
		return found;
	};
}

// The programs of this machine as we start them: found outside the workspace, with a clean PATH, git hardened.
import { homedir, tmpdir } from "node:os";
import { delimiter } from "node:path";
import { ToolError } from "../../core/ports/tool.ts";
import type {
	HostPrograms,
	MissingShellReason,
	ProgramLimits,
	ProgramOutput,
	ResolvedProgram,
	WorkspaceFolder,
} from "../../core/ports/workspace.ts";
import { createChildEnvironment, type EnvironmentKind, findUtf8Locale, withCodePointCollation, withUtf8Locale } from "./environment.ts";
import { canBeHardened, findTrackedInHome, listFilterOverrides, readsWorkTree, withoutTextConversion } from "./gitFilters.ts";
import { hardenedGitEnvironment } from "./hardenedGit.ts";
import { type CleanPath, cleanPath, lookUpOutsideWorkspace, lookUpProgram, resolveWorkspaceBounds } from "./lookup.ts";
import { findShell, type ShellLookup, systemShellEnvironment } from "./shell.ts";
import { captureOutput } from "./startProgram.ts";

export interface Programs extends HostPrograms {
	/** All variables of a program that is started: `own` are of this start alone; a PATH among them is cleaned, too. */
	environment(kind: EnvironmentKind, own?: Readonly<Record<string, string>>): Promise<Record<string, string>>;
	/** Absolute path of the first such program on the PATH, or on the one that is given, that is not the workspace's. */
	findOutsideWorkspace(name: string, path?: string): Promise<string | undefined>;
	/** As `git`, for questions of our own that may take their time: what it prints where it ends well. */
	gitOutput(folder: string, words: readonly string[]): Promise<Buffer | undefined>;
	/** Absolute path of ripgrep. */
	ripgrepPath(): Promise<string | undefined>;
	/** Absolute path of the bash that commands run in; a ToolError where there is none. */
	bashPath(): Promise<string>;
}

export interface ProgramsOptions {
	folders(): readonly WorkspaceFolder[];
	/** Names of further variables that children get. */
	extraVariables(): readonly string[];
	/** Path of ripgrep; `find` looks along the clean PATH. */
	findRipgrep(find: (name: string) => Promise<string | undefined>): Promise<string | undefined>;
	/** The setting `troupe.shell`. */
	shellSetting?(): string;
	/** Called when a bash is wanted and there is none. */
	onShellMissing?(why: MissingShellReason): void;
	log?(line: string): void;
	/** Milliseconds that git has for questions of our own; 10,000 when absent. */
	gitTimeout?: number;
}

export function createPrograms(options: ProgramsOptions): Programs {
	const now = remembered(options);
	/** By path: whether it can be hardened. */
	const versions = new Map<string, Promise<boolean>>();
	/** By folder: when git did not answer there in time. */
	const silent = new Map<string, number>();
	let locale: Promise<string> | undefined;

	/** `kind` "approved" has the workspace's own entries, too, after all others. */
	async function pathOf(kind: EnvironmentKind, path: string): Promise<string> {
		const { entries, workspaceEntries: workspace } = await now().clean(path);
		return [...entries, ...(kind === "approved" ? workspace : [])].join(delimiter) || NOWHERE;
	}

	async function environment(kind: EnvironmentKind, own: Readonly<Record<string, string>> = {}): Promise<Record<string, string>> {
		const all = createChildEnvironment(kind, options.extraVariables(), own);
		const spoken = await withUtf8Locale(all, () => (locale ??= findUtf8Locale()));
		return { ...(kind === "reading" ? withCodePointCollation(spoken) : spoken), PATH: await pathOf(kind, all["PATH"] ?? "") };
	}

	const outside = (name: string, path = ourPath()): Promise<string | undefined> => now().outside(name, path);

	/** Undefined where there is none that can be hardened. */
	async function gitFile(): Promise<string | undefined> {
		const file = await outside("git");
		if (file === undefined) return undefined;
		const hardened = versions.get(file) ?? versionOf(file);
		versions.set(file, hardened);
		return (await hardened) ? file : undefined;
	}

	async function versionOf(file: string): Promise<boolean> {
		const launch = { file, args: ["--version"], cwd: tmpdir(), env: await environment("own") };
		const said = await captureOutput(launch, { time: 10_000 });
		if (!said) versions.delete(file);
		const version = said ? Buffer.from(said.output).toString().trim() : "no answer";
		const fine = canBeHardened(version);
		if (!fine) options.log?.(`${file} (${version}) is older than 2.39.4 and cannot be hardened: Troupe does without git`);
		return fine;
	}

	/** Nothing of the repository's runs, and nothing is written, the index included. */
	async function asked(folder: string, words: readonly string[], limits: ProgramLimits = {}): Promise<ProgramOutput | undefined> {
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
		const filters = readsWorkTree(words) ? await listFilterOverrides((question) => about(question, [])) : [];
		return filters && about(withoutTextConversion(words), filters);
	}

	async function ripgrepFile(): Promise<string | undefined> {
		return options.findRipgrep((name) => outside(name));
	}

	let shell: { of: string; found: Promise<ShellLookup>; at: number } | undefined;

	/** One that is missing may be installed meanwhile, so that it is looked for again each time. */
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
		const said = await asked(tmpdir(), ["--exec-path"], { time: OWN_TIME });
		return said?.code === 0 ? Buffer.from(said.output).toString().trim() : undefined;
	}

	return {
		environment,
		findOutsideWorkspace: outside,
		ripgrepPath: ripgrepFile,
		bashPath: bash,
		find: (name) => now().find(name),
		git: asked,
		async ripgrep(folder, words, limits): Promise<ProgramOutput | undefined> {
			const file = await ripgrepFile();
			if (file === undefined) return undefined;
			return captureOutput({ file, args: ["--no-config", ...words], cwd: folder, env: await environment("own") }, limits);
		},
		async gitOutput(folder, words) {
			// A repository that keeps git waiting (an index that is a pipe) does so once a minute.
			if (performance.now() - (silent.get(folder) ?? -FOUND_FOR) < FOUND_FOR) return undefined;
			const [begun, time] = [performance.now(), options.gitTimeout ?? OWN_TIME];
			const said = await asked(folder, words, { time, bytes: OWN_BYTES });
			if (!said && performance.now() - begun >= time) silent.set(folder, performance.now());
			return said?.code === 0 ? Buffer.from(said.output) : undefined;
		},
	};
}

const WITHOUT_SHELL: Record<MissingShellReason, string> = {
	setting: "The bash that the person has set (troupe.shell) cannot be used",
	none: "There is no bash on this machine",
};

/** An empty PATH would be the current folder. */
const NOWHERE = "/nowhere";
/** Milliseconds that git has for the gate, and for questions of our own. */
const TIME = 300;
const OWN_TIME = 10_000;
const OWN_BYTES = 64 * 1024 * 1024;
/** Milliseconds a found program is remembered: one that was installed meanwhile may come before it. */
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

/** What is known of the PATH and its programs, until the PATH or the workspace's folders are others. */
function remembered({ folders }: ProgramsOptions): () => Known {
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
		const kept = paths.get(path);
		if (kept !== undefined) return kept;
		if (paths.size >= PATHS_KEPT) paths.clear();
		const cleaned = bounds.then((held) => cleanPath(path, held, (entries) => findTrackedInHome(home, path, held, entries)));
		paths.set(path, cleaned);
		return cleaned;
	};
	return {
		clean,
		find: forAWhile(async (name) => lookUpProgram(name, await clean(ourPath()), await bounds)),
		outside: forAWhile(async (name, path) => lookUpOutsideWorkspace(name, await clean(path), await bounds)),
	};
}

/** What is not found is looked for again. */
function forAWhile<Words extends string[], Found>(look: (...words: Words) => Promise<Found | undefined>) {
	const kept = new Map<string, { at: number; found: Found }>();
	return async (...words: Words): Promise<Found | undefined> => {
		const key = words.join("\0");
		const known = kept.get(key);
		if (known && Date.now() - known.at < FOUND_FOR) return known.found;
		kept.delete(key);
		const found = await look(...words);
		if (found !== undefined) kept.set(key, { at: Date.now(), found });
		return found;
	};
}

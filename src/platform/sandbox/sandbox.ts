// Keeps commands in below everything that was decided about their words: by bubblewrap on Linux, by Seatbelt on macOS.
import { homedir } from "node:os";
import { join } from "node:path";
import { ToolError } from "../../core/ports/tool.ts";
import type { SandboxRestrictions } from "../../core/ports/workspace.ts";
import { t } from "../../shared/l10n.ts";
import type { ProgramConfiner, SandboxLaunch } from "../programs/startProgram.ts";
import { createBackend, probeSandbox, type SandboxBackend } from "./backend.ts";
import {
	createCacheVariables,
	createReadOnlyPolicy,
	createWorkspaceWritePolicy,
	listWorkspaceCredentials,
	MAX_MASKED_PATHS,
	type SandboxContext,
} from "./createPolicy.ts";
import { isWithin, type SandboxPolicy } from "./policy.ts";
import { createProtectedPlaceScanner, findRedirectedPaths, listChangedPlaces, resolveRealPathSync } from "./protectedPlaces.ts";
import { createTrackedPathFinder, type GitQuery, listGitConfiguredPaths, openWritableRepository } from "./writableRepository.ts";

export interface Sandbox extends ProgramConfiner {
	/** Tried once, in the background of the first question. */
	isAvailable(): Promise<boolean>;
	/** Once it is known: a sentence for the person. */
	statusMessage(): string;
}

export interface SandboxOptions {
	/** Absolute paths of the workspace's folders. */
	folders(): readonly string[];
	/** Folders of our own storage: hidden. */
	hiddenFolders: readonly string[];
	/** What of it commands may read. */
	readableFolders: readonly string[];
	/** A folder of ours for caches that only commands in the sandbox write; made when it is needed. */
	cacheFolder: string;
	/** Caches of the person that can be written from inside, absolute or beginning with `~/`. */
	writableCaches(): readonly string[];
	/** Whether writing a path, relative to its workspace folder, asks whatever else is allowed. */
	isProtected(inside: string): boolean;
	/** A program outside the workspace. */
	find(name: string): Promise<string | undefined>;
	git: GitQuery;
	log(line: string): void;
	/** Of the person; where it is absent, the one that the system names. */
	home?: string;
	platform?: NodeJS.Platform;
	architecture?: string;
}

export function createSandbox(options: SandboxOptions): Sandbox {
	const home = options.home ?? homedir();
	const tracked = createTrackedPathFinder(options.git);
	const places = createProtectedPlaceScanner(options.isProtected);
	let why = t("The sandbox hasn't been checked yet.");
	let keeper: SandboxBackend | undefined;
	let tried: Promise<boolean> | undefined;
	/** Commands that work in the workspace now. */
	let working = 0;

	async function attempt(): Promise<boolean> {
		const { platform = process.platform, architecture: processor = process.arch, find } = options;
		const found = await createBackend({ platform, architecture: processor, find });
		if (typeof found === "string") {
			why = found;
			return false;
		}
		const trouble = await probeSandbox(async (start) => found.wrap(start, await viewOf(start, READING)), {
			home,
			bash: await options.find("bash"),
		});
		why = trouble ?? t("The sandbox is available.");
		if (trouble === undefined) keeper = found;
		return trouble === undefined;
	}

	function surroundings(start: SandboxLaunch): SandboxContext {
		const searchPath = start.env["PATH"] ?? "";
		const all = options.folders();
		// Looked at anew: the command before this one may have made the link.
		const led = new Set(findRedirectedPaths(all, all));
		return {
			homeFolder: home,
			folders: all.filter((folder) => !led.has(folder)),
			cwd: start.cwd,
			searchPath,
			hiddenFolders: options.hiddenFolders,
			readableFolders: options.readableFolders,
		};
	}

	async function viewOf(start: SandboxLaunch, { masked }: SandboxRestrictions): Promise<SandboxPolicy> {
		const here = surroundings(start);
		const hidden = masked.flatMap((path) => resolveRealPathSync(path) ?? []);
		if (hidden.length > MAX_MASKED_PATHS)
			options.log(`sandbox: ${hidden.length - MAX_MASKED_PATHS} protected files can be read, for there are too many`);
		return createReadOnlyPolicy(here, hidden, await tracked([...hidden, ...listWorkspaceCredentials(here)]));
	}

	async function keepWorking(
		start: SandboxLaunch,
		{ network, repository }: SandboxRestrictions,
		{ wrap: keep, raceFree: exact }: SandboxBackend,
	): Promise<SandboxLaunch> {
		const here = surroundings(start);
		const folders = here.folders.flatMap((folder) => resolveRealPathSync(folder) ?? []);
		const [before, named] = await Promise.all([places(folders), namedIn([...folders, start.cwd])]);
		// What runs beside it could put another folder in the place of a new repository's.
		const git = repository && (exact || working === 0) ? openWritableRepository(start.cwd) : undefined;
		if (before.unscannedFolders.length > 0) {
			options.log(
				`sandbox: too many files to look for protected places among them; ${before.unscannedFolders.length} folders stay read-only`,
			);
		}
		const agent = start.env["SSH_AUTH_SOCK"];
		try {
			const env = { ...start.env, ...createCacheVariables(options.cacheFolder, start.env) };
			const caches = options.writableCaches().map((path) => (path.startsWith("~/") ? join(home, path.slice(2)) : path));
			const led = new Set(findRedirectedPaths(caches, [...folders, ...caches]));
			const view = createWorkspaceWritePolicy(here, {
				caches: caches.filter((path) => !led.has(path)),
				sandboxCaches: options.cacheFolder,
				protectedPaths: [
					...named.filter((path) => folders.some((folder) => isWithin(path, folder) && path !== folder)),
					...before.fingerprints.keys(),
					...before.unscannedFolders,
				],
				repositoryRules: git?.rules ?? [],
				network,
				allowedSockets: agent === undefined ? [] : [agent],
			});
			const kept = keep({ ...start, env }, view);
			working += 1;
			return {
				...kept,
				async afterExit() {
					working -= 1;
					git?.close();
					await kept.afterExit?.();
					return listChangedPlaces(before, await places(folders));
				},
			};
		} catch (error) {
			git?.close();
			throw error;
		}
	}

	async function namedIn(places: readonly string[]): Promise<string[]> {
		const named = await Promise.all([...new Set(places)].map((place) => listGitConfiguredPaths(options.git, place)));
		return named.flat().flatMap((path) => resolveRealPathSync(path) ?? []);
	}

	const sandbox: Sandbox = {
		isAvailable() {
			tried ??= attempt()
				.catch((error: unknown) => {
					why = t("Sandbox unavailable: {0}", error instanceof Error ? error.message : String(error));
					return false;
				})
				.then((works) => {
					options.log(`sandbox: ${why}`);
					return works;
				});
			return tried;
		},
		statusMessage: () => why,
		async confine(start, confinement) {
			if (!(await sandbox.isAvailable()) || !keeper) throw new ToolError(`${why} This command may only run in a sandbox. Nothing ran.`);
			const said = { ...start, env: inEnglish(start.env) };
			return confinement.kind === "read" ? keeper.wrap(said, await viewOf(said, confinement)) : keepWorking(said, confinement, keeper);
		},
	};
	return sandbox;
}

const READING: SandboxRestrictions = { kind: "read", network: false, masked: [] };

/** Why something was refused is read in the output. All else of the locale stays. */
function inEnglish({ LC_ALL, ...env }: Readonly<Record<string, string>>): Record<string, string> {
	return { ...env, ...(LC_ALL !== undefined && { LANG: LC_ALL, LC_CTYPE: LC_ALL }), LC_MESSAGES: "C" };
}

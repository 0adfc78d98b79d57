// Confines commands regardless of what was decided about their text: bubblewrap on Linux, Seatbelt on macOS.
import { homedir } from "node:os";
import { join } from "node:path";
import { ToolError } from "../../core/ports/tool.ts";
import type { SandboxRestrictions } from "../../core/ports/workspace/commands.ts";
import { t } from "../../shared/l10n.ts";
import { reasonOf } from "../../shared/reasonOf.ts";
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
	/** Checks once, in the background of the first query. */
	isAvailable(): Promise<boolean>;
	/** A displayable message, once known. */
	statusMessage(): string;
}

export interface SandboxOptions {
	/** Absolute paths of the workspace's folders. */
	folders(): readonly string[];
	/** Folders of our own storage: hidden. */
	hiddenFolders: readonly string[];
	/** Parts of our storage that commands may read. */
	readableFolders: readonly string[];
	/** Our folder for caches that only sandboxed commands write; created on demand. */
	cacheFolder: string;
	/** The user's caches that sandboxed commands may write, absolute or beginning with `~/`. */
	writableCaches(): readonly string[];
	/** Returns true if writing a path, relative to its workspace folder, always requires approval. */
	isProtected(inside: string): boolean;
	/** A program outside the workspace. */
	find(name: string): Promise<string | undefined>;
	git: GitQuery;
	log(line: string): void;
	/** The user's home folder; the system's value if absent. */
	home?: string;
	platform?: NodeJS.Platform;
	architecture?: string;
}

export function createSandbox(options: SandboxOptions): Sandbox {
	const home = options.home ?? homedir();
	const tracked = createTrackedPathFinder(options.git);
	const places = createProtectedPlaceScanner(options.isProtected);
	let why = t("The sandbox hasn't been checked yet.");
	let backend: SandboxBackend | undefined;
	let availability: Promise<boolean> | undefined;
	/** Number of running commands with write access to the workspace. */
	let activeWriters = 0;

	async function attempt(): Promise<boolean> {
		const { platform = process.platform, architecture: processor = process.arch, find } = options;
		const found = await createBackend({ platform, architecture: processor, find });
		if (typeof found === "string") {
			why = found;
			return false;
		}
		const problem = await probeSandbox(async (start) => found.wrap(start, await createReadOnlyView(start, READING)), {
			home,
			bash: await options.find("bash"),
		});
		why = problem ?? t("The sandbox is available.");
		if (problem === undefined) backend = found;
		return problem === undefined;
	}

	function createContext(start: SandboxLaunch): SandboxContext {
		const searchPath = start.env["PATH"] ?? "";
		const all = options.folders();
		// Checked every time, because the previous command may have created a link.
		const redirected = new Set(findRedirectedPaths(all, all));
		return {
			homeFolder: home,
			folders: all.filter((folder) => !redirected.has(folder)),
			cwd: start.cwd,
			searchPath,
			hiddenFolders: options.hiddenFolders,
			readableFolders: options.readableFolders,
		};
	}

	async function createReadOnlyView(start: SandboxLaunch, { masked }: SandboxRestrictions): Promise<SandboxPolicy> {
		const context = createContext(start);
		const hidden = masked.flatMap((path) => resolveRealPathSync(path) ?? []);
		if (hidden.length > MAX_MASKED_PATHS)
			options.log(`sandbox: ${hidden.length - MAX_MASKED_PATHS} protected files can be read, for there are too many`);
		return createReadOnlyPolicy(context, hidden, await tracked([...hidden, ...listWorkspaceCredentials(context)]));
	}

	async function confineForWriting(
		start: SandboxLaunch,
		{ network, repository }: SandboxRestrictions,
		{ wrap: keep, raceFree: exact }: SandboxBackend,
	): Promise<SandboxLaunch> {
		const context = createContext(start);
		const folders = context.folders.flatMap((folder) => resolveRealPathSync(folder) ?? []);
		const [before, named] = await Promise.all([places(folders), listConfiguredPaths([...folders, start.cwd])]);
		// A command that runs at the same time could replace a new repository's folder.
		const git = repository && (exact || activeWriters === 0) ? openWritableRepository(start.cwd) : undefined;
		if (before.unscannedFolders.length > 0) {
			options.log(
				`sandbox: too many files to look for protected places among them; ${before.unscannedFolders.length} folders stay read-only`,
			);
		}
		const agent = start.env["SSH_AUTH_SOCK"];
		try {
			const env = { ...start.env, ...createCacheVariables(options.cacheFolder, start.env) };
			const caches = options.writableCaches().map((path) => (path.startsWith("~/") ? join(home, path.slice(2)) : path));
			const redirected = new Set(findRedirectedPaths(caches, [...folders, ...caches]));
			const view = createWorkspaceWritePolicy(context, {
				caches: caches.filter((path) => !redirected.has(path)),
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
			const confined = keep({ ...start, env }, view);
			activeWriters += 1;
			return {
				...confined,
				async afterExit() {
					activeWriters -= 1;
					git?.close();
					await confined.afterExit?.();
					return listChangedPlaces(before, await places(folders));
				},
			};
		} catch (error) {
			git?.close();
			throw error;
		}
	}

	async function listConfiguredPaths(places: readonly string[]): Promise<string[]> {
		const named = await Promise.all([...new Set(places)].map((place) => listGitConfiguredPaths(options.git, place)));
		return named.flat().flatMap((path) => resolveRealPathSync(path) ?? []);
	}

	const sandbox: Sandbox = {
		isAvailable() {
			availability ??= attempt()
				.catch((error: unknown) => {
					why = t("Sandbox unavailable: {0}", reasonOf(error, options.log));
					return false;
				})
				.then((available) => {
					options.log(`sandbox: ${why}`);
					return available;
				});
			return availability;
		},
		statusMessage: () => why,
		async confine(start, confinement) {
			if (!(await sandbox.isAvailable()) || !backend) throw new ToolError(`${why} This command may only run in a sandbox. Nothing ran.`);
			const localized = { ...start, env: inEnglish(start.env) };
			return confinement.kind === "read"
				? backend.wrap(localized, await createReadOnlyView(localized, confinement))
				: confineForWriting(localized, confinement, backend);
		},
	};
	return sandbox;
}

const READING: SandboxRestrictions = { kind: "read", network: false, masked: [] };

/** Output in English is needed to detect refusals. The rest of the locale is kept. */
function inEnglish({ LC_ALL, ...env }: Readonly<Record<string, string>>): Record<string, string> {
	return { ...env, ...(LC_ALL !== undefined && { LANG: LC_ALL, LC_CTYPE: LC_ALL }), LC_MESSAGES: "C" };
}

// Keeps commands in below everything that was decided about their words: by bubblewrap on Linux, by Seatbelt on macOS.
import { homedir } from "node:os";
import { join } from "node:path";
import type { Confinement } from "../../core/hostPrograms.ts";
import { ToolProblem } from "../../core/ports/tool.ts";
import { t } from "../../shared/l10n.ts";
import { type Keeper, keeperFor } from "./keepers.ts";
import { namedByGit } from "./namedByGit.ts";
import { ownCaches } from "./ownCaches.ts";
import { probe } from "./probe.ts";
import { appeared, protectedPlaces } from "./protectedPlaces.ts";
import { writableRepository } from "./repository.ts";
import type { Confining, Start } from "./start.ts";
import { type AskGit, trackedPaths } from "./tracked.ts";
import { type View, within } from "./view.ts";
import { credentialsIn, MOST_MASKED, readView, type Surroundings, workspaceView } from "./views.ts";
import { ledFromWithin, realOf } from "./visible.ts";

export interface Sandbox extends Confining {
	/** Tried once, in the background of the first question. */
	works(): Promise<boolean>;
	/** Once it is known: a sentence for the person. */
	why(): string;
}

export interface SandboxOptions {
	/** Absolute paths of the workspace's folders. */
	folders(): readonly string[];
	/** Folders of our own storage: hidden. */
	storage: readonly string[];
	/** What of it commands may read. */
	shared: readonly string[];
	/** A folder of ours for caches that only commands in the sandbox write; made when it is needed. */
	caches: string;
	/** Caches of the person that can be written from inside, absolute or beginning with `~/`. */
	writable(): readonly string[];
	/** Whether writing a path, relative to its workspace folder, asks whatever else is allowed. */
	isProtected(inside: string): boolean;
	/** A program outside the workspace. */
	find(name: string): Promise<string | undefined>;
	git: AskGit;
	log(line: string): void;
	/** Of the person; where it is absent, the one that the system names. */
	home?: string;
	platform?: NodeJS.Platform;
	processor?: string;
}

export function createSandbox(options: SandboxOptions): Sandbox {
	const home = options.home ?? homedir();
	const tracked = trackedPaths(options.git);
	const places = protectedPlaces(options.isProtected);
	let why = t("Whether a sandbox works here has not been found out yet.");
	let keeper: Keeper | undefined;
	let tried: Promise<boolean> | undefined;
	/** Commands that work in the workspace now. */
	let working = 0;

	async function attempt(): Promise<boolean> {
		const { platform = process.platform, processor = process.arch, find } = options;
		const found = await keeperFor({ platform, processor, find });
		if (typeof found === "string") {
			why = found;
			return false;
		}
		const trouble = await probe(async (start) => found.keep(start, await viewOf(start, READING)), {
			home,
			bash: await options.find("bash"),
		});
		why = trouble ?? t("The sandbox works.");
		if (trouble === undefined) keeper = found;
		return trouble === undefined;
	}

	function surroundings(start: Start): Surroundings {
		const searchPath = start.env["PATH"] ?? "";
		const all = options.folders();
		// Looked at anew: the command before this one may have made the link.
		const led = new Set(ledFromWithin(all, all));
		return {
			home,
			folders: all.filter((folder) => !led.has(folder)),
			cwd: start.cwd,
			searchPath,
			storage: options.storage,
			shared: options.shared,
		};
	}

	async function viewOf(start: Start, { masked }: Confinement): Promise<View> {
		const here = surroundings(start);
		const hidden = masked.flatMap((path) => realOf(path) ?? []);
		if (hidden.length > MOST_MASKED)
			options.log(`sandbox: ${hidden.length - MOST_MASKED} protected files can be read, for there are too many`);
		return readView(here, hidden, await tracked([...hidden, ...credentialsIn(here)]));
	}

	async function keepWorking(start: Start, { network, repository }: Confinement, { keep, exact }: Keeper): Promise<Start> {
		const here = surroundings(start);
		const folders = here.folders.flatMap((folder) => realOf(folder) ?? []);
		const [before, named] = await Promise.all([places(folders), namedIn([...folders, start.cwd])]);
		// What runs beside it could put another folder in the place of a new repository's.
		const git = repository && (exact || working === 0) ? writableRepository(start.cwd) : undefined;
		if (before.unseen.length > 0) {
			options.log(`sandbox: too many files to look for protected places among them; ${before.unseen.length} folders stay read-only`);
		}
		const agent = start.env["SSH_AUTH_SOCK"];
		try {
			const env = { ...start.env, ...ownCaches(options.caches, start.env) };
			const caches = options.writable().map((path) => (path.startsWith("~/") ? join(home, path.slice(2)) : path));
			const led = new Set(ledFromWithin(caches, [...folders, ...caches]));
			const view = workspaceView(here, {
				caches: caches.filter((path) => !led.has(path)),
				own: options.caches,
				guarded: [
					...named.filter((path) => folders.some((folder) => within(path, folder) && path !== folder)),
					...before.known.keys(),
					...before.unseen,
				],
				repository: git?.places ?? [],
				network,
				handed: agent === undefined ? [] : [agent],
			});
			const kept = keep({ ...start, env }, view);
			working += 1;
			return {
				...kept,
				async ended() {
					working -= 1;
					git?.close();
					await kept.ended?.();
					return appeared(before, await places(folders));
				},
			};
		} catch (error) {
			git?.close();
			throw error;
		}
	}

	async function namedIn(places: readonly string[]): Promise<string[]> {
		const named = await Promise.all([...new Set(places)].map((place) => namedByGit(options.git, place)));
		return named.flat().flatMap((path) => realOf(path) ?? []);
	}

	const sandbox: Sandbox = {
		works() {
			tried ??= attempt()
				.catch((error: unknown) => {
					why = t("No sandbox works here: {0}", error instanceof Error ? error.message : String(error));
					return false;
				})
				.then((works) => {
					options.log(`sandbox: ${why}`);
					return works;
				});
			return tried;
		},
		why: () => why,
		async confine(start, confinement) {
			if (!(await sandbox.works()) || !keeper) throw new ToolProblem(`${why} This command may only run in a sandbox. Nothing ran.`);
			const said = { ...start, env: inEnglish(start.env) };
			return confinement.kind === "read" ? keeper.keep(said, await viewOf(said, confinement)) : keepWorking(said, confinement, keeper);
		},
	};
	return sandbox;
}

const READING: Confinement = { kind: "read", network: false, masked: [] };

/** Why something was refused is read in the output. All else of the locale stays. */
function inEnglish({ LC_ALL, ...env }: Readonly<Record<string, string>>): Record<string, string> {
	return { ...env, ...(LC_ALL !== undefined && { LANG: LC_ALL, LC_CTYPE: LC_ALL }), LC_MESSAGES: "C" };
}

// Keeps commands in below everything that was decided about their words: by bubblewrap on Linux, by Seatbelt on macOS.
import { homedir } from "node:os";
import { join } from "node:path";
import type { Confinement } from "../../core/hostPrograms.ts";
import { ToolProblem } from "../../core/tool.ts";
import { t } from "../../l10n.ts";
import { ask } from "../programs/ask.ts";
import { type Bubblewrap, bubblewrapped } from "./bubblewrap.ts";
import { ownCaches } from "./ownCaches.ts";
import { probe } from "./probe.ts";
import { appeared, protectedPlaces } from "./protectedPlaces.ts";
import { writableRepository } from "./repository.ts";
import { seatbelted } from "./seatbelt.ts";
import { systemCallFilter } from "./seccomp.ts";
import type { Confining, Start } from "./start.ts";
import { type AskGit, trackedPaths } from "./tracked.ts";
import type { View } from "./view.ts";
import { credentialsIn, readView, type Surroundings, workspaceView } from "./views.ts";
import { realOf } from "./visible.ts";

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

/** What turns a start and a view into a start that is kept in. */
type Keeper = (start: Start, view: View) => Promise<Start>;

export function createSandbox(options: SandboxOptions): Sandbox {
	const home = options.home ?? homedir();
	const tracked = trackedPaths(options.git);
	let why = t("Whether a sandbox works here has not been found out yet.");
	let keeper: Keeper | undefined;
	let tried: Promise<boolean> | undefined;

	async function attempt(): Promise<boolean> {
		const found = await keeperFor(options);
		if (typeof found === "string") {
			why = found;
			return false;
		}
		const trouble = await probe(async (start) => found(start, await viewOf(start, READING)), { home, bash: await options.find("bash") });
		why = trouble ?? t("The sandbox works.");
		if (trouble === undefined) keeper = found;
		return trouble === undefined;
	}

	function surroundings(start: Start): Surroundings {
		const searchPath = start.env["PATH"] ?? "";
		return { home, folders: options.folders(), cwd: start.cwd, searchPath, storage: options.storage, shared: options.shared };
	}

	async function viewOf(start: Start, { masked }: Confinement): Promise<View> {
		const here = surroundings(start);
		const hidden = masked.flatMap((path) => realOf(path) ?? []);
		return readView(here, hidden, await tracked([...hidden, ...credentialsIn(here)]));
	}

	async function keepWorking(start: Start, { network, repository }: Confinement, keep: Keeper): Promise<Start> {
		const here = surroundings(start);
		const folders = here.folders.flatMap((folder) => realOf(folder) ?? []);
		const before = await protectedPlaces(folders, options.isProtected);
		const git = repository ? writableRepository(start.cwd) : undefined;
		const named = options.writable().map((path) => (path.startsWith("~/") ? join(home, path.slice(2)) : path));
		const env = { ...start.env, ...ownCaches(options.caches, start.env) };
		const agent = start.env["SSH_AUTH_SOCK"];
		const view = workspaceView(here, {
			caches: named,
			own: options.caches,
			guarded: [...before.keys()],
			repository: git?.places ?? [],
			network,
			handed: agent === undefined ? [] : [agent],
		});
		const kept = await keep({ ...start, env }, view);
		return {
			...kept,
			async ended() {
				git?.restore();
				await kept.ended?.();
				return appeared(before, await protectedPlaces(folders, options.isProtected));
			},
		};
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
			return confinement.kind === "read" ? keeper(start, await viewOf(start, confinement)) : keepWorking(start, confinement, keeper);
		},
	};
	return sandbox;
}

const READING: Confinement = { kind: "read", network: false, masked: [] };

/** Or why there is none: a sentence. */
async function keeperFor({ platform = process.platform, processor = process.arch, find }: SandboxOptions): Promise<Keeper | string> {
	if (platform === "darwin") return async (start, view) => seatbelted(start, view);
	if (platform !== "linux") return t("No sandbox works here: there is none for this system.");
	const [program, bash] = await Promise.all([find("bwrap"), find("bash")]);
	if (program === undefined || bash === undefined)
		return t("No sandbox works here: bubblewrap is not installed. Install the package bubblewrap and reload the window.");
	const [reading, working] = [systemCallFilter(processor, false), systemCallFilter(processor, true)];
	if (!reading || !working) return t("No sandbox works here: there is none for this processor.");
	const known: Omit<Bubblewrap, "filter"> = { program, bash, options: await optionsOf(program) };
	return async (start, view) => bubblewrapped({ ...known, filter: view.works ? working : reading }, start, view);
}

async function optionsOf(program: string): Promise<ReadonlySet<string>> {
	const said = await ask({ file: program, args: ["--help"], cwd: "/", env: {} }, { time: PATIENCE });
	return new Set(
		said
			? Buffer.from(said.output)
					.toString("latin1")
					.match(/--[a-z][a-z-]*/g)
			: [],
	);
}

/** Milliseconds. */
const PATIENCE = 5_000;

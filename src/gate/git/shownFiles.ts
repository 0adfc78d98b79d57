// Asks git for the names of the files that a command would print, and finds among them one that must not be shown unasked.
import { setImmediate } from "node:timers/promises";
import type { GateContext } from "../../core/ports/gate.ts";
import type { PathFacts } from "../../core/ports/tool.ts";
import type { Disk, ProgramOutput, WalkEntry } from "../../core/ports/workspace.ts";
import { t } from "../../shared/l10n.ts";
import type { LstatCache, PathResolver } from "../paths.ts";
import { protectedName, protectedPlace } from "../places.ts";
import type { GitContent } from "../programs/judgement.ts";
import { nativePath, toForwardSlashes } from "../resolveLinks.ts";
import { contentQueriesOf } from "./lists.ts";
import type { GitRepository } from "./repository.ts";

export interface ShownFiles {
	/** The first file that is protected, lies outside the workspace or leads there. */
	protected?: PathFacts;
	/** Why it cannot be told. */
	unknown?: string;
}

export interface ShownFilesContext {
	surroundings: GateContext;
	paths: PathResolver;
	look: LstatCache;
	/** Where the command runs. */
	folder: string;
	repository: GitRepository & { emptyTree: string };
}

const MOST_NAMES = 20_000;
const LONGEST_ANSWER = 4 * 1024 * 1024;
/** Milliseconds. */
const PATIENCE = 300;
/** Milliseconds at a stretch before others get their turn. */
const STRETCH = 8;

export async function shownFiles(asking: ShownFilesContext, content: GitContent): Promise<ShownFiles> {
	const { surroundings, look, folder, repository } = asking;
	const exists = async (word: string) => (await look(nativePath.resolve(folder, word)).catch(() => ({}))) !== undefined;
	const leavesRepository = (word: string) => !below(repository.top, toForwardSlashes(nativePath.resolve(folder, word)));
	const lists = await contentQueriesOf(content, { exists, leavesRepository, emptyTree: repository.emptyTree });
	if (!lists) return { unknown: t("git cannot be asked which files it would print") };
	const answers = await Promise.all(
		lists.questions.map((words) => surroundings.host?.git(folder, words, { time: PATIENCE, bytes: LONGEST_ANSWER })),
	);
	const names = new Set<string>();
	for (const [index, answer] of answers.entries()) {
		const found = answer?.code === 0 ? namesIn(answer, lists.questions[index]?.includes("--name-status") === true) : undefined;
		if (!found) return { unknown: t("git did not say in time which files it would print") };
		for (const name of found) names.add(name);
		if (names.size > MOST_NAMES) return { unknown: t("git would print more files than could be checked") };
	}
	const files = [...names].map((name) => inFolder(repository.top, name));
	const told = lists.names.map((name) => toForwardSlashes(nativePath.resolve(/^\.\.?\//.test(name) ? folder : repository.top, name)));
	const hidden = (await firstProtected(asking, [...told, ...files])) ?? (lists.fromDisk ? await firstAstray(asking, files) : undefined);
	if (hidden === "unknown") return { unknown: t("git would print more files than could be checked") };
	return hidden ? { protected: hidden } : {};
}

/** Each ends with NUL; with their state before them, which is followed by two names where one file became another. */
function namesIn({ output }: ProgramOutput, withState: boolean): string[] | undefined {
	const words = new TextDecoder().decode(output).split("\0");
	if (!withState) return words.filter((word) => word !== "");
	const names: string[] = [];
	for (let at = 0; at < words.length; ) {
		const state = words[at++]?.replace(/^\n/, "");
		if (state === "") continue;
		if (state === undefined || !/^[A-Z]\d*$/.test(state)) return undefined;
		const named = words.slice(at, at + (/^[RC]/.test(state) ? 2 : 1));
		names.push(...named);
		at += named.length;
	}
	return names;
}

/** Names that git itself made up need no other look. */
function inFolder(folder: string, name: string): string {
	return /(?:^|\/)\.{0,2}(?:\/|$)/.test(name)
		? toForwardSlashes(nativePath.resolve(folder, name))
		: `${folder === "/" ? "" : folder}/${name}`;
}

function below(folder: string, path: string): boolean {
	return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** By name: what is in history need not be on disk. */
async function firstProtected({ surroundings, paths, look }: ShownFilesContext, files: readonly string[]): Promise<PathFacts | undefined> {
	const folders = await Promise.all(
		surroundings.folders().map(async ({ path }) => toForwardSlashes((await surroundings.disk.realpath(path)) ?? path)),
	);
	let pause = performance.now() + STRETCH;
	for (const file of files) {
		const folder = folders.find((root) => below(root, file));
		if (folder === undefined || protectedName(file.slice(folder.length + 1), "read") !== undefined)
			return paths.word(file, "/", "read", look);
		if (performance.now() < pause) continue;
		await setImmediate();
		pause = performance.now() + STRETCH;
	}
	return undefined;
}

/** By what is on disk: files with several names, and folders that are links. Links themselves are printed as links. */
async function firstAstray(asking: ShownFilesContext, files: readonly string[]): Promise<PathFacts | "unknown" | undefined> {
	const { surroundings, paths, look, repository } = asking;
	const folders = new Set<string>();
	for (const file of files) {
		for (let path = nativePath.dirname(file); path.length > repository.top.length && !folders.has(path); path = nativePath.dirname(path))
			folders.add(path);
	}
	const entries = await inspected(surroundings.disk, [...folders, ...files]).catch(() => undefined);
	if (!entries) return "unknown";
	for (const { path, link, links } of entries) {
		const astray = folders.has(path) ? link : !link && links > 1;
		if (!astray) continue;
		const fact = await paths.word(path, "/", "read", look);
		if (fact.refused !== undefined || protectedPlace(fact) !== undefined) return fact;
	}
	return undefined;
}

async function inspected(disk: Disk, paths: readonly string[]): Promise<WalkEntry[]> {
	if (disk.inspect) return disk.inspect(paths);
	const found = await Promise.all(paths.map(async (path) => ({ path, stat: await disk.lstat(path) })));
	return found.flatMap(({ path, stat }) => (stat ? [{ path, type: stat.type, link: stat.link !== undefined, links: stat.links }] : []));
}

// Chooses the files of a workspace folder that a copy gets: project files, and ignored ones that the settings name.

import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../core/userError.ts";
import { formatNumber, t } from "../../shared/l10n.ts";
import { listGitNames } from "../files/files.ts";
import { inSlices, walkTree } from "../files/workspaceDiff.ts";
import { type GitRunner, isInWorkTree } from "../git/gitChanges.ts";
import { compileGlob } from "../search/glob.ts";

/** Paths relative to the folder, with slashes. */
export interface SelectedFiles {
	project: string[];
	ignored: string[];
	/** Folders of submodules and other repositories. Their project files are among `project`. */
	nested: string[];
}

export async function selectFiles(
	folder: string,
	copyIgnored: readonly string[],
	programs: GitRunner,
	signal: AbortSignal,
): Promise<SelectedFiles> {
	const globs = copyIgnored.flatMap((glob) => compileGlob(glob) ?? []);
	const isNamed = (path: string) => globs.some((matches) => matches(path));
	const listed = await listRepository(folder, "", programs);
	signal.throwIfAborted();
	const selected = listed ?? { project: await listWithoutGit(folder, signal), nested: [] };
	if (selected.project.length > MOST_FILES) {
		throw new UserError(
			t("{0} has more than {1} files, too many to copy. Nothing was kept. Open a smaller folder.", folder, formatNumber(MOST_FILES)),
		);
	}
	const starts = listed ? await listIgnored(folder, programs) : await foldersNamed("node_modules", folder, signal);
	return { ...selected, ignored: await expandIgnored(folder, starts, isNamed, signal) };
}

const MOST_FILES = 500_000;

/** A large repository takes git that many times as long as its other answers. */
const TIME_FACTOR = 6;

/** Creates an error because ignored files aren't known: all of them would count as project files, however large. */
function createListError(folder: string): Error {
	return new UserError(
		t(
			"Git couldn't list the files of {0}, so the workspace wasn't copied. Nothing was kept. See whether “git status” works there, and try again in a minute.",
			folder,
		),
	);
}

/** Includes the files of repositories inside. Returns undefined without git. Rejects with a sentence if git fails in a repository. */
async function listRepository(
	folder: string,
	inside: string,
	programs: GitRunner,
): Promise<Pick<SelectedFiles, "project" | "nested"> | undefined> {
	const repository = join(folder, inside);
	if (!(await isInWorkTree(programs, repository))) return undefined;
	const names = await listGitNames(repository, programs, TIME_FACTOR);
	if (!names) throw createListError(repository);
	const [project, nested]: [string[], string[]] = [[], []];
	const folders: string[] = [];
	await inSlices(names, (name) => {
		const path = join(repository, name);
		// A submodule is listed like a file.
		const isFolder = name.endsWith("/") || lstatSync(path, { throwIfNoEntry: false })?.isDirectory();
		if (!isFolder) project.push(inside + name);
		else if (existsSync(join(path, ".git"))) folders.push(`${inside}${name.replace(/\/$/, "")}/`);
	});
	for (const path of folders) {
		const found = await listRepository(folder, path, programs);
		nested.push(path, ...(found?.nested ?? []));
		for (const file of found?.project ?? []) project.push(file);
	}
	return { project, nested };
}

/** A name that ends in a slash is a folder in which everything is ignored. Rejects with a sentence if git fails. */
async function listIgnored(folder: string, programs: GitRunner): Promise<string[]> {
	const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
	const listed = await programs.gitOutput(folder, args, TIME_FACTOR);
	if (!listed) throw createListError(folder);
	return listed.toString("utf8").split("\0").filter(Boolean);
}

/** Returns the files that are named, or that are below a folder that is named. */
async function expandIgnored(
	folder: string,
	starts: readonly string[],
	isNamed: (path: string) => boolean,
	signal: AbortSignal,
): Promise<string[]> {
	const files: string[] = [];
	for (const start of starts) {
		const path = start.replace(/\/$/, "");
		const named = namedPaths(path, isNamed);
		if (!start.endsWith("/")) {
			if (named) files.push(path);
			continue;
		}
		const inNamed = new Set<string>(named ? [path] : []);
		await inSlices(walkTree(join(folder, path)), ({ path: below, entry }) => {
			signal.throwIfAborted();
			const whole = `${path}/${below}`;
			if (!inNamed.has(whole.slice(0, whole.lastIndexOf("/"))) && !isNamed(whole)) return;
			if (entry.isDirectory()) inNamed.add(whole);
			else files.push(whole);
		});
	}
	return files;
}

/** Returns true if the path or a folder above it is named. */
function namedPaths(path: string, isNamed: (path: string) => boolean): boolean {
	const parts = path.split("/");
	return parts.some((_, index) => isNamed(parts.slice(0, index + 1).join("/")));
}

async function listWithoutGit(folder: string, signal: AbortSignal): Promise<string[]> {
	const files: string[] = [];
	await inSlices(
		walkTree(folder, (path) => !isDependencyFolder(path)),
		({ path, entry }) => {
			signal.throwIfAborted();
			if (!entry.isDirectory() && files.length <= MOST_FILES) files.push(path);
		},
	);
	return files;
}

/** Without git, only this name says that files are ignored. */
export function isDependencyFolder(path: string): boolean {
	return path.split("/").includes("node_modules");
}

/** Returns true if package managers write the file. Other ignored files may be work, also where they were copied for commands. */
export function isInstalled(path: string): boolean {
	return isDependencyFolder(path) || path.split("/").includes(".venv");
}

async function foldersNamed(name: string, folder: string, signal: AbortSignal): Promise<string[]> {
	const found: string[] = [];
	await inSlices(
		walkTree(folder, (path) => !isDependencyFolder(path)),
		({ path, entry }) => {
			signal.throwIfAborted();
			if (entry.isDirectory() && entry.name === name) found.push(`${path}/`);
		},
	);
	return found;
}

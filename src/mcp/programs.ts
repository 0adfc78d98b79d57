// Finds the program of a server: once, on the PATH, as an absolute path. No shell ever reads it.
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, extname, isAbsolute, join } from "node:path";
import { insideOf } from "../core/paths.ts";
import { t } from "../l10n.ts";

export interface Found {
	file: string;
	/** Go before the server's own. */
	args: string[];
}

/**
 * Throws a sentence where there is no such program. What lies in a folder of the `workspace`, or leads into one, is nobody's program
 * by its name alone: a repository would decide what runs. Its whole path can be given; it is then shown before it is approved.
 */
export async function findProgram(
	command: string,
	environment: Readonly<Record<string, string>>,
	workspace: readonly string[] = [],
): Promise<Found> {
	if (isAbsolute(command)) {
		if (await runs(command)) return throughNode(command, environment, workspace);
		throw new Error(t("The program {0} is not there or cannot be run.", command));
	}
	if (/[\\/]/.test(command) || command === "") {
		throw new Error(t("“{0}” is neither a program’s name nor an absolute path.", command));
	}
	const closed = await foldersOf(workspace);
	const path = Object.entries(environment).find(([name]) => name.toUpperCase() === "PATH")?.[1] ?? "";
	// A relative entry would let a workspace put its own program first.
	for (const folder of path.split(delimiter).filter(isAbsolute)) {
		for (const ending of process.platform === "win32" ? WINDOWS : [""]) {
			const file = join(folder, command + ending);
			if ((await runs(file)) && !(await liesIn(closed, file))) return throughNode(file, environment, workspace);
		}
	}
	throw new Error(t("The program {0} was not found. Install it, or write its absolute path into the setting.", command));
}

/** As they are written and as they are. Who opens their own home, or all of the disk, has their programs in it. */
async function foldersOf(workspace: readonly string[]): Promise<string[]> {
	const real = await Promise.all(workspace.map((folder) => realpath(folder).catch(() => folder)));
	return [...workspace, ...real].filter((folder) => insideOf(folder, homedir()) === undefined);
}

async function liesIn(folders: readonly string[], file: string): Promise<boolean> {
	const real = await realpath(file).catch(() => file);
	return folders.some((folder) => insideOf(folder, file) !== undefined || insideOf(folder, real) !== undefined);
}

const WINDOWS = [".exe", ".com", ".cmd", ".bat", ""];

async function runs(file: string): Promise<boolean> {
	try {
		await access(file, constants.X_OK);
		return (await stat(file)).isFile();
	} catch {
		return false;
	}
}

/** Windows runs a batch file by a shell alone: those of npm are called as the scripts they stand for, others not at all. */
async function throughNode(file: string, environment: Readonly<Record<string, string>>, workspace: readonly string[]): Promise<Found> {
	const ending = extname(file).toLowerCase();
	if (process.platform !== "win32" || ![".cmd", ".bat"].includes(ending)) return { file, args: [] };
	const script = /[\\/](npx|npm)\.cmd$/i.exec(file)?.[1];
	const target = script && join(dirname(file), "node_modules", "npm", "bin", `${script.toLowerCase()}-cli.js`);
	if (target && (await runs(target))) {
		const { file: node } = await findProgram("node", environment, workspace);
		return { file: node, args: [target] };
	}
	throw new Error(t("{0} is a batch file, which only a shell can run. Name the program that it calls instead.", file));
}

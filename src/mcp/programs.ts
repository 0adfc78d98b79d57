// Finds the program of a server: once, on the PATH, as an absolute path. No shell ever reads it.
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, dirname, extname, isAbsolute, join } from "node:path";
import { t } from "../l10n.ts";

export interface Found {
	file: string;
	/** Go before the server's own. */
	args: string[];
}

/** Throws a sentence where there is no such program. */
export async function findProgram(command: string, environment: Readonly<Record<string, string>>): Promise<Found> {
	if (isAbsolute(command)) {
		if (await runs(command)) return throughNode(command, environment);
		throw new Error(t("The program {0} is not there or cannot be run.", command));
	}
	if (/[\\/]/.test(command) || command === "") {
		throw new Error(t("“{0}” is neither a program’s name nor an absolute path.", command));
	}
	const path = Object.entries(environment).find(([name]) => name.toUpperCase() === "PATH")?.[1] ?? "";
	// A relative entry would let a workspace put its own program first.
	for (const folder of path.split(delimiter).filter(isAbsolute)) {
		for (const ending of process.platform === "win32" ? WINDOWS : [""]) {
			const file = join(folder, command + ending);
			if (await runs(file)) return throughNode(file, environment);
		}
	}
	throw new Error(t("The program {0} was not found. Install it, or write its absolute path into the setting.", command));
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
async function throughNode(file: string, environment: Readonly<Record<string, string>>): Promise<Found> {
	const ending = extname(file).toLowerCase();
	if (process.platform !== "win32" || ![".cmd", ".bat"].includes(ending)) return { file, args: [] };
	const script = /[\\/](npx|npm)\.cmd$/i.exec(file)?.[1];
	const target = script && join(dirname(file), "node_modules", "npm", "bin", `${script.toLowerCase()}-cli.js`);
	if (target && (await runs(target))) {
		const { file: node } = await findProgram("node", environment);
		return { file: node, args: [target] };
	}
	throw new Error(t("{0} is a batch file, which only a shell can run. Name the program that it calls instead.", file));
}

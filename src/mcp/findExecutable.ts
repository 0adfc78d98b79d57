// Finds the program of a server: once, on the PATH, as an absolute path. No shell ever reads it.
import { dirname, extname, isAbsolute, join } from "node:path";
import { t } from "../shared/l10n.ts";
import type { ProcessHost } from "./stdioTransport.ts";

interface Found {
	file: string;
	/** Go before the server's own. */
	args: string[];
}

type Finder = Pick<ProcessHost, "findProgram" | "isExecutable">;

/**
 * Throws a sentence where there is no such program. What lies in a folder of the workspace, or leads into one, is nobody's program
 * by its name alone: a repository would decide what runs. Its whole path can be given; it is then shown before it is approved.
 */
export async function findExecutable(command: string, path: string, finder: Finder): Promise<Found> {
	if (isAbsolute(command)) {
		if (await finder.isExecutable(command)) return throughNode(command, path, finder);
		throw new Error(t("The program {0} is not there or cannot be run.", command));
	}
	if (/[\\/]/.test(command) || command === "") {
		throw new Error(t("“{0}” is neither a program’s name nor an absolute path.", command));
	}
	const file = await finder.findProgram(command, path);
	if (file !== undefined) return throughNode(file, path, finder);
	throw new Error(t("The program {0} was not found. Install it, or write its absolute path into the setting.", command));
}

/** Windows runs a batch file by a shell alone: those of npm are called as the scripts they stand for, others not at all. */
async function throughNode(file: string, path: string, finder: Finder): Promise<Found> {
	const ending = extname(file).toLowerCase();
	if (process.platform !== "win32" || ![".cmd", ".bat"].includes(ending)) return { file, args: [] };
	const script = /[\\/](npx|npm)\.cmd$/i.exec(file)?.[1];
	const target = script && join(dirname(file), "node_modules", "npm", "bin", `${script.toLowerCase()}-cli.js`);
	if (target && (await finder.isExecutable(target))) {
		const { file: node } = await findExecutable("node", path, finder);
		return { file: node, args: [target] };
	}
	throw new Error(t("{0} is a batch file, which only a shell can run. Name the program that it calls instead.", file));
}

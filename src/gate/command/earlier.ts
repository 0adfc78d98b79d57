// Tells whether a line changes files before it goes on: what was judged of its later words may not be so any more.

import type { SimpleCommand } from "../../core/ports/gate.ts";
import type { PathFacts } from "../../core/ports/tool.ts";
import { nativePath } from "../resolveLinks.ts";
import type { ShellWord } from "../shell/shellWord.ts";

/** With these a link may come to lie elsewhere, where it leads elsewhere. */
const CARRIES_LINKS = /^(?:-[a-zA-Z]*[aRrPd][a-zA-Z]*|--archive|--recursive|--no-dereference)$/;

/** The program that changes what a later command runs or works on; undefined where none does. */
export function interferingProgram(commands: readonly SimpleCommand[]): string | undefined {
	for (const [index, earlier] of commands.entries()) {
		const later = commands.slice(index + 1);
		if (later.length === 0 || earlier.reads) continue;
		const written = earlier.paths.filter(({ use }) => use !== "read");
		const touched = carriesLinks(earlier) ? earlier.paths : [];
		const changes = later.some(
			(command) =>
				(command.bound ?? []).some((file) => [...written, ...touched].some((path) => lies(file, path))) ||
				command.paths.some((path) => touched.some((one) => within(path.literal, one.literal))),
		);
		if (changes) return earlier.words[0];
	}
	return undefined;
}

/** Whether a command before may have made names that the pattern stands for. */
export function mayAddMatches(before: readonly SimpleCommand[], { text, pattern }: ShellWord, folder: string): boolean {
	const fixed = nativePath.resolve(folder, text.slice(0, text.lastIndexOf("/", pattern?.[0] ?? 0) + 1) || ".");
	return before.some(({ paths }) => paths.some(({ use, literal }) => use !== "read" && within(literal, fixed) && literal !== fixed));
}

function carriesLinks({ words, inner = words }: SimpleCommand): boolean {
	const [program, ...rest] = inner;
	if (program === "mv" || program === "gmv" || (program === "git" && rest.includes("mv"))) return true;
	return /^g?(?:cp|install)$/.test(program ?? "") && rest.some((word) => CARRIES_LINKS.test(word));
}

/** Of a file as an approval names it: relative to its workspace folder, or absolute. */
function lies(file: string, { literal, literalInside }: PathFacts): boolean {
	return within(file, literal) || (literalInside !== undefined && within(file, literalInside));
}

function within(path: string, folder: string): boolean {
	return folder === "." || path === folder || path.startsWith(`${folder}/`);
}

// Where copied and moved files land: every name that may come to be, for the disk is asked later.
import { posix } from "node:path";
import { isPath, type ParsedFlags } from "../flags.ts";
import type { Operand } from "../judgement.ts";

export interface CopyArguments {
	sources: readonly string[];
	target: string;
	/** The target is a folder for certain, or is never taken for one; neither where the disk decides. */
	targetIs?: "folder" | "file";
	/** The whole path of a source comes to be below the target. */
	parents: boolean;
	/** Suffixes of the copies that are kept of what is overwritten. */
	backups: readonly string[];
}

/** Undefined without a source and a target. */
export function copyArgumentsOf({ flags, values, operands }: ParsedFlags): CopyArguments | undefined {
	const has = (...names: string[]) => names.some((name) => flags.has(name));
	const last = (...names: string[]) => values.findLast(({ flag }) => names.includes(flag))?.value;
	const folder = last("-t", "--target-directory");
	const target = folder ?? operands.at(-1);
	const sources = folder === undefined ? operands.slice(0, -1) : operands;
	if (target === undefined || sources.length === 0) return undefined;
	const kept = has("-b", "--backup", "-S", "--suffix");
	return {
		sources,
		target,
		...(folder !== undefined && { targetIs: "folder" }),
		...(has("-T", "--no-target-directory") && { targetIs: "file" }),
		parents: has("--parents"),
		backups: kept ? [last("-S", "--suffix") ?? "~", ".~1~"] : [],
	};
}

/** `whole` when folders go with all that is in them. */
export function destinationOperands(route: CopyArguments, whole: boolean): Operand[] {
	return route.sources.flatMap((source) =>
		namesOf(route, source).flatMap(({ word, within }): Operand[] => {
			const reach = { kind: route.backups.length > 0 ? "tree" : "itself" } as const;
			const landed: Operand = { word, use: "write", reach, ...(whole && { from: source }) };
			return [landed, ...backupsOf(route, word)].map((one) => (within === undefined ? one : { ...one, within }));
		}),
	);
}

/** A folder that is copied into itself grows while it is copied. */
export function copiesIntoItself({ sources, target }: CopyArguments): boolean {
	const into = `${posix.normalize(target)}/`;
	return sources.some((source) => {
		const folder = posix.normalize(source).replace(/\/$/, "");
		return folder === "." || folder.endsWith("..") || into.startsWith(`${folder}/`);
	});
}

function namesOf({ target, targetIs, parents }: CopyArguments, source: string): Pick<Operand, "word" | "within">[] {
	const into = `${target.replace(/\/+$/, "")}/${parents ? source : baseOf(source)}`;
	const goesByDots = baseOf(source).replaceAll(".", "") === "";
	if (targetIs === undefined && !goesByDots) return [{ word: target }, { word: into, within: target }];
	if (goesByDots) return [{ word: target }, { word: into }];
	return [{ word: targetIs === "file" ? target : into }];
}

/** What is overwritten is kept beside it, a folder with all that is in it; GNU's install 9.1 puts it where it was started. */
function backupsOf({ backups }: CopyArguments, word: string): Operand[] {
	const names = new Set([word, baseOf(word)].flatMap((name) => backups.map((suffix) => name + suffix)));
	return [...names].map((name) => ({ word: name, use: "write", reach: { kind: "itself" }, from: word }));
}

function baseOf(path: string): string {
	return path.replace(/\/+$/, "").split("/").at(-1) ?? "";
}

export function writeOperands(words: readonly string[], reach: Operand["reach"] = { kind: "itself" }): Operand[] {
	return words.filter(isPath).map((word) => ({ word, use: "write", reach }));
}

// Where copied and moved files land: every name that may come to be, for the disk is asked later.
import { isPath, type ReadFlags } from "../flags.ts";
import type { Operand } from "../judgement.ts";

export interface Route {
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
export function routeOf({ flags, values, operands }: ReadFlags): Route | undefined {
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
export function landings(route: Route, whole: boolean): Operand[] {
	const { target, parents, backups } = route;
	return route.sources.flatMap((source) => {
		const into = `${target.replace(/\/+$/, "")}/${parents ? source : baseOf(source)}`;
		const names = route.targetIs === "file" ? [target] : route.targetIs === "folder" ? [into] : [target, into];
		const all = baseOf(source).replaceAll(".", "") === "" ? [target, into] : names;
		return all.flatMap((word): Operand[] => [
			{ word, use: "write", reach: { kind: "itself" }, ...(whole && { from: source }) },
			...backups.map((suffix): Operand => ({ word: word + suffix, use: "write", reach: { kind: "itself" } })),
		]);
	});
}

function baseOf(path: string): string {
	return path.replace(/\/+$/, "").split("/").at(-1) ?? "";
}

export function written(words: readonly string[], reach: Operand["reach"] = { kind: "itself" }): Operand[] {
	return words.filter(isPath).map((word) => ({ word, use: "write", reach }));
}

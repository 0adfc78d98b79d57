// Lists what a program would read below a folder: everything, or what ripgrep itself would look at. Remembered for the turn.

import type { WalkEntry } from "../../core/ports/workspace.ts";
import type { Reach } from "../programs/judgement.ts";
import { system } from "../resolveLinks.ts";
import type { Context } from "./context.ts";

export interface Tree {
	folder: string;
	entries: readonly WalkEntry[];
}

const MOST_ENTRIES = 20_000;
/** Milliseconds. */
const PATIENCE = 500;

/** A folder by where it really is, and as the command names it in the folder that it runs in. */
export interface Named {
	real: string;
	base: string;
	word: string;
}

/** Undefined where not everything could be seen. */
export function walkOnce(context: Context, folder: Named, reach: Reach): Promise<Tree | undefined> {
	// A git folder asks as soon as it is there; only a program that leaves files out may read nothing of it.
	const whole = reach.kind === "tree" && reach.skips !== undefined;
	const key =
		reach.kind === "ripgrep"
			? JSON.stringify(["ripgrep", folder.base, folder.word, reach.flags])
			: JSON.stringify(["tree", whole, folder.real]);
	const known = context.memo.get(key) as Promise<Tree | undefined> | undefined;
	const found = known ?? (reach.kind === "ripgrep" ? listed(context, folder, reach.flags) : walked(context, folder.real, whole));
	context.memo.set(key, found);
	return found;
}

async function walked({ surroundings: { disk } }: Context, folder: string, whole: boolean): Promise<Tree | undefined> {
	const entries = await disk.walk?.(folder, { entries: MOST_ENTRIES, time: PATIENCE, enter: (name) => whole || name !== ".git" });
	return entries && { folder, entries };
}

/** In the folder that the command runs in: ripgrep's patterns are relative to it. */
async function listed({ surroundings: { disk, host } }: Context, folder: Named, flags: readonly string[]): Promise<Tree | undefined> {
	const said = await host?.ripgrep(folder.base, [...flags, "--files", "--null", "--", folder.word], { time: PATIENCE });
	if (!said || said.code > 1 || !disk.inspect) return undefined;
	const names = new TextDecoder().decode(said.output).split("\0").filter(Boolean);
	if (names.length > MOST_ENTRIES) return undefined;
	return { folder: folder.real, entries: await disk.inspect(names.map((name) => system.resolve(folder.base, name))) };
}

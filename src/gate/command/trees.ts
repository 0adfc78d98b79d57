// Lists what a program would read below a folder: everything, or what ripgrep itself would look at. Remembered for the turn.

import type { WalkEntry } from "../../core/ports/workspace.ts";
import type { PathExtent } from "../programs/judgement.ts";
import { nativePath } from "../resolveLinks.ts";
import type { CommandContext } from "./context.ts";

export interface FolderTree {
	folder: string;
	entries: readonly WalkEntry[];
}

const MOST_ENTRIES = 20_000;
/** Milliseconds. */
const PATIENCE = 500;

/** A folder by where it really is, and as the command names it in the folder that it runs in. */
export interface NamedFolder {
	real: string;
	base: string;
	word: string;
}

/** Undefined where not everything could be seen. */
export function listTree(context: CommandContext, folder: NamedFolder, reach: PathExtent): Promise<FolderTree | undefined> {
	// A git folder asks as soon as it is there; only a program that leaves files out may read nothing of it.
	const whole = reach.kind === "tree" && reach.skips !== undefined;
	const key =
		reach.kind === "ripgrep"
			? JSON.stringify(["ripgrep", folder.base, folder.word, reach.flags])
			: JSON.stringify(["tree", whole, folder.real]);
	const known = context.memo.get(key) as Promise<FolderTree | undefined> | undefined;
	const found = known ?? (reach.kind === "ripgrep" ? listed(context, folder, reach.flags) : walked(context, folder.real, whole));
	context.memo.set(key, found);
	return found;
}

async function walked({ surroundings: { disk } }: CommandContext, folder: string, whole: boolean): Promise<FolderTree | undefined> {
	const entries = await disk.walk?.(folder, { entries: MOST_ENTRIES, time: PATIENCE, enter: (name) => whole || name !== ".git" });
	return entries && { folder, entries };
}

/** In the folder that the command runs in: ripgrep's patterns are relative to it. */
async function listed(
	{ surroundings: { disk, host } }: CommandContext,
	folder: NamedFolder,
	flags: readonly string[],
): Promise<FolderTree | undefined> {
	const said = await host?.ripgrep(folder.base, [...flags, "--files", "--null", "--", folder.word], { time: PATIENCE });
	if (!said || said.code > 1 || !disk.inspect) return undefined;
	const names = new TextDecoder().decode(said.output).split("\0").filter(Boolean);
	if (names.length > MOST_ENTRIES) return undefined;
	return { folder: folder.real, entries: await disk.inspect(names.map((name) => nativePath.resolve(folder.base, name))) };
}

// Finds the submodules that git would enter from a repository: those in its index that have a repository of their own.
import type { GateContext } from "../../core/ports/gate.ts";
import type { LstatCache } from "../paths.ts";
import { nativePath } from "../resolveLinks.ts";
import type { GitRepository } from "./repository.ts";

/** By index file: what it was, and what was found in it. */
const kept = new Map<string, { stamp: string; paths: readonly string[] }>();
const MOST_KEPT = 64;
const LONGEST_LIST = 48 * 1024 * 1024;
const LINK = Buffer.from("160000 ");

/** Absolute paths; undefined where it cannot be said. */
export async function submodulesOf({ host }: GateContext, look: LstatCache, { top, gitDir }: GitRepository): Promise<string[] | undefined> {
	const index = nativePath.join(gitDir, "index");
	const stat = await look(index);
	if (!stat) return [];
	const stamp = `${stat.size} ${stat.mtime} ${stat.links}`;
	const before = kept.get(index);
	const said = before?.stamp === stamp ? undefined : await host?.git(top, ["ls-files", "-z", "--stage"], { bytes: LONGEST_LIST });
	if (before?.stamp !== stamp && said?.code !== 0) return undefined;
	const paths = said ? linksIn(Buffer.from(said.output)) : (before?.paths ?? []);
	if (kept.size >= MOST_KEPT) kept.clear();
	kept.set(index, { stamp, paths });
	const entered: string[] = [];
	for (const path of paths) {
		const folder = nativePath.join(top, path);
		if (await look(nativePath.join(folder, ".git"))) entered.push(folder);
	}
	return entered;
}

/** Lines of `mode object stage<TAB>path`, each ended by NUL. */
function linksIn(list: Buffer): string[] {
	const paths: string[] = [];
	for (let at = list.indexOf(LINK); at >= 0; at = list.indexOf(LINK, at + 1)) {
		if (at > 0 && list[at - 1] !== 0) continue;
		const end = list.indexOf(0, at);
		const tab = list.indexOf(9, at);
		if (tab > 0 && tab < end) paths.push(list.toString("utf8", tab + 1, end));
	}
	return paths;
}

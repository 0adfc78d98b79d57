// The repository that git writes for a folder: what of it can be written, and what decides which programs git runs.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Place } from "./view.ts";
import { kindOf, realOf } from "./visible.ts";

export interface Repository {
	places: Place[];
	/** Takes away what stood in for what was not there. */
	restore(): void;
}

/** Undefined where git would find none from there, or where it leads to one that does not know this folder. */
export function writableRepository(cwd: string): Repository | undefined {
	const found = repositoryOf(cwd);
	if (!found) return undefined;
	const { own, common } = found;
	try {
		for (const folder of ["hooks", "info"]) mkdirSync(join(common, folder), { recursive: true });
	} catch {
		return undefined;
	}
	const stand = own === common ? standIn(join(own, "commondir")) : undefined;
	const guarded = [...GUARDED.map((name) => join(common, name)), ...GUARDED_OWN.map((name) => join(own, name))];
	const places = [...new Set([own, common])].map((path): Place => ({ path, seen: "writable", kind: "folder", pinned: true }));
	for (const path of new Set(guarded)) {
		const kind = kindOf(path);
		if (kind) places.push({ path: realOf(path) ?? path, seen: "readable", kind, pinned: true });
	}
	return { places, restore: () => stand?.() };
}

/** How many commands rely on one, by path. */
const standing = new Map<string, number>();
const HERE = ".\n";

/** A file of that name would tell git that hooks and configuration lie elsewhere; this one says that they lie here. */
function standIn(file: string): () => void {
	standing.set(file, (standing.get(file) ?? 0) + 1);
	try {
		writeFileSync(file, HERE, { flag: "wx" });
	} catch {
		// It stands there already.
	}
	return () => {
		const left = (standing.get(file) ?? 1) - 1;
		standing.set(file, left);
		if (left > 0) return;
		standing.delete(file);
		rmSync(file, { force: true });
	};
}

/** Names in a git folder that decide what runs, or where git looks for that. */
const GUARDED = ["config", "config.worktree", "hooks", "info", "modules", "worktrees"];
const GUARDED_OWN = ["commondir", "gitdir", "config.worktree"];
/** Bytes of a file that names a git folder. */
const LONGEST = 4_096;

/** `own`: of this working tree; `common`: of the whole repository. Real paths. */
function repositoryOf(cwd: string): { own: string; common: string } | undefined {
	for (let folder = cwd; ; folder = dirname(folder)) {
		const git = join(folder, ".git");
		const kind = kindOf(git);
		if (kind === "folder") return complete(realOf(git), realOf(git) === git);
		if (kind === "file") return linked(git);
		if (folder === dirname(folder)) return undefined;
	}
}

/** A working tree of its own: only where the repository knows it in turn. */
function linked(file: string): { own: string; common: string } | undefined {
	const named = /^gitdir: (.+)$/.exec(firstLine(file))?.[1];
	const own = named === undefined ? undefined : realOf(resolve(dirname(file), named));
	if (own === undefined || realOf(firstLine(join(own, "gitdir"))) !== file) return undefined;
	const common = realOf(resolve(own, firstLine(join(own, "commondir"))));
	if (common === undefined || dirname(own) !== join(common, "worktrees")) return undefined;
	return complete(common, true) && { own, common };
}

function complete(folder: string | undefined, straight: boolean): { own: string; common: string } | undefined {
	if (folder === undefined || !straight) return undefined;
	const whole = ["HEAD", "config"].every((name) => kindOf(join(folder, name)) === "file") && kindOf(join(folder, "objects")) === "folder";
	// One that already leads elsewhere is not ours to open.
	const elsewhere = kindOf(join(folder, "commondir")) !== undefined && firstLine(join(folder, "commondir")) !== HERE.trim();
	return whole && !elsewhere ? { own: folder, common: folder } : undefined;
}

function firstLine(file: string): string {
	try {
		if (statSync(file).size > LONGEST) return "";
		return (readFileSync(file, "utf8").split("\n")[0] ?? "").trim();
	} catch {
		return "";
	}
}

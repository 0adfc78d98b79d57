// Resolves a path to facts: its literal location, its real target, and its protection.

import type { GateContext } from "../core/ports/gate.ts";
import type { PathFacts, PathUse, ProtectedLocation } from "../core/ports/tool.ts";
import type { WorkspaceFolder } from "../core/ports/workspace/files.ts";
import { t } from "../shared/l10n.ts";
import { reasonOf } from "../shared/reasonOf.ts";
import { isInCopy } from "./copiedPaths.ts";
import { createHostProtection, type HostProtection } from "./hostProtection.ts";
import { pathSyntaxError } from "./pathSyntax.ts";
import { protectedBelow } from "./protectedDescendants.ts";
import { createLstatCache, nativePath, type ResolvedPath, resolveLinks, toForwardSlashes } from "./resolveLinks.ts";

export type LstatCache = ReturnType<typeof createLstatCache>;

export interface PathResolver {
	/** A tool's path, relative to the workspace. */
	tool(given: string, use: PathUse): Promise<PathFacts>;
	/** A word of a command, relative to a folder; `look` is shared by the words of one command. */
	word(given: string, base: string, use: PathUse, look: LstatCache): Promise<PathFacts>;
	/** Host protection, for paths below a folder that was walked. */
	places(): Promise<HostProtection>;
	/** A cache that is valid for one decision. */
	look(): LstatCache;
}

interface Root {
	literal: string;
	real: string;
}

/** Milliseconds. */
const ROOTS_CACHE_TIME = 5_000;

/** Resolves paths against the workspace folders and our own storage. */
export function createPathResolver(gateContext: GateContext): PathResolver {
	const { disk, storage, log } = gateContext;
	const roots = new Map<string, { root: Root; at: number }>();
	/** Folders that were no git folders, with the names that they had then. */
	const plain = new Map<string, string>();
	const hostPlaces = createHostProtection(gateContext, (paths) => {
		const look = createLstatCache(disk);
		return Promise.all(
			paths.map(async (path) => ({ literal: toForwardSlashes(nativePath.resolve(path)), real: (await destination(look, path, log)).real })),
		);
	});

	async function places(look: LstatCache): Promise<HostProtection> {
		const folders = gateContext.folders().map((folder) => folder.path);
		return hostPlaces(await realOf(folders, look));
	}

	async function locate(given: string, use: PathUse, path: string, look: LstatCache): Promise<PathFacts> {
		const literal = toForwardSlashes(nativePath.resolve(path));
		const roots = await realOf(
			gateContext.folders().map((folder) => folder.path),
			look,
		);
		// The outermost one, since another workspace folder in it may have become a link.
		const [from] = roots
			.filter((root) => `${toForwardSlashes(path)}/`.startsWith(`${root.literal}/`))
			.sort((left, right) => left.literal.length - right.literal.length);
		const target = await destination(look, path, log, from);
		const { real, stat } = target;
		const literalInside = insideOf(
			roots.map(({ literal: root }) => root),
			literal,
		);
		const realInside = insideOf(
			roots.map(({ real: root }) => root),
			real,
		);
		const fact: PathFacts = {
			use,
			given,
			literal,
			real,
			exists: stat !== undefined,
			...(literalInside !== undefined && { literalInside }),
			...(realInside !== undefined && { realInside }),
			...(target.unresolved !== undefined && { refused: unresolvedReason(given, target.unresolved) }),
			...(stat?.type === "file" && { links: stat.links }),
		};
		if (use === "read" && literal === real && gateContext.programs?.guide(real)) return { ...fact, guide: true };
		const guarded = await guard(fact, stat?.type === "directory", look);
		return guarded === undefined ? fact : { ...fact, guarded };
	}

	/** Workspace and storage folders rarely move, so their resolved paths are cached for a while. */
	async function realOf(folders: readonly string[], look: LstatCache): Promise<Root[]> {
		return Promise.all(
			folders.map(async (path) => {
				const known = roots.get(path);
				if (known && performance.now() - known.at < ROOTS_CACHE_TIME) return known.root;
				const root = { literal: toForwardSlashes(nativePath.resolve(path)), real: (await destination(look, path, log)).real };
				roots.set(path, { root, at: performance.now() });
				return root;
			}),
		);
	}

	async function guard(fact: PathFacts, folder: boolean, look: LstatCache): Promise<ProtectedLocation | undefined> {
		for (const storageRoot of await realOf(storage, look)) {
			const storagePaths = [storageRoot.literal, storageRoot.real];
			const stored = [fact.literal, fact.real].filter((path) => !isInCopy(gateContext, path));
			if (storagePaths.some((place) => stored.some((path) => insideOf([place], path) !== undefined))) {
				return { kind: "storage" };
			}
			if (fact.use !== "read" && storagePaths.some((place) => insideOf([fact.real], place) !== undefined)) return { kind: "above storage" };
		}
		if (fact.realInside === undefined) return undefined;
		const host = await places(look);
		const known = [fact.literal, fact.real].map((path) => host(path, fact.use === "read" ? "read" : "write"));
		if (known[0] !== undefined || known[1] !== undefined) return known[0] ?? known[1];
		if (await hasShortName(fact, look)) return { kind: "short name" };
		if (await inGitFolder(fact, folder, look, plain)) return { kind: "git folder" };
		if (!folder || (fact.use !== "write" && fact.use !== "delete")) return undefined;
		return protectedBelow(disk, fact.real, host);
	}

	return {
		async tool(given, use) {
			const syntaxError = pathSyntaxError(given, process.platform === "win32");
			const place = syntaxError === undefined ? await resolve(given) : { refused: syntaxError };
			if ("refused" in place) return { use, given, literal: given, real: given, exists: false, refused: place.refused };
			return locate(given, use, place.path, createLstatCache(disk));
		},
		word: (given, base, use, look) => locate(given, use, nativePath.isAbsolute(given) ? given : `${base}/${given}`, look),
		places: () => places(createLstatCache(disk)),
		look: () => createLstatCache(disk),
	};

	/** The absolute path with `..` kept, because its meaning depends on links. */
	async function resolve(given: string): Promise<{ path: string } | { refused: string }> {
		if (nativePath.isAbsolute(given)) return { path: given };
		const folders = gateContext.folders();
		const [onlyFolder] = folders;
		if (!onlyFolder) return { refused: t("No folder is open, so relative paths can't be used. Ask the user to open a folder.") };
		const [first = "", ...rest] = toForwardSlashes(given).split("/");
		const named = folders.filter(({ name }) => name === first);
		if (folders.length === 1) {
			const repeated = named.length === 1 && (await disk.lstat(nativePath.join(onlyFolder.path, first))) === undefined;
			return { path: `${onlyFolder.path}/${repeated ? rest.join("/") : given}` };
		}
		if (named.length === 1) return { path: `${(named[0] as WorkspaceFolder).path}/${rest.join("/")}` };
		const matching: WorkspaceFolder[] = [];
		if (first !== "." && first !== "..") {
			for (const folder of folders) if (await disk.lstat(nativePath.join(folder.path, first))) matching.push(folder);
		}
		if (matching.length === 1) return { path: `${(matching[0] as WorkspaceFolder).path}/${given}` };
		const choices = folders.map(({ name }) => `${name}/`).join(", ");
		return { refused: t("The workspace folder of {0} is ambiguous. Start the path with one of {1}.", given, choices) };
	}
}

async function destination(look: LstatCache, path: string, log: GateContext["log"], from?: Root): Promise<ResolvedPath> {
	try {
		return await resolveLinks(look, path, from);
	} catch (error) {
		return { real: toForwardSlashes(nativePath.resolve(path)), unresolved: { error: reasonOf(error, log) } };
	}
}

function unresolvedReason(given: string, unresolved: NonNullable<ResolvedPath["unresolved"]>): string {
	if (unresolved === "loop") return t("{0} can't be used because its symbolic links form a loop. Choose another path.", given);
	return t("{0} can't be accessed. {1} Choose another path.", given, unresolved.error);
}

/** Relative to the first folder that contains it; "." for the folder itself. */
function insideOf(folders: readonly string[], path: string): string | undefined {
	for (const folder of folders) {
		const relative = toForwardSlashes(nativePath.relative(folder, path));
		if (relative === "") return ".";
		if (relative !== ".." && !relative.startsWith("../") && !nativePath.isAbsolute(relative)) return relative;
	}
	return undefined;
}

/** Git folders are recognized by content: linked work trees, submodules, and bare repositories have no `.git` in their path. */
async function inGitFolder(fact: PathFacts, folder: boolean, look: LstatCache, plain: Map<string, string>): Promise<boolean> {
	const depth = fact.realInside === "." ? 0 : (fact.realInside ?? "").split("/").length;
	const folders: string[] = [];
	for (let path = fact.real, up = 0; up <= depth; up++, path = nativePath.dirname(path)) if (up > 0 || folder) folders.push(path);
	// A path to be written counts as existing, because it may be the last part that makes a git folder.
	const written = fact.use === "read" ? undefined : fact.real;
	// Checks from the outermost folder in batches, and stops at the first one that does not exist: a path may have thousands.
	folders.reverse();
	for (let from = 0; from < folders.length; from += BATCH_SIZE) {
		const batch = folders.slice(from, from + BATCH_SIZE);
		const found = batch.map((path) => (written === undefined ? isGitFolderToRead(look, path, plain) : isGitFolder(look, path, written)));
		if ((await Promise.all(found)).includes(true)) return true;
		if ((await look(batch.at(-1) as string).catch(() => ({}))) === undefined) return false;
	}
	return false;
}

const BATCH_SIZE = 16;

/**
 * Does not ask again while a folder has the same names. Only for reading: on some disks, a folder's times don't move, and what may move
 * folders may read them anyway.
 */
async function isGitFolderToRead(look: LstatCache, path: string, plain: Map<string, string>): Promise<boolean> {
	const names = (await look(path).catch(() => undefined))?.names;
	if (names !== undefined && plain.get(path) === names) return false;
	if (await isGitFolder(look, path)) return true;
	if (plain.size >= MAX_PLAIN) plain.clear();
	if (names !== undefined) plain.set(path, names);
	return false;
}

const MAX_PLAIN = 10_000;

/** A Windows disk, mounted anywhere, resolves `GIT~1` to `.git` without reporting it. A name that does not exist is an ordinary name. */
async function hasShortName({ real, realInside = "" }: PathFacts, look: LstatCache): Promise<boolean> {
	const parts = realInside.split("/");
	const last = parts.findLastIndex((part) => SHORT_NAME.test(part));
	if (last < 0) return false;
	const path = toForwardSlashes(nativePath.join(real, ...parts.slice(last + 1).map(() => "..")));
	return (await look(path).catch(() => undefined)) !== undefined;
}

const SHORT_NAME = /^[^.~]{1,6}~\d{1,2}(\.[^.~]{0,3})?$/;

/** `written` and its parents count as existing. One command may create two parts, so the first one besides `HEAD` counts as both. */
export async function isGitFolder(look: LstatCache, path: string, written?: string): Promise<boolean> {
	const isCreated = (name: string) =>
		written !== undefined && `${written}/`.startsWith(`${toForwardSlashes(nativePath.join(path, name))}/`);
	const has = async (name: string) => isCreated(name) || (await look(nativePath.join(path, name)).catch(() => undefined)) !== undefined;
	if (!(await has("HEAD"))) return false;
	if (await has("commondir")) return true;
	const [objects, refs] = await Promise.all([has("objects"), has("refs")]);
	return (objects && refs) || ((objects || refs) && ["HEAD", "objects", "refs"].some(isCreated));
}

// Gate layer 4: protects editor, home, and system folders that a workspace contains or is.
import type { GateContext, HostFolder } from "../core/ports/gate.ts";
import type { PathFacts, ProtectedLocation } from "../core/ports/tool.ts";
import { createNameTable } from "../core/protected/namePatterns.ts";
import { findProtectedPart, normalizeName, normalizePathParts, slicePathParts } from "../core/protected/protectedNames.ts";
import { t } from "../shared/l10n.ts";
import { toForwardSlashes } from "./resolveLinks.ts";
import { writeProtectedNames } from "./writeProtectedNames.ts";

/** Returns why a path requires approval because of a host folder; undefined if it does not. */
export type HostProtection = (path: string, purpose: "read" | "write") => ProtectedLocation | undefined;

/** A folder's path as given, and with links resolved. */
interface Root {
	literal: string;
	real: string;
}

/** Protected entries of a home folder, besides names starting with a dot; `write` are folders that contain only programs. */
const HOME = {
	all: new Set(["library", "appdata", "snap", "application data", "local settings", "ntuser.dat", "ntuser.ini"]),
	write: new Set(["bin", "sbin", "applications", "start menu"]),
};

/** Protected entries of the file system root, if that is the workspace. */
const SYSTEM = {
	all: new Set([
		...["proc", "sys", "dev", "run", "boot", "etc", "private", "system", ".vol", ".file"],
		...["system volume information", "$recycle.bin", "recovery"],
	]),
	write: new Set([
		...["bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "usr", "opt", "snap", "nix", "gnu", "var", "init"],
		...["library", "applications", "cores", "windows", "program files", "program files (x86)", "programdata", "perflogs"],
	]),
};

/** Usual locations of home folders, including those of other systems and of container users. */
const USUAL_HOMES = /^(?:\/home|\/users|\/[a-z]:\/users|\/mnt\/[a-z]\/users)\/[^/]+/;
/** Workspaces that may contain home folders, including a Windows home folder under WSL. */
const MAY_CONTAIN_HOMES = /^(?:|\/home|\/users|\/[a-z]:|\/[a-z]:\/users|\/mnt|\/mnt\/[a-z]|\/mnt\/[a-z]\/users(?:\/[^/]+)?)$/;

interface Known {
	/** Host folders by normalized path. */
	folders: Map<string, HostFolder>;
	homes: string[];
	/** Workspace folders. */
	roots: string[];
}

/** Milliseconds for which resolved links are cached. */
const CACHE_TIME = 60_000;

/** Caches the protected places, so that checks are cheap; `realOf` resolves the links of folders. */
export function createHostProtection(
	{ hostFolders, homes = [], copied }: Pick<GateContext, "hostFolders" | "homes" | "copied">,
	realOf: (paths: readonly string[]) => Promise<Root[]>,
): (roots: readonly Root[]) => Promise<HostProtection> {
	let known: { at: number; folders: readonly HostFolder[] | undefined; roots: string; places: Promise<HostProtection> } | undefined;
	return (roots) => {
		const folders = hostFolders?.();
		const named = roots.map(({ literal, real }) => `${literal}\n${real}`).join("\n");
		const fits = known?.folders === folders && known?.roots === named;
		if (known && fits && performance.now() - known.at < CACHE_TIME) return known.places;
		const places = resolvePlaces({ folders: folders ?? [], homes, roots, inStorage: copied !== undefined }, realOf);
		// Stale places are returned once more while they are refreshed, so that nobody waits.
		const now = known && fits ? known.places : places;
		known = { at: performance.now(), folders, roots: named, places };
		return now;
	};
}

interface PlacesOptions {
	folders: readonly HostFolder[];
	homes: readonly string[];
	roots: readonly Root[];
	/** The workspace is in our storage, so what is around it says nothing about its files. */
	inStorage: boolean;
}

async function resolvePlaces(
	{ folders, homes, roots, inStorage }: PlacesOptions,
	realOf: (paths: readonly string[]) => Promise<Root[]>,
): Promise<HostProtection> {
	const both = (places: readonly Root[]) => [
		...new Set(places.flatMap(({ literal, real }) => [normalizePath(literal), normalizePath(real)])),
	];
	const [found, realHomes] = await Promise.all([realOf(folders.map(({ path }) => path)), realOf(homes)]);
	const known: Known = { folders: new Map(), homes: both(realHomes), roots: both(roots) };
	for (const [index, folder] of folders.entries()) {
		for (const path of both([found[index] as Root])) {
			if (inStorage && known.roots.some((root) => isInside(root, path))) continue;
			// If a folder has two kinds, the stricter one applies.
			if (path !== "" && STRICTNESS[known.folders.get(path)?.kind ?? "none"] < STRICTNESS[folder.kind]) known.folders.set(path, folder);
		}
	}
	const above = known.roots.some((root) => containsHome(known, root));
	const near = [...known.folders.keys()].some((path) => known.roots.some((root) => isInside(path, root) || isInside(root, path)));
	return above || near ? (path, purpose) => protectionOf(known, normalizePath(path), purpose) : () => undefined;
}

const STRICTNESS: Record<HostFolder["kind"] | "none", number> = { data: 3, programs: 2, "search path": 1, none: 0 };

function protectionOf(known: Known, path: string, purpose: "read" | "write"): ProtectedLocation | undefined {
	// The innermost opened folder applies, even if a folder that contains it is open, too.
	const root = known.roots.filter((candidate) => isInside(path, candidate)).sort((left, right) => right.length - left.length)[0];
	if (root === undefined) return undefined;
	const home = containsHome(known, root);
	for (let at = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
		const folder = known.folders.get(at);
		if (!folder || (folder.kind !== "data" && purpose === "read") || (folder.kind === "search path" && !home)) continue;
		return LOCATIONS[folder.kind];
	}
	if (
		purpose === "write" &&
		[...known.folders].some(([inner, { kind }]) => kind !== "search path" && inner !== path && isInside(inner, path))
	) {
		return { kind: "above editor" };
	}
	return home ? (inHome(known, path, root, purpose) ?? inSystem(known, path, root, purpose)) : undefined;
}

const LOCATIONS: Record<HostFolder["kind"], ProtectedLocation> = {
	data: { kind: "editor" },
	programs: { kind: "editor programs" },
	"search path": { kind: "search path" },
};

function containsHome({ homes }: Known, root: string): boolean {
	return MAY_CONTAIN_HOMES.test(root) || homes.some((home) => isInside(home, root));
}

/** The user's home folder, and those of other users. */
function inHome({ homes }: Known, path: string, root: string, purpose: "read" | "write"): ProtectedLocation | undefined {
	const otherHomes = [...homes.map((home) => neighbor(home, path)), USUAL_HOMES.exec(path)?.[0]];
	// A part of another user's home folder that was opened directly is a project.
	const openedHomes = otherHomes.filter(
		(home) => home !== undefined && isInside(home, root) && (home !== root || home.startsWith("/mnt/")),
	);
	for (const home of [...homes, ...openedHomes] as string[]) {
		const name = isInside(path, home) ? path.slice(home.length + 1).split("/")[0] : undefined;
		if (name === undefined || name === "") continue;
		if (name.startsWith(".") || HOME.all.has(name) || name.startsWith("ntuser.dat") || (purpose === "write" && HOME.write.has(name))) {
			return { kind: "home" };
		}
	}
	return undefined;
}

/** The sibling of a home folder that contains the path. A home at the top of the file system has no siblings. */
function neighbor(home: string, path: string): string | undefined {
	const parent = home.slice(0, home.lastIndexOf("/"));
	if (parent === "" || /^\/[a-z]:$/.test(parent) || !path.startsWith(`${parent}/`)) return undefined;
	return `${parent}/${path.slice(parent.length + 1).split("/")[0]}`;
}

/** Applies only if the root of the file system was opened. */
function inSystem({ homes }: Known, path: string, root: string, purpose: "read" | "write"): ProtectedLocation | undefined {
	if (!/^(\/[a-z]:)?$/.test(root) || homes.some((home) => home !== "" && isInside(path, home))) return undefined;
	const [name = ""] = path.slice(root.length + 1).split("/");
	return SYSTEM.all.has(name) || (purpose === "write" && SYSTEM.write.has(name)) ? { kind: "system" } : undefined;
}

/** Returns true if a path is the folder or is inside it. */
function isInside(path: string, folder: string): boolean {
	return path === folder || path.startsWith(`${folder}/`);
}

/** "/a/b", "/c:/a", or "" for the root. */
function normalizePath(path: string): string {
	const parts = toForwardSlashes(path)
		.split("/")
		.filter((part) => part !== "");
	return parts.map((part) => `/${normalizeName(part)}`).join("");
}

const writeProtected = createNameTable(writeProtectedNames.flatMap(({ names }) => names));

export function protectedPlace(fact: PathFacts): { reason: string; rule: string } | undefined {
	const purpose = fact.use === "read" ? "read" : "write";
	if (purpose === "read" && fact.guide) return undefined;
	const { given } = fact;
	if (fact.literalInside === undefined || fact.realInside === undefined) {
		const outside = fact.literalInside === undefined;
		const reason = outside ? t("{0} is outside the workspace.", given) : t("{0} points to a location outside the workspace.", given);
		return { reason, rule: "outside the workspace" };
	}
	if (fact.guarded !== undefined) return { reason: locationReason(given, fact.guarded), rule: fact.guarded.kind };
	const insides = fact.literalInside === fact.realInside ? [fact.realInside] : [fact.literalInside, fact.realInside];
	for (const inside of insides) {
		const name = protectedName(inside, purpose);
		if (name === undefined) continue;
		const reason = name === given ? t("{0} is a protected location.", given) : t("{0} is a protected location ({1}).", given, name);
		return { reason, rule: name };
	}
	if (purpose === "write" && !fact.scriptsUnchanged && insides.some(isManifest)) {
		return { reason: t("{0} controls which scripts run.", given), rule: "package.json" };
	}
	const hardLinked = (fact.links ?? 1) > 1 && !(purpose === "read" && isDependency(fact));
	if (!hardLinked) return undefined;
	return { reason: t("{0} has more than one hard link, so the same file may exist outside the workspace.", given), rule: "hard link" };
}

function locationReason(given: string, { kind, name = "" }: ProtectedLocation): string {
	return LOCATION_REASONS[kind](given, name);
}

const LOCATION_REASONS: Record<ProtectedLocation["kind"], (given: string, name: string) => string> = {
	storage: (given) => t("{0} belongs to Troupe's storage.", given),
	"above storage": (given) => t("{0} contains Troupe's storage.", given),
	editor: (given) => t("{0} belongs to the editor.", given),
	"editor programs": (given) => t("{0} belongs to the editor's programs and extensions.", given),
	"above editor": (given) => t("{0} contains folders of the editor.", given),
	"search path": (given) => t("{0} is in a folder on the PATH.", given),
	home: (given) => t("{0} belongs to the settings and programs of a home folder.", given),
	system: (given) => t("{0} belongs to the system.", given),
	"short name": (given) => t("{0} might be the short name of another file on a Windows disk.", given),
	"git folder": (given) => t("{0} is in a git folder with another name.", given),
	"too many files": (given) => t("{0} contains too many files to check.", given),
	"above protected": (given, name) => t("{0} contains a protected location ({1}).", given, name),
};

/** The part of a path, relative to its folder, that makes it protected. */
export function protectedName(inside: string, purpose: "read" | "write"): string | undefined {
	const secret = findProtectedPart(inside);
	if (secret !== undefined) return secret;
	if (purpose === "read") return undefined;
	const found = writeProtected.find(normalizePathParts(inside));
	return found && slicePathParts(inside, found);
}

/** Manifests of installed packages do not count: running a package runs all of its files. */
function isManifest(inside: string): boolean {
	return MANIFESTS.has(normalizePathParts(inside).at(-1) ?? "") && !inside.split("/").includes("node_modules");
}

const MANIFESTS = new Set(["package.json", "package.json5", "package.yaml", "package.yml"]);

function isDependency(fact: PathFacts): boolean {
	return fact.realInside?.split("/").includes("node_modules") === true;
}

// Creates the sandbox policies: read-only without secrets, and write access to the workspace and caches.
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isHomeFolder, listCredentialRules, listOtherHomeRules, listSystemCredentialRules } from "./homeRules.ts";
import { isWithin, type PathRule, type SandboxPolicy } from "./policy.ts";
import { coverPaths, listToolRoots, listVisibleRules, pathKind, resolveRealPathSync } from "./protectedPlaces.ts";
import { findListeningSockets, listServiceFolders } from "./sockets.ts";

export interface SandboxContext {
	/** The person's home folder. */
	homeFolder: string;
	/** Of the workspace. */
	folders: readonly string[];
	cwd: string;
	/** The search path of the command. */
	searchPath: string;
	/** Folders of our own storage. */
	hiddenFolders: readonly string[];
	/** What of our storage commands may read: programs and guides that we wrote. */
	readableFolders: readonly string[];
}

/** `masked` cannot be opened; what is in `shown` is seen all the same. Paths lead where they say. */
export function createReadOnlyPolicy(here: SandboxContext, masked: readonly string[], shown: ReadonlySet<string>): SandboxPolicy {
	const secret = [
		...listOtherHomeRules(realHome(here), realFolders(here)),
		...listCredentialRules(realHome(here)),
		...listSystemCredentialRules(),
	];
	const shallow = [...masked].sort((one, other) => one.split("/").length - other.split("/").length);
	const files = shallow.slice(0, MAX_MASKED_PATHS).flatMap((path): PathRule[] => {
		const kind = pathKind(path);
		return kind ? [{ path, access: "hidden", kind }] : [];
	});
	const hidden = [...secret, ...files].filter(({ path }) => !shown.has(path));
	return {
		rules: [...bare(here), ...hidden, ...needed(here, secret), ...here.folders.flatMap((folder) => listVisibleRules(folder))],
		network: false,
		workspaceWrite: false,
	};
}

/** Known places of credentials that lie in the workspace. */
export function listWorkspaceCredentials(here: SandboxContext): string[] {
	const folders = realFolders(here);
	const paths = listCredentialRules(realHome(here)).map(({ path }) => path);
	return paths.filter((path) => folders.some((folder) => isWithin(path, folder)));
}

interface WriteAccess {
	/** Caches of the person outside the workspace. */
	caches: readonly string[];
	/** The folder of those that commands in the sandbox have to themselves. */
	sandboxCaches: string;
	/** Protected places of the workspace that are there. */
	protectedPaths: readonly string[];
	/** Of the repository that may be written. */
	repositoryRules: readonly PathRule[];
	network: boolean;
	/** A socket that is handed to the command by name: of an agent for keys, for example. */
	allowedSockets: readonly string[];
}

export function createWorkspaceWritePolicy(
	here: SandboxContext,
	{ caches, sandboxCaches: own, protectedPaths: guarded, repositoryRules: repository, network, allowedSockets: handed }: WriteAccess,
): SandboxPolicy {
	const written = [...caches, ...here.folders].flatMap((path) => (isOfTheKernel(path) ? [] : listVisibleRules(path, "writable")));
	const kept = coverPaths(guarded, realFolders(here)).flatMap((path): PathRule[] => {
		const [real, kind] = [resolveRealPathSync(path), pathKind(path)];
		return real !== undefined && kind ? [{ path: real, access: "readable", kind }] : [];
	});
	const reached = network ? ["/etc/resolv.conf", ...handed].flatMap((path) => listVisibleRules(path)) : [];
	const seen = [realHome(here), ...realFolders(here)];
	const services = listServiceFolders(realHome(here), realFolders(here));
	const { sockets, hasAbstractSockets: nameless, truncated: more } = findListeningSockets(seen, handed);
	const spoken = [
		...services.map((path): PathRule => ({ path, access: "hidden", kind: "folder" })),
		...sockets.map((path): PathRule => ({ path, access: "hidden", kind: "file" })),
	];
	const places = [...bare(here), ...needed(here, []), ...spoken, ...written, ...openHome(here), ...kept, ...repository, ...reached];
	// A name without a file belongs to the network, and nothing covers it: there git alone may still ask an agent for keys.
	const named = network && nameless && (handed.length === 0 || repository.length === 0);
	return {
		rules: [...places, ...hiddenStorage(here), ...listVisibleRules(own, "writable")],
		network,
		workspaceWrite: true,
		...((named || more) && { blockUnixSockets: true }),
	};
}

/** Its settings are files, which root may write without any capability, and other processes' folders lead out. */
function isOfTheKernel(path: string): boolean {
	const real = resolveRealPathSync(path);
	return real !== undefined && ["/proc", "/sys", "/dev"].some((folder) => isWithin(real, folder));
}

/** Folders of a home that hold what runs by itself, beside all whose name begins with a dot. */
const HOME_PROGRAMS = new Set(["bin", "Library", "AppData", "snap", "Applications"]);
/** Each costs time; what is decided never rests on them. */
export const MAX_MASKED_PATHS = 100;

/** What nobody needs of others: files for a moment, and where services are spoken to. */
function bare(here: SandboxContext): PathRule[] {
	const passing = ["/tmp", "/var/tmp"].flatMap((path) => resolveRealPathSync(path) ?? []);
	const services = ["/run", "/var/run"].flatMap((path) => resolveRealPathSync(path) ?? []);
	return [
		...passing.map((path): PathRule => ({ path, access: "own", kind: "folder" })),
		...services.map((path): PathRule => ({ path, access: "hidden", kind: "folder" })),
		...hiddenStorage(here),
	];
}

function hiddenStorage({ hiddenFolders: storage, readableFolders: shared }: SandboxContext): PathRule[] {
	const folders = storage.flatMap((path) => (pathKind(path) === "folder" ? (resolveRealPathSync(path) ?? []) : []));
	return [
		...folders.map((path): PathRule => ({ path, access: "hidden", kind: "folder" })),
		...shared.flatMap((path) => listVisibleRules(path)),
	];
}

/** Home, tools and the folder that the command runs in. A tool's folder that holds credentials shows its programs only. */
function needed(here: SandboxContext, credentials: readonly PathRule[]): PathRule[] {
	const home = realHome(here);
	const secret = new Set(credentials.map(({ path }) => path));
	const roots = listToolRoots(here.searchPath, home, isHomeFolder).filter((root) => !secret.has(root));
	const folders = realFolders(here);
	const places = [home, ...roots, here.cwd].flatMap((path) => listVisibleRules(path));
	// What lies in the workspace is seen as the workspace is.
	return places.filter(({ path }) => !folders.some((folder) => isWithin(path, folder)));
}

/** A home folder that is worked in: what is plainly visible there can be written, nothing new can be put beside it. */
function openHome(here: SandboxContext): PathRule[] {
	const home = realHome(here);
	if (!realFolders(here).some((folder) => isWithin(home, folder))) return [];
	const folders = realFolders(here).filter((folder) => isWithin(home, folder));
	const entries = readdirSync(home, { withFileTypes: true });
	const plain = entries.filter(({ name }) => !name.startsWith(".") && !HOME_PROGRAMS.has(name)).map(({ name }) => join(home, name));
	return [
		...folders.map((path): PathRule => ({ path, access: "readable", kind: "folder" })),
		...plain.flatMap((path): PathRule[] => {
			const kind = pathKind(path);
			return kind && resolveRealPathSync(path) === path ? [{ path, access: "writable", kind }] : [];
		}),
	];
}

function realHome({ homeFolder: home }: SandboxContext): string {
	return resolveRealPathSync(home) ?? home;
}

function realFolders({ folders }: SandboxContext): string[] {
	return folders.flatMap((folder) => resolveRealPathSync(folder) ?? []);
}

/** Variables that are not set otherwise, each with a folder below `folder`, which is made. */
export function createCacheVariables(folder: string, env: Readonly<Record<string, string>>): Record<string, string> {
	const missing = CACHES.filter(([variable]) => env[variable] === undefined);
	for (const [, name] of missing) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
	return Object.fromEntries(missing.map(([variable, name]) => [variable, join(folder, name)]));
}

/** Without these folders such programs do nothing at all, or everything anew. */
const CACHES = [
	["GOCACHE", "go-build"],
	["GOLANGCI_LINT_CACHE", "golangci-lint"],
	["CCACHE_DIR", "ccache"],
	["ZIG_GLOBAL_CACHE_DIR", "zig"],
] as const;

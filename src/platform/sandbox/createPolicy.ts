// Creates the sandbox policies: read-only without secrets, and write access to the workspace and caches.
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isHomeFolder, listCredentialRules, listOtherHomeRules, listSystemCredentialRules } from "./homeRules.ts";
import { isWithin, type PathRule, type SandboxPolicy } from "./policy.ts";
import { coverPaths, listToolRoots, listVisibleRules, pathKind, resolveRealPathSync } from "./protectedPlaces.ts";
import { findListeningSockets, listServiceFolders } from "./sockets.ts";

export interface SandboxContext {
	/** The user's home folder. */
	homeFolder: string;
	/** Workspace folders. */
	folders: readonly string[];
	cwd: string;
	/** The command's PATH. */
	searchPath: string;
	/** Folders of our own storage. */
	hiddenFolders: readonly string[];
	/** Parts of our storage that commands may read: programs and guides that we wrote. */
	readableFolders: readonly string[];
}

/** `masked` paths cannot be opened, except those in `shown`. All paths must be resolved. */
export function createReadOnlyPolicy(context: SandboxContext, masked: readonly string[], shown: ReadonlySet<string>): SandboxPolicy {
	const secret = [
		...listOtherHomeRules(realHome(context), realFolders(context)),
		...listCredentialRules(realHome(context)),
		...listSystemCredentialRules(),
	];
	const shallow = [...masked].sort((left, right) => left.split("/").length - right.split("/").length);
	const files = shallow.slice(0, MAX_MASKED_PATHS).flatMap((path): PathRule[] => {
		const kind = pathKind(path);
		return kind ? [{ path, access: "hidden", kind }] : [];
	});
	const hidden = [...secret, ...files].filter(({ path }) => !shown.has(path));
	return {
		rules: [
			...baseRules(context),
			...hidden,
			...listNeededRules(context, secret),
			...context.folders.flatMap((folder) => listVisibleRules(folder)),
		],
		network: false,
		workspaceWrite: false,
	};
}

/** Known credential paths inside the workspace. */
export function listWorkspaceCredentials(context: SandboxContext): string[] {
	const folders = realFolders(context);
	const paths = listCredentialRules(realHome(context)).map(({ path }) => path);
	return paths.filter((path) => folders.some((folder) => isWithin(path, folder)));
}

interface WriteAccess {
	/** The user's caches outside the workspace. */
	caches: readonly string[];
	/** The cache folder that only sandboxed commands use. */
	sandboxCaches: string;
	/** Existing protected paths of the workspace. */
	protectedPaths: readonly string[];
	/** Rules for a repository that may be written. */
	repositoryRules: readonly PathRule[];
	network: boolean;
	/** Sockets passed to the command explicitly, for example of a key agent. */
	allowedSockets: readonly string[];
}

export function createWorkspaceWritePolicy(
	context: SandboxContext,
	{
		caches,
		sandboxCaches: sandboxFolder,
		protectedPaths: guarded,
		repositoryRules: repository,
		network,
		allowedSockets: handed,
	}: WriteAccess,
): SandboxPolicy {
	const writableRules = [...caches, ...context.folders].flatMap((path) => (isKernelPath(path) ? [] : listVisibleRules(path, "writable")));
	const protectedRules = coverPaths(guarded, realFolders(context)).flatMap((path): PathRule[] => {
		const [real, kind] = [resolveRealPathSync(path), pathKind(path)];
		return real !== undefined && kind ? [{ path: real, access: "readable", kind }] : [];
	});
	const networkRules = network ? ["/etc/resolv.conf", ...handed].flatMap((path) => listVisibleRules(path)) : [];
	const seen = [realHome(context), ...realFolders(context)];
	const services = listServiceFolders(realHome(context), realFolders(context));
	const { sockets, hasAbstractSockets: nameless, truncated: more } = findListeningSockets(seen, handed);
	const socketRules = [
		...services.map((path): PathRule => ({ path, access: "hidden", kind: "folder" })),
		...sockets.map((path): PathRule => ({ path, access: "hidden", kind: "file" })),
	];
	const places = [
		...baseRules(context),
		...listNeededRules(context, []),
		...socketRules,
		...writableRules,
		...openHome(context),
		...protectedRules,
		...repository,
		...networkRules,
	];
	// Abstract sockets belong to the network and cannot be covered by a path. With those, only git may still reach a key agent.
	const abstractReachable = network && nameless && (handed.length === 0 || repository.length === 0);
	return {
		rules: [...places, ...hiddenStorage(context), ...listVisibleRules(sandboxFolder, "writable")],
		network,
		workspaceWrite: true,
		...((abstractReachable || more) && { blockUnixSockets: true }),
	};
}

/** Kernel settings are files that root may write without capabilities, and other processes' folders lead outside. */
function isKernelPath(path: string): boolean {
	const real = resolveRealPathSync(path);
	return real !== undefined && ["/proc", "/sys", "/dev"].some((folder) => isWithin(real, folder));
}

/** Home folders with programs that run automatically, in addition to those whose name begins with a dot. */
const HOME_PROGRAMS = new Set(["bin", "Library", "AppData", "snap", "Applications"]);
/** Limited because each costs time; no decision depends on them. */
export const MAX_MASKED_PATHS = 100;

/** Folders that are replaced or hidden for every command: temporary files and service sockets. */
function baseRules(context: SandboxContext): PathRule[] {
	const temporary = ["/tmp", "/var/tmp"].flatMap((path) => resolveRealPathSync(path) ?? []);
	const services = ["/run", "/var/run"].flatMap((path) => resolveRealPathSync(path) ?? []);
	return [
		...temporary.map((path): PathRule => ({ path, access: "own", kind: "folder" })),
		...services.map((path): PathRule => ({ path, access: "hidden", kind: "folder" })),
		...hiddenStorage(context),
	];
}

function hiddenStorage({ hiddenFolders: storage, readableFolders: shared }: SandboxContext): PathRule[] {
	const folders = storage.flatMap((path) => (pathKind(path) === "folder" ? (resolveRealPathSync(path) ?? []) : []));
	return [
		...folders.map((path): PathRule => ({ path, access: "hidden", kind: "folder" })),
		...shared.flatMap((path) => listVisibleRules(path)),
	];
}

/** Home, tools and the working folder. A tool folder that contains credentials shows only its programs. */
function listNeededRules(context: SandboxContext, credentials: readonly PathRule[]): PathRule[] {
	const home = realHome(context);
	const secret = new Set(credentials.map(({ path }) => path));
	const roots = listToolRoots(context.searchPath, home, isHomeFolder).filter((root) => !secret.has(root));
	const folders = realFolders(context);
	const places = [home, ...roots, context.cwd].flatMap((path) => listVisibleRules(path));
	// Paths in the workspace follow the workspace's rules.
	return places.filter(({ path }) => !folders.some((folder) => isWithin(path, folder)));
}

/** Rules for a home folder opened as a workspace: visible entries can be written, but nothing new can be created in it. */
function openHome(context: SandboxContext): PathRule[] {
	const home = realHome(context);
	if (!realFolders(context).some((folder) => isWithin(home, folder))) return [];
	const folders = realFolders(context).filter((folder) => isWithin(home, folder));
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

/** Cache variables that are not set, each with a folder that is created below `folder`. */
export function createCacheVariables(folder: string, env: Readonly<Record<string, string>>): Record<string, string> {
	const missing = CACHES.filter(([variable]) => env[variable] === undefined);
	for (const [, name] of missing) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
	return Object.fromEntries(missing.map(([variable, name]) => [variable, join(folder, name)]));
}

/** Without these folders such programs fail or start from scratch every time. */
const CACHES = [
	["GOCACHE", "go-build"],
	["GOLANGCI_LINT_CACHE", "golangci-lint"],
	["CCACHE_DIR", "ccache"],
	["ZIG_GLOBAL_CACHE_DIR", "zig"],
] as const;

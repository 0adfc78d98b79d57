// Finds Unix domain sockets of outside processes, including likely future ones, for the sandbox to cover.

// A process that can connect to one of them is no longer confined.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin } from "./policy.ts";
import { pathKind, resolveRealPathSync } from "./protectedPlaces.ts";

export interface ListeningSockets {
	/** Resolved paths, as many as can be covered. */
	sockets: string[];
	/** True if there are more. */
	truncated: boolean;
	/** True if there are abstract sockets, which belong to the network and cannot be covered. */
	hasAbstractSockets: boolean;
}

/**
 * Sockets that a command would see, with home and workspace in `seen`: those in the kernel's list, and all others in their
 * folders or in those of key agents, because some are first bound to another name (ssh's shared connections). Excludes `handed`.
 */
export function findListeningSockets(seen: readonly string[], handed: readonly string[]): ListeningSockets {
	const lines = readKernelSockets();
	const excluded = new Set(handed.map(resolveRealPathSync));
	const named = new Set(lines.flatMap((line) => /^\S+ (?:\S+ +){6}(\/.*)$/.exec(line)?.[1] ?? []));
	const folders = [
		...[...named].map((path) => dirname(path)),
		...seen.flatMap((home) => [".ssh", ".gnupg"].map((name) => join(home, name))),
	];
	const inSocketFolders = [...new Set(folders)].flatMap((path) => resolveRealPathSync(path) ?? []).filter((path) => isSeen(path, seen));
	const paths = [...[...named].flatMap((path) => resolveRealPathSync(path) ?? []), ...inSocketFolders.flatMap(socketsIn)];
	const found = [...new Set(paths)].filter((path) => !excluded.has(path) && isSeen(path, seen));
	return {
		sockets: found.slice(0, MOST),
		truncated: found.length > MOST,
		hasAbstractSockets: lines.some((line) => ABSTRACT_SOCKET.test(line)),
	};
}

/** Folders where services that run programs on request may create sockets, except those that contain a workspace folder. */
export function listServiceFolders(home: string, folders: readonly string[]): string[] {
	const paths = [...SERVICES.map((name) => join(home, name)), ...SYSTEM_SERVICES].flatMap((path) => resolveRealPathSync(path) ?? []);
	return paths.filter((path) => pathKind(path) === "folder" && !folders.some((folder) => isWithin(folder, path)));
}

const SERVICES = [
	...[".docker/run", ".docker/desktop", ".colima", ".lima", ".orbstack/run", ".local/share/containers/podman/machine"],
	...[".rd", ".1password", ".minikube/machines"],
];
const SYSTEM_SERVICES = ["/var/snap/lxd/common/lxd", "/var/lib/lxd", "/var/lib/incus", "/var/lib/docker"];
const MOST = 60;
/** A named abstract socket in the kernel's list; five hex digits are assigned automatically to clients. */
const ABSTRACT_SOCKET = / @(?![0-9a-f]{5}$)/;
const HIDDEN_WHOLE = ["/run", "/tmp", "/var/tmp", "/var/run", "/dev", "/proc"];

function isSeen(path: string, seen: readonly string[]): boolean {
	return seen.some((folder) => isWithin(path, folder)) || !HIDDEN_WHOLE.some((folder) => isWithin(path, folder));
}

function socketsIn(folder: string): string[] {
	try {
		return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isSocket() ? [join(folder, entry.name)] : []));
	} catch {
		return [];
	}
}

/** Lines of the kernel's list; none if it does not exist. */
function readKernelSockets(): string[] {
	try {
		return readFileSync("/proc/net/unix", "utf8").split("\n");
	} catch {
		return [];
	}
}

// Finds file system sockets that outside processes listen on, or will, for the sandbox to cover.

// A process that can talk to one of them is no longer confined.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin } from "./policy.ts";
import { pathKind, resolveRealPathSync } from "./protectedPlaces.ts";

export interface ListeningSockets {
	/** Real paths, as many as can be covered. */
	sockets: string[];
	/** There are more. */
	truncated: boolean;
	/** Some have a name without a file: that belongs to the network, and nothing covers it. */
	hasAbstractSockets: boolean;
}

/**
 * What would be seen, home and workspace being `seen`: sockets that the kernel names, and all that lie beside one of them or
 * where agents for keys have theirs. Some are bound under another name first (connections that ssh shares). `handed` stay.
 */
export function findListeningSockets(seen: readonly string[], handed: readonly string[]): ListeningSockets {
	const lines = listed();
	const kept = new Set(handed.map(resolveRealPathSync));
	const named = new Set(lines.flatMap((line) => /^\S+ (?:\S+ +){6}(\/.*)$/.exec(line)?.[1] ?? []));
	const folders = [
		...[...named].map((path) => dirname(path)),
		...seen.flatMap((home) => [".ssh", ".gnupg"].map((name) => join(home, name))),
	];
	const beside = [...new Set(folders)].flatMap((path) => resolveRealPathSync(path) ?? []).filter((path) => isSeen(path, seen));
	const paths = [...[...named].flatMap((path) => resolveRealPathSync(path) ?? []), ...beside.flatMap(socketsIn)];
	const found = [...new Set(paths)].filter((path) => !kept.has(path) && isSeen(path, seen));
	return { sockets: found.slice(0, MOST), truncated: found.length > MOST, hasAbstractSockets: lines.some((line) => NAMELESS.test(line)) };
}

/** Where services that run programs for whoever asks put their sockets at any time; not those that hold a workspace folder. */
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
/** A socket in the kernel's list whose name is no file; five digits are what it gives to those that only call others. */
const NAMELESS = / @(?![0-9a-f]{5}$)/;
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

/** Lines of the kernel's list; none where there is no such list. */
function listed(): string[] {
	try {
		return readFileSync("/proc/net/unix", "utf8").split("\n");
	} catch {
		return [];
	}
}

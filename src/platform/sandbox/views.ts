// The two views: what only reads sees the disk without secrets; what works in the workspace can write there and in caches.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { credentialPlaces, isHome, otherHomes, systemCredentials } from "./home.ts";
import { covering } from "./protectedPlaces.ts";
import { listeners, serviceFolders } from "./sockets.ts";
import { type Place, type View, within } from "./view.ts";
import { kindOf, realOf, toolRoots, visible } from "./visible.ts";

export interface Surroundings {
	/** The person's home folder. */
	home: string;
	/** Of the workspace. */
	folders: readonly string[];
	cwd: string;
	/** The search path of the command. */
	searchPath: string;
	/** Folders of our own storage. */
	storage: readonly string[];
	/** What of our storage commands may read: programs and guides that we wrote. */
	shared: readonly string[];
}

/** `masked` cannot be opened; what is in `shown` is seen all the same. Paths lead where they say. */
export function readView(here: Surroundings, masked: readonly string[], shown: ReadonlySet<string>): View {
	const secret = [...otherHomes(realHome(here), realFolders(here)), ...credentialPlaces(realHome(here)), ...systemCredentials()];
	const shallow = [...masked].sort((one, other) => one.split("/").length - other.split("/").length);
	const files = shallow.slice(0, MOST_MASKED).flatMap((path): Place[] => {
		const kind = kindOf(path);
		return kind ? [{ path, seen: "hidden", kind }] : [];
	});
	const hidden = [...secret, ...files].filter(({ path }) => !shown.has(path));
	return {
		places: [...bare(here), ...hidden, ...needed(here, secret), ...here.folders.flatMap((folder) => visible(folder))],
		network: false,
		works: false,
	};
}

/** Known places of credentials that lie in the workspace. */
export function credentialsIn(here: Surroundings): string[] {
	const folders = realFolders(here);
	const paths = credentialPlaces(realHome(here)).map(({ path }) => path);
	return paths.filter((path) => folders.some((folder) => within(path, folder)));
}

export interface Writing {
	/** Caches of the person outside the workspace. */
	caches: readonly string[];
	/** The folder of those that commands in the sandbox have to themselves. */
	own: string;
	/** Protected places of the workspace that are there. */
	guarded: readonly string[];
	/** Of the repository that may be written. */
	repository: readonly Place[];
	network: boolean;
	/** A socket that is handed to the command by name: of an agent for keys, for example. */
	handed: readonly string[];
}

export function workspaceView(here: Surroundings, { caches, own, guarded, repository, network, handed }: Writing): View {
	const written = [...caches, ...here.folders].flatMap((path) => (isOfTheKernel(path) ? [] : visible(path, "writable")));
	const kept = covering(guarded, realFolders(here)).flatMap((path): Place[] => {
		const [real, kind] = [realOf(path), kindOf(path)];
		return real !== undefined && kind ? [{ path: real, seen: "readable", kind }] : [];
	});
	const reached = network ? ["/etc/resolv.conf", ...handed].flatMap((path) => visible(path)) : [];
	const seen = [realHome(here), ...realFolders(here)];
	const services = serviceFolders(realHome(here), realFolders(here));
	const { sockets, nameless, more } = listeners(seen, handed);
	const spoken = [
		...services.map((path): Place => ({ path, seen: "hidden", kind: "folder" })),
		...sockets.map((path): Place => ({ path, seen: "hidden", kind: "file" })),
	];
	const places = [...bare(here), ...needed(here, []), ...spoken, ...written, ...openHome(here), ...kept, ...repository, ...reached];
	// A name without a file belongs to the network, and nothing covers it: there git alone may still ask an agent for keys.
	const named = network && nameless && (handed.length === 0 || repository.length === 0);
	return {
		places: [...places, ...hiddenStorage(here), ...visible(own, "writable")],
		network,
		works: true,
		...((named || more) && { withoutSockets: true }),
	};
}

/** Its settings are files, which root may write without any capability, and other processes' folders lead out. */
function isOfTheKernel(path: string): boolean {
	const real = realOf(path);
	return real !== undefined && ["/proc", "/sys", "/dev"].some((folder) => within(real, folder));
}

/** Folders of a home that hold what runs by itself, beside all whose name begins with a dot. */
const HOME_PROGRAMS = new Set(["bin", "Library", "AppData", "snap", "Applications"]);
/** Each costs time; what is decided never rests on them. */
export const MOST_MASKED = 100;

/** What nobody needs of others: files for a moment, and where services are spoken to. */
function bare(here: Surroundings): Place[] {
	const passing = ["/tmp", "/var/tmp"].flatMap((path) => realOf(path) ?? []);
	const services = ["/run", "/var/run"].flatMap((path) => realOf(path) ?? []);
	return [
		...passing.map((path): Place => ({ path, seen: "own", kind: "folder" })),
		...services.map((path): Place => ({ path, seen: "hidden", kind: "folder" })),
		...hiddenStorage(here),
	];
}

function hiddenStorage({ storage, shared }: Surroundings): Place[] {
	const folders = storage.flatMap((path) => (kindOf(path) === "folder" ? (realOf(path) ?? []) : []));
	return [...folders.map((path): Place => ({ path, seen: "hidden", kind: "folder" })), ...shared.flatMap((path) => visible(path))];
}

/** Home, tools and the folder that the command runs in. A tool's folder that holds credentials shows its programs only. */
function needed(here: Surroundings, credentials: readonly Place[]): Place[] {
	const home = realHome(here);
	const secret = new Set(credentials.map(({ path }) => path));
	const roots = toolRoots(here.searchPath, home, isHome).filter((root) => !secret.has(root));
	const folders = realFolders(here);
	const places = [home, ...roots, here.cwd].flatMap((path) => visible(path));
	// What lies in the workspace is seen as the workspace is.
	return places.filter(({ path }) => !folders.some((folder) => within(path, folder)));
}

/** A home folder that is worked in: what is plainly visible there can be written, nothing new can be put beside it. */
function openHome(here: Surroundings): Place[] {
	const home = realHome(here);
	if (!realFolders(here).some((folder) => within(home, folder))) return [];
	const folders = realFolders(here).filter((folder) => within(home, folder));
	const entries = readdirSync(home, { withFileTypes: true });
	const plain = entries.filter(({ name }) => !name.startsWith(".") && !HOME_PROGRAMS.has(name)).map(({ name }) => join(home, name));
	return [
		...folders.map((path): Place => ({ path, seen: "readable", kind: "folder" })),
		...plain.flatMap((path): Place[] => {
			const kind = kindOf(path);
			return kind && realOf(path) === path ? [{ path, seen: "writable", kind }] : [];
		}),
	];
}

function realHome({ home }: Surroundings): string {
	return realOf(home) ?? home;
}

function realFolders({ folders }: Surroundings): string[] {
	return folders.flatMap((folder) => realOf(folder) ?? []);
}

// Whose machine it is: what a person keeps secret in their home folder, and the homes of other people.
import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { credentials } from "./credentials.ts";
import { type Place, within } from "./view.ts";
import { kindOf, realOf } from "./visible.ts";

/** Known places of credentials that are there. Files read as empty: programs take them for not written yet. */
export function credentialPlaces(home: string): Place[] {
	return credentials.flatMap((name): Place[] => {
		const path = realOf(join(home, name));
		if (path === undefined || within(home, path)) return [];
		const kind = kindOf(path);
		return kind ? [{ path, seen: kind === "folder" ? "hidden" : "blank", kind }] : [];
	});
}

/** What the system keeps to itself, where the person is root. */
export function systemCredentials(): Place[] {
	if (process.getuid?.() !== 0) return [];
	return SYSTEM.flatMap((name): Place[] => {
		const [path, kind] = [realOf(name), kindOf(name)];
		return path !== undefined && kind ? [{ path, seen: "hidden", kind }] : [];
	});
}

const SYSTEM = [
	"/etc/shadow",
	"/etc/gshadow",
	"/etc/ssl/private",
	"/etc/wireguard",
	"/etc/krb5.keytab",
	"/etc/kubernetes",
	"/var/lib/kubelet",
];

/** Folders of other people, hidden whole; the one that they lie in where that is as good. `folders` are the workspace's. */
export function otherHomes(home: string, folders: readonly string[]): Place[] {
	const found = new Set<string>();
	for (const around of PARENTS) for (const name of namesIn(around)) found.add(join(around, name));
	for (const folder of [...accounts(), "/root"]) found.add(folder);
	const hidden = new Set<string>();
	for (const one of found) {
		const folder = realOf(one);
		if (folder === undefined || within(home, folder) || folders.includes(folder) || !canEnter(folder)) continue;
		const around = dirname(folder);
		hidden.add(PARENTS.includes(around) && !folders.some((path) => within(around, path)) ? around : folder);
	}
	return [...hidden].slice(0, MOST).map((path) => ({ path, seen: "hidden", kind: "folder" }));
}

/** Whether a folder is somebody's home by where it lies. */
export function isHome(folder: string): boolean {
	return PARENTS.includes(dirname(folder)) || folder === "/root";
}

/** Folders in which homes lie and nothing else. */
const PARENTS = ["/home", "/Users", "/var/home"];
const MOST = 40;
/** From here on accounts are people's. */
const FIRST_PERSON = 1_000;
const NOBODY = 65_534;

function accounts(): string[] {
	try {
		return readFileSync("/etc/passwd", "utf8")
			.split("\n")
			.map((line) => line.split(":"))
			.filter(([, , id]) => Number(id) >= FIRST_PERSON && Number(id) !== NOBODY)
			.flatMap(([, , , , , folder]) => (folder?.startsWith("/") && dirname(folder) !== "/" ? [folder] : []));
	} catch {
		return [];
	}
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

/** Of a folder that cannot be entered nothing can be read anyway. */
function canEnter(folder: string): boolean {
	try {
		accessSync(folder, constants.X_OK);
		return kindOf(folder) === "folder";
	} catch {
		return false;
	}
}

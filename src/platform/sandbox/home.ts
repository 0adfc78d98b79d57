// Whose machine it is: what a person keeps secret in their home folder, and the homes of other people.
import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { credentialPaths } from "./credentials.ts";
import { isWithin, type PathRule } from "./view.ts";
import { pathKind, resolveRealPathSync } from "./visible.ts";

/** Known places of credentials that are there. Files read as empty: programs take them for not written yet. */
export function listCredentialRules(home: string): PathRule[] {
	return credentialPaths.flatMap((name): PathRule[] => {
		const path = resolveRealPathSync(join(home, name));
		if (path === undefined || isWithin(home, path)) return [];
		const kind = pathKind(path);
		return kind ? [{ path, access: kind === "folder" ? "hidden" : "blank", kind }] : [];
	});
}

/** What the system keeps to itself, where the person is root. */
export function listSystemCredentialRules(): PathRule[] {
	if (process.getuid?.() !== 0) return [];
	return SYSTEM.flatMap((name): PathRule[] => {
		const [path, kind] = [resolveRealPathSync(name), pathKind(name)];
		return path !== undefined && kind ? [{ path, access: "hidden", kind }] : [];
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
export function listOtherHomeRules(home: string, folders: readonly string[]): PathRule[] {
	const found = new Set<string>();
	for (const around of PARENTS) for (const name of namesIn(around)) found.add(join(around, name));
	for (const folder of [...accounts(), "/root"]) found.add(folder);
	const hidden = new Set<string>();
	for (const one of found) {
		const folder = resolveRealPathSync(one);
		if (folder === undefined || isWithin(home, folder) || folders.includes(folder) || !canEnter(folder)) continue;
		const around = dirname(folder);
		hidden.add(PARENTS.includes(around) && !folders.some((path) => isWithin(around, path)) ? around : folder);
	}
	return [...hidden].slice(0, MOST).map((path) => ({ path, access: "hidden", kind: "folder" }));
}

/** Whether a folder is somebody's home by where it lies. */
export function isHomeFolder(folder: string): boolean {
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
		return pathKind(folder) === "folder";
	} catch {
		return false;
	}
}

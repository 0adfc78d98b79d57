// Looks at what a command did: names, modes and bytes on disk, the network's own counters, processes that are left.
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** Path → kind, mode, owner and a hash of what it holds. */
export type Picture = ReadonlyMap<string, { is: string; bytes: string }>;

export function pictureOf(folders: readonly string[]): Picture {
	const picture = new Map<string, { is: string; bytes: string }>();
	const visit = (path: string): void => {
		const found = lstatSync(path, { throwIfNoEntry: false });
		if (!found) return;
		const is = `${found.mode.toString(8)} ${found.uid}:${found.gid}`;
		if (found.isSymbolicLink()) picture.set(path, { is, bytes: `-> ${readlinkSync(path)}` });
		else if (found.isFile()) picture.set(path, { is, bytes: hashOf(path) });
		else if (found.isDirectory()) {
			picture.set(path, { is, bytes: "" });
			for (const name of namesIn(path)) visit(join(path, name));
		} else picture.set(path, { is, bytes: "special" });
	};
	for (const folder of folders) visit(folder);
	return picture;
}

/** `+` new, `-` gone, `~` other bytes or another mode, each before the path. */
export function whatChanged(before: Picture, after: Picture): string[] {
	const changes: string[] = [];
	for (const [path, { is, bytes }] of after) {
		const was = before.get(path);
		if (!was) changes.push(`+${path}`);
		else if (was.is !== is || was.bytes !== bytes) changes.push(`~${path}`);
	}
	for (const path of before.keys()) if (!after.has(path)) changes.push(`-${path}`);
	return changes;
}

/** Bytes that were there before and are nowhere any more, under no name: what was deleted or overwritten. */
export function lostFiles(before: Picture, after: Picture): string[] {
	const left = new Set([...after.values()].map(({ bytes }) => bytes));
	return [...before].filter(([path, { bytes }]) => bytes !== "" && !left.has(bytes) && !after.has(path)).map(([path]) => path);
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

function hashOf(path: string): string {
	try {
		return createHash("sha256").update(readFileSync(path)).digest("hex");
	} catch {
		return "unreadable";
	}
}

/** How often this network was used: connections begun, datagrams sent, packets that had nowhere to go. */
export function networkUse(): number {
	const counted = ["Tcp ActiveOpens", "Udp OutDatagrams", "Ip OutNoRoutes", "Icmp OutMsgs"];
	const four = tableOf(readFileSync("/proc/net/snmp", "utf8"));
	const six = readFileSync("/proc/net/snmp6", "utf8");
	const sixth = ["Udp6OutDatagrams", "Ip6OutNoRoutes"].map((name) => Number(new RegExp(`^${name}\\s+(\\d+)`, "m").exec(six)?.[1] ?? 0));
	return [...counted.map((name) => four.get(name) ?? 0), ...sixth].reduce((sum, one) => sum + one, 0);
}

function tableOf(text: string): Map<string, number> {
	const found = new Map<string, number>();
	const lines = text.trim().split("\n");
	for (let at = 0; at + 1 < lines.length; at += 2) {
		const [group = "", ...names] = (lines[at] as string).split(/\s+/);
		const [, ...values] = (lines[at + 1] as string).split(/\s+/);
		for (const [index, name] of names.entries()) found.set(`${group.slice(0, -1)} ${name}`, Number(values[index]));
	}
	return found;
}

/** Command lines of all processes in this jail, by process id; those that have ended and wait to be noticed have none. */
export function processes(): Map<number, string> {
	const found = new Map<number, string>();
	for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
		try {
			const line = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
			if (line !== "") found.set(Number(name), line);
		} catch {
			// It has just ended.
		}
	}
	return found;
}

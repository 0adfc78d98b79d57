// Walks everything below a folder in short synchronous stretches: thousands of awaited calls would cost far more than the disk.
import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { WalkEntry, WalkOptions } from "../../core/ports/workspace.ts";

/** Milliseconds at a stretch before others get their turn. */
const STRETCH = 8;

/** Entries between looks at the clock. */
const GLANCE = 64;

/** Links are not followed. Undefined where something could not be seen or a bound was reached. */
export async function walk(folder: string, { entries: most, time, enter }: WalkOptions): Promise<WalkEntry[] | undefined> {
	const found: WalkEntry[] = [];
	const open = [folder];
	const end = performance.now() + time;
	let pause = performance.now() + STRETCH;
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		const entries = namesIn(next);
		if (!entries || found.length + entries.length > most) return undefined;
		for (const entry of entries) {
			const path = `${next === "/" ? "" : next}/${entry.name}`;
			found.push(entryOf(entry, path));
			if (entry.isDirectory() && enter(entry.name, path)) open.push(path);
			if (found.length % GLANCE !== 0) continue;
			const now = performance.now();
			if (now > end) return undefined;
			if (now < pause) continue;
			await setImmediate();
			pause = performance.now() + STRETCH;
		}
	}
	return found;
}

/** What is not there is left out. */
export async function inspect(paths: readonly string[]): Promise<WalkEntry[]> {
	const found: WalkEntry[] = [];
	let pause = performance.now() + STRETCH;
	for (const [index, path] of paths.entries()) {
		const stat = lstatSync(path, { throwIfNoEntry: false });
		const type = stat?.isDirectory() ? "directory" : stat?.isFile() ? "file" : "other";
		if (stat) found.push({ path, type, link: stat.isSymbolicLink(), links: type === "file" ? stat.nlink : 1 });
		if (index % GLANCE !== 0 || performance.now() < pause) continue;
		await setImmediate();
		pause = performance.now() + STRETCH;
	}
	return found;
}

function namesIn(folder: string): Dirent[] | undefined {
	try {
		return readdirSync(folder, { withFileTypes: true });
	} catch {
		return undefined;
	}
}

function entryOf(entry: Dirent, path: string): WalkEntry {
	if (!entry.isFile()) return { path, type: entry.isDirectory() ? "directory" : "other", link: entry.isSymbolicLink(), links: 1 };
	return { path, type: "file", link: false, links: lstatSync(path, { throwIfNoEntry: false })?.nlink ?? 1 };
}

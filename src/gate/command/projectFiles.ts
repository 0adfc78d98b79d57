// Looks for the files of a project around a folder: in it and above it, not above the workspace folder.

import type { ProjectFiles } from "../programs/judgement.ts";
import { nativePath, toForwardSlashes } from "../resolveLinks.ts";
import type { CommandContext } from "./context.ts";

export interface ProjectPaths extends ProjectFiles {
	/** Path of the nearest file upwards that has one of these names. */
	nearestPath(names: readonly string[]): Promise<string | undefined>;
	/** Paths of all files upwards that have one of these names. */
	pathsUpwards(names: readonly string[]): Promise<string[]>;
	/**
	 * All files of these names in the workspace folder (see `Binding`), packages that are installed and folders of the names in
	 * `leaves` left out; undefined where they are too many.
	 */
	everywhere(names: readonly string[], leaves?: readonly string[]): Promise<string[] | undefined>;
}

const LONGEST = 1_000_000;
const MOST_ENTRIES = 50_000;
const MOST_FILES = 300;

export function projectFiles({ surroundings: { disk, folders } }: CommandContext, folder: string): ProjectPaths {
	async function chain(): Promise<string[]> {
		const roots = new Set<string>();
		for (const { path } of folders()) roots.add(toForwardSlashes((await disk.realpath(path).catch(() => undefined)) ?? path));
		const found = [folder];
		for (let path = folder; !roots.has(path) && nativePath.dirname(path) !== path; ) {
			path = nativePath.dirname(path);
			found.push(path);
		}
		return found;
	}

	const isThere = async (path: string) => (await disk.lstat(path).catch(() => undefined)) !== undefined;

	async function nearestPath(names: readonly string[]): Promise<string | undefined> {
		for (const path of await chain()) {
			for (const name of names)
				if (await isThere(toForwardSlashes(nativePath.join(path, name)))) return toForwardSlashes(nativePath.join(path, name));
		}
		return undefined;
	}

	async function pathsUpwards(names: readonly string[]): Promise<string[]> {
		const paths = (await chain()).flatMap((path) => names.map((name) => toForwardSlashes(nativePath.join(path, name))));
		const there = await Promise.all(paths.map(isThere));
		return paths.filter((_, index) => there[index]);
	}

	return {
		nearestPath,
		pathsUpwards,
		async nearest(names) {
			const path = await nearestPath(names);
			const bytes = path && (await disk.peek(path, LONGEST));
			return path && bytes ? { name: nativePath.basename(path), text: new TextDecoder().decode(bytes) } : undefined;
		},
		async upwards(path) {
			for (const above of await chain()) if (await isThere(toForwardSlashes(nativePath.join(above, path)))) return true;
			return false;
		},
		async names() {
			return ((await disk.list?.(folder).catch(() => [])) ?? []).map(({ name }) => name);
		},
		async everywhere(names, leaves = []) {
			const root = (await chain()).at(-1) as string;
			const left = new Set(["node_modules", ".git", ...leaves]);
			const entries = await disk.walk?.(root, { entries: MOST_ENTRIES, time: 500, enter: (name) => !left.has(name) });
			const meant = meaning(names);
			const found = entries
				?.filter(({ path, type, link }) => (type === "file" || link) && meant(toForwardSlashes(nativePath.relative(root, path))))
				.map(({ path }) => toForwardSlashes(path));
			return found && found.length <= MOST_FILES ? found.sort() : undefined;
		},
	};
}

/** Whether a path below the workspace folder is one of those that the names stand for. */
function meaning(names: readonly string[]): (inside: string) => boolean {
	const endings = names.filter((name) => name.startsWith("*")).map((name) => name.slice(1));
	const folders = names.filter((name) => name.endsWith("/"));
	const whole = new Set(names);
	return (inside) => {
		const name = nativePath.basename(inside);
		if (whole.has(name) || endings.some((ending) => name.endsWith(ending))) return true;
		return folders.some((folder) => `/${inside}`.includes(`/${folder}`));
	};
}

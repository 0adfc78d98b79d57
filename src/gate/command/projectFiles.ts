// Looks for the files of a project around a folder: in it and above it, not above the workspace folder.
import { slashed, system } from "../follow.ts";
import type { ProjectFiles } from "../programs/judgement.ts";
import type { Context } from "./simpleCommand.ts";

export interface ProjectPaths extends ProjectFiles {
	/** Path of the nearest file upwards that has one of these names. */
	nearestPath(names: readonly string[]): Promise<string | undefined>;
	/** All files of these names in the workspace folder, packages that are installed left out; undefined where they are too many. */
	everywhere(names: readonly string[]): Promise<string[] | undefined>;
}

const LONGEST = 1_000_000;
const MOST_ENTRIES = 50_000;
const MOST_FILES = 300;

export function projectFiles({ surroundings: { disk, folders } }: Context, folder: string): ProjectPaths {
	async function chain(): Promise<string[]> {
		const roots = new Set<string>();
		for (const { path } of folders()) roots.add(slashed((await disk.realpath(path).catch(() => undefined)) ?? path));
		const found = [folder];
		for (let path = folder; !roots.has(path) && system.dirname(path) !== path; ) {
			path = system.dirname(path);
			found.push(path);
		}
		return found;
	}

	const isThere = async (path: string) => (await disk.lstat(path).catch(() => undefined)) !== undefined;

	async function nearestPath(names: readonly string[]): Promise<string | undefined> {
		for (const path of await chain()) {
			for (const name of names) if (await isThere(slashed(system.join(path, name)))) return slashed(system.join(path, name));
		}
		return undefined;
	}

	return {
		nearestPath,
		async nearest(names) {
			const path = await nearestPath(names);
			const bytes = path && (await disk.peek(path, LONGEST));
			return path && bytes ? { name: system.basename(path), text: new TextDecoder().decode(bytes) } : undefined;
		},
		async upwards(path) {
			for (const above of await chain()) if (await isThere(slashed(system.join(above, path)))) return true;
			return false;
		},
		async names() {
			return ((await disk.list?.(folder).catch(() => [])) ?? []).map(({ name }) => name);
		},
		async everywhere(names) {
			const root = (await chain()).at(-1) as string;
			const enter = (name: string) => name !== "node_modules" && name !== ".git";
			const entries = await disk.walk?.(root, { entries: MOST_ENTRIES, time: 500, enter });
			const found = entries
				?.filter(({ path, type }) => type === "file" && names.includes(system.basename(path)))
				.map(({ path }) => slashed(path));
			return found && found.length <= MOST_FILES ? found.sort() : undefined;
		},
	};
}

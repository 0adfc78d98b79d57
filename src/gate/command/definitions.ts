// Gathers the files that define what a command runs, and what of each of them counts.

import type { Disk } from "../../core/ports/workspace.ts";
import type { ApprovalBinding } from "../programs/judgement.ts";
import { nativePath, toForwardSlashes } from "../resolveLinks.ts";
import type { CommandContext } from "./context.ts";
import { projectFiles } from "./projectFiles.ts";

export interface Definitions {
	parts: string[];
	/** Relative to the workspace folder. */
	names: string[];
}

const LONGEST_DEFINITION = 1_000_000;
const MOST_DEFINITIONS = 300;
const MOST_FOLDERS = 50;

/** False where something that defines the command cannot be read. */
export async function addDefinitions(
	context: CommandContext,
	binding: ApprovalBinding,
	base: string,
	found: Definitions,
): Promise<boolean> {
	const { paths, look } = context;
	const folder = (await paths.word(binding.from ?? ".", base, "read", look)).real;
	const wanted = await wantedFiles(context, binding, folder);
	if (!wanted) return false;
	const { disk } = context.surroundings;
	const seen = new Set<string>();
	for (let path = wanted.shift(); path !== undefined; path = wanted.shift()) {
		if (seen.has(path)) continue;
		seen.add(path);
		if (path === NONE) found.parts.push(`no ${binding.kind}`);
		if (path === NONE) continue;
		if (seen.size > MOST_DEFINITIONS) return false;
		const text = await textOf(disk, path);
		if (text === undefined) return false;
		const defined = text === "" || !binding.read ? { defines: text } : binding.read(text, nativePath.basename(path));
		if (!defined) return false;
		found.parts.push(binding.kind === "package.json" ? defined.defines : `${binding.kind}\n${path}\n${defined.defines}`);
		found.names.push((await paths.word(path, "/", "read", look)).literalInside ?? path);
		for (const also of "also" in defined ? (defined.also ?? []) : []) {
			// make looks from where it runs, others from where the including file is.
			for (const from of new Set([folder, nativePath.dirname(path)])) wanted.push(toForwardSlashes(nativePath.resolve(from, also)));
		}
	}
	return true;
}

/** In place of a path: there is no such file, which defines the command, too. */
const NONE = "";

/** Undefined where they are too many to be found. */
async function wantedFiles(context: CommandContext, binding: ApprovalBinding, folder: string): Promise<string[] | undefined> {
	const { nearest, upwards, beside = [], files = [], everywhere, leaves } = binding;
	const folders = await foldersOf(context, beside, folder);
	if (folders.length > MOST_FOLDERS) return undefined;
	const found: string[] = files.map((file) => toForwardSlashes(nativePath.resolve(folder, file)));
	for (const from of nearest || upwards ? folders : []) {
		const project = projectFiles(context, from);
		if (nearest) found.push((await project.nearestPath(nearest)) ?? NONE);
		if (upwards) found.push(...(await project.pathsUpwards(upwards)));
	}
	const all = everywhere ? await projectFiles(context, folder).everywhere(everywhere, leaves) : [];
	return all && [...found, ...all];
}

/** Where words lead, and where they say that they lead: programs differ in which of the two they search from. */
async function foldersOf({ paths, look }: CommandContext, words: readonly string[], folder: string): Promise<string[]> {
	const found = new Set([folder]);
	for (const word of words) {
		const { real, literal } = await paths.word(word, folder, "read", look);
		for (const path of [real, literal]) {
			const isFolder = (await look(path).catch(() => undefined))?.type === "directory";
			found.add(isFolder ? path : toForwardSlashes(nativePath.dirname(path)));
		}
		if (found.size > MOST_FOLDERS) break;
	}
	return [...found];
}

/** Empty for a file that is not there: one that comes later ends the approval. */
async function textOf(disk: Disk, path: string): Promise<string | undefined> {
	const bytes = await disk.peek(path, LONGEST_DEFINITION + 1);
	if (bytes) return bytes.length > LONGEST_DEFINITION ? undefined : new TextDecoder().decode(bytes);
	return (await disk.lstat(path).catch(() => ({}))) === undefined ? "" : undefined;
}

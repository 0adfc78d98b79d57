// Determines what a standing approval of a command covers, and binds it to the files that define what runs.
import type { SimpleCommand } from "../../core/ports/gate.ts";
import type { Disk } from "../../core/ports/workspace/files.ts";
import { t } from "../../shared/l10n.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { originalPath, withOriginalPaths } from "../copiedPaths.ts";
import type { ApprovalBinding, Assessment, ProjectFiles } from "../programs/assessment.ts";
import { nativePath, toForwardSlashes } from "../resolveLinks.ts";
import type { CommandContext } from "./context.ts";

interface StandingApproval extends Pick<SimpleCommand, "class" | "boundTo" | "bound" | "line"> {
	/** Reason why it requires approval every time: a file that defines it cannot be read. */
	unreadable?: string;
}

interface Bindable {
	assessment: Assessment;
	/** The file that runs. */
	file?: string;
	words: readonly string[];
	/** Includes its variables and its input. */
	line: string;
	here: readonly string[];
	/** Git state that the approval is bound to. */
	bound?: string;
}

const LONGEST_PROGRAM = 20_000_000;

/**
 * Empty if no standing approval is possible, because nothing can be bound to unreadable content, and because from a copy of the
 * workspace, the original is out of reach.
 */
export async function approvalBindingOf(context: CommandContext, wanted: Bindable): Promise<StandingApproval> {
	const { assessment, words, here } = wanted;
	if (assessment.deletes) return {};
	const found: Definitions = { parts: wanted.bound === undefined ? [] : [wanted.bound], names: [], inOriginal: false };
	if (assessment.class === undefined && !assessment.line) return {};
	for (const binding of assessment.bindings ?? []) {
		for (const base of here) {
			if (await addDefinitions(context, binding, base, found)) continue;
			return { unreadable: t("The files that define what {0} runs can't be read.", assessment.class ?? words[0] ?? "") };
		}
	}
	const folders = here.map((path) => originalPath(context.gateContext, path));
	if (found.inOriginal || folders.includes(undefined)) return {};
	if (assessment.class === undefined) {
		const program = await identityOf(context, wanted.file);
		const line = withOriginalPaths(context.gateContext, wanted.line);
		if (program === undefined || line === undefined) return {};
		const parts = [...found.parts, ...folders, program];
		return { class: line, line: true, boundTo: hash(parts as string[]), bound: [...(await nameOf(context, wanted.file)), ...found.names] };
	}
	const covered = withOriginalPaths(context.gateContext, assessment.class);
	if (covered === undefined) return {};
	if (found.parts.length === 0) return { class: covered };
	return { class: covered, boundTo: hash([...new Set(found.parts)].sort()), bound: [...new Set(found.names)] };
}

/** Identifies a file by content if an agent may change it, otherwise by path, size, and time. */
async function identityOf({ gateContext, paths, look }: CommandContext, file: string | undefined): Promise<string | undefined> {
	if (file === undefined) return "no file";
	const { disk } = gateContext;
	const fact = await paths.word(file, "/", "read", look);
	const path = originalPath(gateContext, fact.real);
	if (path === undefined) return undefined;
	const stat = await disk.lstat(fact.real).catch(() => undefined);
	if (!stat) return `missing ${path}`;
	if (fact.realInside === undefined) return `${path} ${stat.size} ${stat.mtime}`;
	const bytes = await disk.peek(fact.real, LONGEST_PROGRAM + 1);
	return bytes && bytes.length <= LONGEST_PROGRAM ? `${path} ${hash([Buffer.from(bytes).toString("base64")])}` : undefined;
}

/** Returns the file's name as in an approval: relative to its workspace folder, or absolute. */
async function nameOf({ paths, look }: CommandContext, file: string | undefined): Promise<string[]> {
	return file === undefined ? [] : [(await paths.word(file, "/", "read", look)).literalInside ?? file];
}

/** Quotes the words as a user would type them. */
export function quoteWords(words: readonly string[]): string {
	return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

function hash(parts: readonly string[]): string {
	return sha256(parts.join("\n"));
}

interface Definitions {
	parts: string[];
	/** Relative to the workspace folder. */
	names: string[];
	/** One of the files is in the workspace that this one is a copy of. */
	inOriginal: boolean;
}

const LONGEST_DEFINITION = 1_000_000;
const MAX_DEFINITIONS = 300;
const MAX_FOLDERS = 50;

/** Returns false if a file that defines the command cannot be read. */
async function addDefinitions(context: CommandContext, binding: ApprovalBinding, base: string, found: Definitions): Promise<boolean> {
	const { paths, look } = context;
	const folder = (await paths.word(binding.from ?? ".", base, "read", look)).real;
	const wanted = await wantedFiles(context, binding, folder);
	if (!wanted) return false;
	const { disk } = context.gateContext;
	const visited = new Set<string>();
	for (let path = wanted.shift(); path !== undefined; path = wanted.shift()) {
		if (visited.has(path)) continue;
		visited.add(path);
		if (path === MISSING) found.parts.push(`no ${binding.kind}`);
		if (path === MISSING) continue;
		if (visited.size > MAX_DEFINITIONS) return false;
		const text = await textOf(disk, path);
		if (text === undefined) return false;
		const defined = text === "" || !binding.read ? { defines: text } : binding.read(text, nativePath.basename(path));
		if (!defined) return false;
		const original = originalPath(context.gateContext, path);
		found.inOriginal ||= original === undefined;
		found.parts.push(binding.kind === "package.json" ? defined.defines : `${binding.kind}\n${original}\n${defined.defines}`);
		found.names.push((await paths.word(path, "/", "read", look)).literalInside ?? path);
		for (const also of "also" in defined ? (defined.also ?? []) : []) {
			// make resolves it from its working directory, other programs from the including file.
			for (const from of new Set([folder, nativePath.dirname(path)])) wanted.push(toForwardSlashes(nativePath.resolve(from, also)));
		}
	}
	return true;
}

/** Stands for a missing file, whose absence also defines the command. */
const MISSING = "";

/** Returns undefined if there are too many. */
async function wantedFiles(context: CommandContext, binding: ApprovalBinding, folder: string): Promise<string[] | undefined> {
	const { nearest, upwards, beside = [], files = [], everywhere, leaves } = binding;
	const folders = await foldersOf(context, beside, folder);
	if (folders.length > MAX_FOLDERS) return undefined;
	const found: string[] = files.map((file) => toForwardSlashes(nativePath.resolve(folder, file)));
	for (const from of nearest || upwards ? folders : []) {
		const project = projectFiles(context, from);
		if (nearest) found.push((await project.nearestPath(nearest)) ?? MISSING);
		if (upwards) found.push(...(await project.pathsUpwards(upwards)));
	}
	const all = everywhere ? await projectFiles(context, folder).everywhere(everywhere, leaves) : [];
	return all && [...found, ...all];
}

/** The folders of both the literal and the resolved path, since programs differ in which one they search from. */
async function foldersOf({ paths, look }: CommandContext, words: readonly string[], folder: string): Promise<string[]> {
	const found = new Set([folder]);
	for (const word of words) {
		const { real, literal } = await paths.word(word, folder, "read", look);
		for (const path of [real, literal]) {
			const isFolder = (await look(path).catch(() => undefined))?.type === "directory";
			found.add(isFolder ? path : toForwardSlashes(nativePath.dirname(path)));
		}
		if (found.size > MAX_FOLDERS) break;
	}
	return [...found];
}

/** Empty if the file does not exist, so that creating it invalidates the approval. */
async function textOf(disk: Disk, path: string): Promise<string | undefined> {
	const bytes = await disk.peek(path, LONGEST_DEFINITION + 1);
	if (bytes) return bytes.length > LONGEST_DEFINITION ? undefined : new TextDecoder().decode(bytes);
	return (await disk.lstat(path).catch(() => ({}))) === undefined ? "" : undefined;
}

interface ProjectPaths extends ProjectFiles {
	/** Path of the nearest file with one of these names, searching upward. */
	nearestPath(names: readonly string[]): Promise<string | undefined>;
	/** Paths of all files with one of these names, searching upward. */
	pathsUpwards(names: readonly string[]): Promise<string[]>;
	/**
	 * All files with these names in the workspace folder (see `ApprovalBinding`), except installed packages and folders named in
	 * `leaves`; undefined if there are too many.
	 */
	everywhere(names: readonly string[], leaves?: readonly string[]): Promise<string[] | undefined>;
}

const LONGEST = 1_000_000;
const MAX_ENTRIES = 50_000;
const MAX_FILES = 300;

export function projectFiles({ gateContext: { disk, folders } }: CommandContext, folder: string): ProjectPaths {
	async function parentFolders(): Promise<string[]> {
		const roots = new Set<string>();
		for (const { path } of folders()) roots.add(toForwardSlashes((await disk.realpath(path).catch(() => undefined)) ?? path));
		const found = [folder];
		for (let path = folder; !roots.has(path) && nativePath.dirname(path) !== path; ) {
			path = nativePath.dirname(path);
			found.push(path);
		}
		return found;
	}

	const exists = async (path: string) => (await disk.lstat(path).catch(() => undefined)) !== undefined;

	async function nearestPath(names: readonly string[]): Promise<string | undefined> {
		for (const path of await parentFolders()) {
			for (const name of names)
				if (await exists(toForwardSlashes(nativePath.join(path, name)))) return toForwardSlashes(nativePath.join(path, name));
		}
		return undefined;
	}

	async function pathsUpwards(names: readonly string[]): Promise<string[]> {
		const paths = (await parentFolders()).flatMap((path) => names.map((name) => toForwardSlashes(nativePath.join(path, name))));
		const existing = await Promise.all(paths.map(exists));
		return paths.filter((_, index) => existing[index]);
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
			for (const above of await parentFolders()) if (await exists(toForwardSlashes(nativePath.join(above, path)))) return true;
			return false;
		},
		async names() {
			return ((await disk.list?.(folder).catch(() => [])) ?? []).map(({ name }) => name);
		},
		async everywhere(names, leaves = []) {
			const root = (await parentFolders()).at(-1) as string;
			const skipped = new Set(["node_modules", ".git", ...leaves]);
			const entries = await disk.walk?.(root, { entries: MAX_ENTRIES, time: 500, enter: (name) => !skipped.has(name) });
			const isWanted = compileNames(names);
			const found = entries
				?.filter(({ path, type, link }) => (type === "file" || link) && isWanted(toForwardSlashes(nativePath.relative(root, path))))
				.map(({ path }) => toForwardSlashes(path));
			return found && found.length <= MAX_FILES ? found.sort() : undefined;
		},
	};
}

/** Returns a predicate that tells whether a path below the workspace folder matches one of the names. */
function compileNames(names: readonly string[]): (inside: string) => boolean {
	const endings = names.filter((name) => name.startsWith("*")).map((name) => name.slice(1));
	const folders = names.filter((name) => name.endsWith("/"));
	const whole = new Set(names);
	return (inside) => {
		const name = nativePath.basename(inside);
		if (whole.has(name) || endings.some((ending) => name.endsWith(ending))) return true;
		return folders.some((folder) => `/${inside}`.includes(`/${folder}`));
	};
}

// Resolves a command's path operands to facts about each path and everything it covers.
import type { TurnCache } from "../../core/ports/gate.ts";
import type { PathFacts } from "../../core/ports/tool.ts";
import type { WalkEntry } from "../../core/ports/workspace/files.ts";
import { t } from "../../shared/l10n.ts";
import { protectedName, protectedPlace } from "../hostProtection.ts";
import type { Operand, PathExtent } from "../programs/assessment.ts";
import { nativePath, toForwardSlashes } from "../resolveLinks.ts";
import { MAX_COMMAND_LENGTH } from "../shell/plainShell.ts";
import { findAutoExecuted } from "../writeProtectedNames.ts";
import type { CommandContext } from "./context.ts";

interface OperandFacts {
	facts: PathFacts[];
	/** Reason why the paths that the operands cover cannot be determined. */
	always?: string;
}

const MAX_CANDIDATES = 300;
/** Maximum number of files that a copy may create without approval. */
const MAX_COPIES = 500;

/** With `loose`, the words belong to an unknown program, and any part of them may be a path. */
export async function operandFactsOf(
	context: CommandContext,
	operands: readonly Operand[],
	here: readonly string[],
	loose = false,
): Promise<OperandFacts> {
	const found: OperandFacts = { facts: [] };
	let candidates = 0;
	for (const operand of operands) {
		const bases = await basesOf(context, operand, here);
		const words = loose ? candidatesOf(operand.word) : [operand.word];
		candidates += words.length;
		if (candidates > MAX_CANDIDATES) return { ...found, always: t("The command has too many words to check.") };
		for (const [index, word] of words.entries()) {
			const facts = await locateOperand(context, { ...operand, word }, bases);
			found.facts.push(...facts.filter((fact) => index === 0 || fact.refused !== undefined || protectedPlace(fact) !== undefined));
		}
		if (!loose || operand.reach) await addBelow(context, operand, bases, found);
		if (found.always !== undefined) return found;
	}
	return found;
}

/** The folders in which the operand can exist. A path that cannot be read may be a folder. */
async function basesOf({ paths, look, steady }: CommandContext, { within }: Operand, here: readonly string[]): Promise<readonly string[]> {
	if (within === undefined || !steady || within.endsWith("/")) return here;
	const folders = await Promise.all(
		here.map(async (base) => {
			const { refused, real } = await paths.word(within, base, "read", look);
			const found = refused === undefined ? await look(real).catch(() => "unknown" as const) : "unknown";
			return found === "unknown" || (found !== undefined && (found.type === "directory" || found.link !== undefined));
		}),
	);
	return here.filter((_, index) => folders[index]);
}

/** A folder that a tool writes in is treated as read: the tool's own configuration decides which files it writes. */
async function locateOperand(context: CommandContext, { word, use, reach }: Operand, here: readonly string[]): Promise<PathFacts[]> {
	const readFacts = use === "write" && reach?.kind === "itself" ? await locate(context, word, "read", here) : [];
	const folders = await Promise.all(
		readFacts.map(async ({ real }) => (await context.look(real).catch(() => undefined))?.type === "directory"),
	);
	return locate(context, word, folders.includes(true) ? "read" : use, here);
}

function locate({ paths, look }: CommandContext, word: string, use: PathFacts["use"], here: readonly string[]): Promise<PathFacts[]> {
	return Promise.all(here.map((base) => paths.word(word, base, use, look)));
}

async function addBelow(context: CommandContext, operand: Operand, here: readonly string[], found: OperandFacts): Promise<void> {
	if (operand.from !== undefined) await addCopies(context, operand.word, operand.from, here, found);
	const reach = operand.reach ?? { kind: "tree" };
	if (reach.kind === "itself" || (reach.kind === "names" && !reach.follow)) return;
	for (const { word, tree } of await treesAt(context, operand.word, reach, here)) {
		if (!tree) found.always = t("The command reads everything in {0}, which contains too many files to check.", word);
		else found.facts.push(...(await protectedIn(context, tree, reach, operand.use)));
	}
}

/** Returns the content of the workspace folders that a word names; no tree if it could not be read. */
async function treesAt(
	context: CommandContext,
	word: string,
	reach: PathExtent,
	here: readonly string[],
): Promise<{ word: string; tree?: FolderTree | undefined }[]> {
	const trees: { word: string; tree?: FolderTree | undefined }[] = [];
	for (const base of here) {
		const folder = await context.paths.word(word, base, "read", context.look);
		if (!folder.exists || folder.realInside === undefined) continue;
		if ((await context.look(folder.real).catch(() => undefined))?.type !== "directory") continue;
		trees.push({ word, tree: await listTree(context, { real: folder.real, base, word }, reach) });
	}
	return trees;
}

/** The first path below a folder that requires approval; one is enough. */
async function protectedIn(
	context: CommandContext,
	tree: FolderTree,
	reach: PathExtent,
	use: PathFacts["use"],
	visited = new Set<string>(),
): Promise<PathFacts[]> {
	const purpose = use === "read" ? "read" : "write";
	const { paths, look, memo } = context;
	// Some names are protected only in combination with their parent folder, which may be the tree's root.
	const { realInside: inside = "." } = await paths.word(tree.folder, "/", "read", look);
	const host = await paths.places();
	visited.add(tree.folder);
	for (const entry of reach.kind === "tree" && reach.skips ? includedEntries(tree, reach.skips, reach.follow === true) : tree.entries) {
		const name = nameIn(tree.folder, inside, entry.path);
		const mayBeProtected = protectedName(name, purpose) !== undefined || host(entry.path, purpose) !== undefined;
		if (!mayBeProtected && !mayLeadElsewhere(entry, reach)) continue;
		const fact = await paths.word(entry.path, "/", use, look);
		if (fact.refused !== undefined || protectedPlace(fact) !== undefined) {
			maskedPaths(memo).add(fact.real);
			return [fact];
		}
		if (!entry.link || !("follow" in reach) || !reach.follow || visited.has(fact.real)) continue;
		const found = await protectedBehind(context, fact, reach, visited);
		if (found.length > 0) return found;
	}
	return [];
}

/** Path relative to the workspace folder; `inside` is the tree's own path. Called thousands of times. */
function nameIn(folder: string, inside: string, path: string): string {
	if (!path.startsWith(`${folder}/`)) return toForwardSlashes(nativePath.join(inside, nativePath.relative(folder, path)));
	const below = toForwardSlashes(path.slice(folder.length + 1));
	return inside === "." ? below : `${inside}/${below}`;
}

/** Finds protected paths among what a program that follows links reads through a link to a folder. */
async function protectedBehind(context: CommandContext, link: PathFacts, reach: PathExtent, visited: Set<string>): Promise<PathFacts[]> {
	if ((await context.look(link.real).catch(() => undefined))?.type !== "directory") return [];
	const tree = await listTree(context, { real: link.real, base: "/", word: link.real }, reach);
	const refused = t("The command reads everything in {0}, which contains too many files to check.", link.given);
	return tree ? protectedIn(context, tree, reach, link.use, visited) : [{ ...link, refused }];
}

/** The entries that remain for a program that skips some files. */
function* includedEntries(
	{ entries }: FolderTree,
	skips: (name: string, folder: boolean) => boolean,
	follow: boolean,
): Generator<WalkEntry> {
	const skipped = new Set<string>();
	for (const entry of entries) {
		const folder = entry.type === "directory";
		const inSkipped = skipped.has(nativePath.dirname(entry.path));
		// It is unknown here whether a followed link leads to a folder.
		if (entry.link && follow && !inSkipped) yield entry;
		else if (inSkipped || skips(nativePath.basename(entry.path), folder)) {
			if (folder) skipped.add(entry.path);
		} else if (!folder) yield entry;
	}
}

/** Protected files found in this turn, which a sandbox hides. */
export function maskedPaths(memo: TurnCache): Set<string> {
	const found = (memo.get("masked") as Set<string> | undefined) ?? new Set();
	memo.set("masked", found);
	return found;
}

function mayLeadElsewhere(entry: WalkEntry, reach: PathExtent): boolean {
	if (entry.link) return !("follow" in reach && reach.follow === false);
	return entry.links > 1;
}

/** Everything below the source is created below the target. */
async function addCopies(
	context: CommandContext,
	target: string,
	source: string,
	here: readonly string[],
	found: OperandFacts,
): Promise<void> {
	for (const { tree } of await treesAt(context, source, { kind: "tree" }, here)) {
		if (!tree || tree.entries.length > MAX_COPIES) {
			found.always = t("The command copies {0}, which contains too many files to check.", source);
			return;
		}
		for (const { path } of tree.entries) {
			const created = await locate(context, `${target}/${nativePath.relative(tree.folder, path)}`, "create", here);
			found.facts.push(
				...created.filter((fact) => fact.refused !== undefined || protectedPlace(fact) !== undefined || findAutoExecuted(fact)),
			);
		}
	}
}

/** The word itself, then every part of it that a program might treat as a path: `--file=x`, `-fx`, `HEAD:x`, `@x`. */
function candidatesOf(word: string): string[] {
	if (word === "" || word === "-" || word.length > MAX_COMMAND_LENGTH || /^https?:\/\//i.test(word)) return [];
	const found = new Set([word]);
	for (const match of word.matchAll(/[=:@,)]/g)) found.add(word.slice(match.index + 1));
	if (/^-[^-]/.test(word)) for (let at = 2; at < word.length; at++) found.add(word.slice(at));
	found.delete("");
	return [...found];
}

interface FolderTree {
	folder: string;
	entries: readonly WalkEntry[];
}

const MAX_ENTRIES = 20_000;
/** Milliseconds. */
const TIME_LIMIT = 500;

/** A folder by its real path, and as the command names it in its working directory. */
interface NamedFolder {
	real: string;
	base: string;
	word: string;
}

/** Returns undefined if some of it could not be read. */
function listTree(context: CommandContext, folder: NamedFolder, reach: PathExtent): Promise<FolderTree | undefined> {
	// An existing git folder already requires approval; only a program that skips files may avoid reading it.
	const whole = reach.kind === "tree" && reach.skips !== undefined;
	const key =
		reach.kind === "ripgrep"
			? JSON.stringify(["ripgrep", folder.base, folder.word, reach.flags])
			: JSON.stringify(["tree", whole, folder.real]);
	const known = context.memo.get(key) as Promise<FolderTree | undefined> | undefined;
	const found = known ?? (reach.kind === "ripgrep" ? listWithRipgrep(context, folder, reach.flags) : walkTree(context, folder.real, whole));
	context.memo.set(key, found);
	return found;
}

async function walkTree({ gateContext: { disk } }: CommandContext, folder: string, whole: boolean): Promise<FolderTree | undefined> {
	const entries = await disk.walk?.(folder, { entries: MAX_ENTRIES, time: TIME_LIMIT, enter: (name) => whole || name !== ".git" });
	return entries && { folder, entries };
}

/** Runs in the command's working directory, because ripgrep's patterns are relative to it. */
async function listWithRipgrep(
	{ gateContext: { disk, host } }: CommandContext,
	folder: NamedFolder,
	flags: readonly string[],
): Promise<FolderTree | undefined> {
	const result = await host?.ripgrep(folder.base, [...flags, "--files", "--null", "--", folder.word], { time: TIME_LIMIT });
	if (!result || result.code > 1 || !disk.inspect) return undefined;
	const names = new TextDecoder().decode(result.output).split("\0").filter(Boolean);
	if (names.length > MAX_ENTRIES) return undefined;
	return { folder: folder.real, entries: await disk.inspect(names.map((name) => nativePath.resolve(folder.base, name))) };
}

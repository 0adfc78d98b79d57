// Collects the gate's facts about a command line: each simple command and the paths it uses.
import type { CommandFacts, GateContext, SimpleCommand, TurnCache } from "../../core/ports/gate.ts";
import type { PathFacts } from "../../core/ports/tool.ts";
import { t } from "../../shared/l10n.ts";
import type { LstatCache, PathResolver } from "../pathResolver.ts";
import { nativePath, toForwardSlashes } from "../resolveLinks.ts";
import { expandGlob } from "../shell/globExpansion.ts";
import { MAX_SPLIT_LENGTH, possiblePrograms } from "../shell/mentionedCommands.ts";
import { parseCommand } from "../shell/parseCommand.ts";
import type { PlainCommand } from "../shell/plainShell.ts";
import type { ShellWord } from "../shell/shellWord.ts";
import { quoteWords } from "./approvalBinding.ts";
import type { CommandContext, ExpandedWords } from "./context.ts";
import { maskedPaths } from "./operands.ts";
import { assessSimpleCommand } from "./simpleCommand.ts";

const MAX_CWDS = 8;
const MAX_WORDS = 2_000;

type GatherCommand = (text: string, cwd?: string, memo?: TurnCache) => Promise<CommandFacts>;

export function createCommandGatherer(gateContext: GateContext, paths: PathResolver): GatherCommand {
	const bash = createBashCheck(gateContext);

	return async (text, given, memo = new Map()) => {
		const look = paths.look();
		const cwd = await workingFolder(gateContext, paths, given, look);
		const parsed = await parseCommand(gateContext.parser, text, gateContext.log);
		const possible = text.length > MAX_SPLIT_LENGTH ? await possiblePrograms(text) : undefined;
		const fact: CommandFacts = { text, cwd, commands: [], mentioned: parsed.mentioned, ...(possible && { possible }) };
		if (parsed.odd !== undefined) return { ...fact, odd: parsed.odd };
		if (!(await bash())) return { ...fact, odd: t("Only bash commands can be checked, and bash isn't available.") };
		if (cwd.refused !== undefined) return fact;
		return new Gathering({ gateContext, paths, look, memo, words: 0, steady: true }, fact).gather(parsed.plain);
	};
}

async function workingFolder(
	{ folders }: GateContext,
	paths: PathResolver,
	given: string | undefined,
	look: LstatCache,
): Promise<PathFacts> {
	if (given !== undefined) return paths.tool(given, "read");
	const [first] = folders();
	return first ? paths.word(toForwardSlashes(first.path), "/", "read", look) : paths.tool(".", "read");
}

/** State while the commands of a line are processed in order. */
class Gathering {
	private readonly context: CommandContext;
	private readonly fact: CommandFacts;
	/** Every folder that the line may be in at any time, and those it may be in now. */
	private readonly everywhere: Set<string>;
	private here: Set<string>;
	private odd: string | undefined;

	constructor(context: CommandContext, fact: CommandFacts) {
		this.context = context;
		this.fact = fact;
		this.everywhere = new Set([fact.cwd.real]);
		this.here = new Set(this.everywhere);
	}

	async gather(plain: readonly PlainCommand[]): Promise<CommandFacts> {
		const commands: SimpleCommand[] = [];
		let feed = "";
		for (const [index, command] of plain.entries()) {
			const before = plain[index - 1];
			feed = command.joint === "|" && before ? `${feed}${asTyped(before)} | ` : "";
			this.context.steady = commands.every(({ reads }) => reads) && plain[index + 1]?.joint !== "|";
			if (index > 0 && command.joint !== "&&") this.here = new Set(this.everywhere);
			const expanded = await this.expanded(command.words, commands);
			if (expanded.words[0] === "cd") commands.push(await this.changeFolder(expanded, command.joint));
			else {
				const assessed = await assessSimpleCommand(this.context, expanded, command.inputs, [...this.here], `${feed}${command.given ?? ""}`);
				if (assessed.inner?.[0] === "cd") this.odd ??= t("The command switches to a folder that can't be determined in advance.");
				commands.push(assessed);
			}
		}
		const interfering = interferingProgram(commands);
		if (interfering !== undefined) this.odd ??= t("{0} changes how later commands are interpreted.", interfering);
		const masked = [...maskedPaths(this.context.memo)];
		return { ...this.fact, commands, ...(masked.length > 0 && { masked }), ...(this.odd !== undefined && { odd: this.odd }) };
	}

	/** The words after expansion. A pattern that may match different names in different folders is not expanded. */
	private async expanded(words: readonly ShellWord[], before: readonly SimpleCommand[]): Promise<ExpandedWords> {
		const found: ExpandedWords = { words: [], unknown: new Set(), matched: new Set() };
		for (const word of words) {
			if (word.unknown) found.unknown.add(found.words.length);
			if (!word.pattern) {
				found.words.push(word.text);
				continue;
			}
			const [folder, ...more] = this.here;
			const unambiguous = more.length === 0 && folder !== undefined && !mayAddMatches(before, word, folder);
			const names = !unambiguous ? undefined : await expandGlob(this.context.gateContext.disk, word, folder);
			if (!names || "odd" in names) {
				this.odd ??= t("The command uses the pattern {0}, whose matches can't be determined in advance.", word.text);
				found.words.push(word.text);
				continue;
			}
			for (const name of names.names) {
				found.matched.add(found.words.length);
				found.words.push(name);
			}
		}
		this.context.words += found.words.length;
		if (this.context.words > MAX_WORDS) this.odd ??= t("The command has too many words to check.");
		return found;
	}

	/**
	 * After `&&`, the line is in the new folder. After any other operator it may be in any of them, as after a pipeline whose last part
	 * changed the folder, which affects that part only. The shell resolves `..` by name, programs by the actual folder; if links make
	 * these differ, both are included.
	 */
	private async changeFolder({ words, unknown }: ExpandedWords, joint: PlainCommand["joint"]): Promise<SimpleCommand> {
		const [, target, ...more] = words;
		if (target === undefined || target.startsWith("-") || target === "" || more.length > 0 || unknown.size > 0) {
			this.odd ??= t("The command switches to a folder that can't be determined in advance.");
			return { words, paths: [] };
		}
		const { paths, look } = this.context;
		const named = [...this.here].map((base) => toForwardSlashes(nativePath.resolve(base, target)));
		const relative = [...this.here].map((base) => paths.word(target, base, "read", look));
		const facts = await Promise.all([...relative, ...named.map((path) => paths.word(path, "/", "read", look))]);
		const next = new Set([...facts.map(({ real }) => real), ...named]);
		for (const path of next) this.everywhere.add(path);
		if (this.everywhere.size > MAX_CWDS) this.odd ??= t("The command switches between too many folders to check.");
		this.here = joint === "||" || joint === "|" ? new Set(this.everywhere) : next;
		return { words, paths: facts, reads: true };
	}
}

/** Returns the command without the expansion of its words. */
function asTyped({ words, inputs, given = "" }: PlainCommand): string {
	return `${given}${quoteWords(words.map(({ text }) => text))}${inputs.map(({ text }) => ` < ${quoteWords([text])}`).join("")}`;
}

/** Cached once bash is found. */
function createBashCheck({ host, disk }: GateContext): () => Promise<boolean> {
	let found = false;
	return async () => {
		if (!found) found = host ? (await host.find("bash")) !== undefined : await isBashOnPath(disk);
		return found;
	};
}

async function isBashOnPath(disk: GateContext["disk"]): Promise<boolean> {
	if (process.platform === "win32") return false;
	for (const folder of (process.env["PATH"] ?? "").split(":")) {
		if (folder !== "" && (await disk.lstat(`${folder}/bash`).catch(() => undefined))) return true;
	}
	return false;
}

/** Flags with which links may be moved or copied, and then resolve to another target. */
const CARRIES_LINKS = /^(?:-[a-zA-Z]*[aRrPd][a-zA-Z]*|--archive|--recursive|--no-dereference)$/;

/** The program that changes what a later command runs or operates on; undefined if there is none. */
function interferingProgram(commands: readonly SimpleCommand[]): string | undefined {
	for (const [index, earlier] of commands.entries()) {
		const later = commands.slice(index + 1);
		if (later.length === 0 || earlier.reads) continue;
		const written = earlier.paths.filter(({ use }) => use !== "read");
		const touched = carriesLinks(earlier) ? earlier.paths : [];
		const changes = later.some(
			(command) =>
				(command.bound ?? []).some((file) => [...written, ...touched].some((path) => isInside(file, path))) ||
				command.paths.some((path) => touched.some((moved) => within(path.literal, moved.literal))),
		);
		if (changes) return earlier.words[0];
	}
	return undefined;
}

/** Returns true if an earlier command may have created names that match the pattern. */
function mayAddMatches(before: readonly SimpleCommand[], { text, pattern }: ShellWord, folder: string): boolean {
	const fixed = nativePath.resolve(folder, text.slice(0, text.lastIndexOf("/", pattern?.[0] ?? 0) + 1) || ".");
	return before.some(({ paths }) => paths.some(({ use, literal }) => use !== "read" && within(literal, fixed) && literal !== fixed));
}

function carriesLinks({ words, inner = words }: SimpleCommand): boolean {
	const [program, ...rest] = inner;
	if (program === "mv" || program === "gmv" || (program === "git" && rest.includes("mv"))) return true;
	return /^g?(?:cp|install)$/.test(program ?? "") && rest.some((word) => CARRIES_LINKS.test(word));
}

/** `file` is as named in an approval: relative to its workspace folder, or absolute. */
function isInside(file: string, { literal, literalInside }: PathFacts): boolean {
	return within(file, literal) || (literalInside !== undefined && within(file, literalInside));
}

function within(path: string, folder: string): boolean {
	return folder === "." || path === folder || path.startsWith(`${folder}/`);
}

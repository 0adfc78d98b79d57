// Gathers what authorize needs to know of a command line: its commands, where their words lead, what package.json and git would run.
import { createHash } from "node:crypto";
import type { CommandFact, GateSurroundings, PathFact, PathUse, SimpleCommand } from "../core/gate.ts";
import { t } from "../l10n.ts";
import { firstProtected } from "./below.ts";
import { slashed, system } from "./follow.ts";
import { gitConfigRuns } from "./gitConfig.ts";
import type { Look, Paths } from "./paths.ts";
import { protectedPlace } from "./places.ts";
import { MAX_COMMAND_LENGTH, type PlainCommand } from "./plain.ts";
import { judge } from "./programs.ts";
import { loadShell, type Parsed, type Shell } from "./shell.ts";

const MOST_CANDIDATES = 300;
const MOST_CWDS = 8;

export function createCommands(surroundings: GateSurroundings, paths: Paths): (text: string, cwd?: string) => Promise<CommandFact> {
	const { disk } = surroundings;
	let loading: Promise<Shell> | undefined;
	let bash: Promise<boolean> | undefined;

	async function parse(text: string): Promise<Parsed> {
		loading ??= loadShell(surroundings.parser);
		try {
			return (await loading)(text);
		} catch (error) {
			loading = undefined;
			return { odd: t("cannot be parsed here ({0})", error instanceof Error ? error.message : String(error)), plain: [], all: [] };
		}
	}

	async function bashIsThere(): Promise<boolean> {
		if (process.platform === "win32") return false;
		for (const folder of (process.env["PATH"] ?? "").split(":")) {
			if (folder !== "" && (await disk.lstat(`${folder}/bash`).catch(() => undefined))) return true;
		}
		return false;
	}

	return async (text, given) => {
		const cwd = await workingFolder(surroundings, paths, given);
		const parsed = await parse(text);
		bash ??= bashIsThere();
		const fact: CommandFact = { text, cwd, commands: parsed.all.map((words) => ({ words, paths: [] })) };
		if (parsed.odd !== undefined) return { ...fact, odd: parsed.odd };
		if (!(await bash)) return { ...fact, odd: t("would run without bash, whose language is the only one that is checked here") };
		if (cwd.refused !== undefined) return fact;
		return new Gathering(surroundings, paths, fact).gather(parsed.plain, parsed.all);
	};
}

async function workingFolder({ folders }: GateSurroundings, paths: Paths, given: string | undefined): Promise<PathFact> {
	if (given !== undefined) return paths.tool(given, "read");
	const [first] = folders();
	return first ? paths.word(slashed(first.path), "/", "read", paths.look()) : paths.tool(".", "read");
}

/** What is learnt while walking along one command line. */
class Gathering {
	private readonly surroundings: GateSurroundings;
	private readonly paths: Paths;
	private readonly fact: CommandFact;
	private readonly look: Look;
	private readonly gitIn = new Set<string>();
	private readonly scriptsIn = new Set<string>();
	/** Every folder the line may be in at some time, and those it may be in now. */
	private readonly everywhere: Set<string>;
	private here: Set<string>;
	private candidates = 0;
	private odd: string | undefined;

	constructor(surroundings: GateSurroundings, paths: Paths, fact: CommandFact) {
		this.surroundings = surroundings;
		this.paths = paths;
		this.fact = fact;
		this.look = paths.look();
		this.everywhere = new Set([fact.cwd.real]);
		this.here = new Set(this.everywhere);
	}

	async gather(plain: readonly PlainCommand[], all: readonly string[][]): Promise<CommandFact> {
		const known = new Map<string, SimpleCommand>();
		const commands: SimpleCommand[] = [];
		for (const [index, { words, joint }] of plain.entries()) {
			if (index > 0 && joint !== "&&") this.here = new Set(this.everywhere);
			const command = words[0] === "cd" ? await this.changeFolder(words, joint) : await this.simple(words);
			commands.push(command);
			known.set(JSON.stringify(words), command);
		}
		const inner = all.filter((words) => !known.has(JSON.stringify(words))).map((words) => ({ words, paths: [] }));
		const [scriptsHash, runs] = [await this.scripts(), await this.gitRuns()];
		return {
			...this.fact,
			commands: [...commands, ...inner],
			...(this.odd !== undefined && { odd: this.odd }),
			...(scriptsHash !== undefined && { scriptsHash }),
			...(runs !== undefined && { gitConfigRuns: runs }),
		};
	}

	/**
	 * After `&&` the line is surely in the new folder; after anything else it may be in any. The shell takes `..` off the
	 * name of where it is, programs off the place itself: where links make that two folders, both count.
	 */
	private async changeFolder(words: string[], joint: PlainCommand["joint"]): Promise<SimpleCommand> {
		const [, target, ...more] = words;
		if (target === undefined || target.startsWith("-") || target === "" || more.length > 0) {
			this.odd ??= t("changes to a folder that cannot be told beforehand");
			return { words, paths: [] };
		}
		const named = [...this.here].map((base) => slashed(system.resolve(base, target)));
		const facts = await this.locate(target, "read");
		facts.push(...(await Promise.all(named.map((path) => this.paths.word(path, "/", "read", this.look)))));
		const next = new Set([...facts.map(({ real }) => real), ...named]);
		for (const path of next) this.everywhere.add(path);
		if (this.everywhere.size > MOST_CWDS) this.odd ??= t("changes between too many folders to follow");
		this.here = joint === "||" ? new Set(this.everywhere) : next;
		return { words, paths: facts };
	}

	private async simple(words: string[]): Promise<SimpleCommand> {
		const program = await this.surroundings.programs?.program(words[0] as string);
		if (program !== undefined) return { words, paths: [], program };
		const judged = judge(words);
		if (words[0] === "git") for (const path of this.here) this.gitIn.add(path);
		if (judged.bound) for (const path of this.here) this.scriptsIn.add(path);
		const facts: PathFact[] = [];
		for (const { word, use } of judged.paths) {
			for (const [index, candidate] of candidatesOf(word).entries()) {
				if (++this.candidates > MOST_CANDIDATES) {
					this.odd ??= t("has too many words to check each of them");
					return { words, paths: facts };
				}
				const found = await this.locate(candidate, use);
				facts.push(...found.filter((fact) => index === 0 || fact.refused !== undefined || protectedPlace(fact) !== undefined));
			}
			if (judged.below) facts.push(...(await this.below(word, judged.below.hidden)));
		}
		return { words, paths: facts };
	}

	private locate(word: string, use: PathUse): Promise<PathFact[]> {
		return Promise.all([...this.here].map((base) => this.paths.word(word, base, use, this.look)));
	}

	/** A program that reads a whole folder reads the protected files in it. */
	private async below(word: string, hidden: boolean): Promise<PathFact[]> {
		const facts: PathFact[] = [];
		for (const folder of await this.locate(word, "read")) {
			if (!folder.exists || folder.realInside === undefined) continue;
			if ((await this.look(folder.real).catch(() => undefined))?.type !== "directory") continue;
			const found = await firstProtected(this.surroundings.disk, folder.real, { purpose: "read", hidden });
			if (found === "unknown") this.odd ??= t("reads everything in {0}, which holds more files than could be checked", word);
			else if (found !== undefined) facts.push(await this.paths.word(found, "/", "read", this.look));
		}
		return facts;
	}

	private async real(folder: string): Promise<string> {
		return (await this.paths.word(folder, "/", "read", this.look)).real;
	}

	private async scripts(): Promise<string | undefined> {
		const hashes: string[] = [];
		for (const path of this.scriptsIn) {
			const scripts = await nearestScripts(this.surroundings, await this.real(path));
			if (scripts !== undefined && !hashes.includes(scripts)) hashes.push(scripts);
		}
		return hashes.length === 0 ? undefined : createHash("sha256").update(hashes.sort().join("\n")).digest("hex");
	}

	private async gitRuns(): Promise<string | undefined> {
		for (const path of this.gitIn) {
			const runs = await gitConfigRuns(this.surroundings.disk, this.look, await this.real(path));
			if (runs !== undefined) return runs;
		}
		return undefined;
	}
}

async function nearestScripts({ disk }: GateSurroundings, folder: string): Promise<string | undefined> {
	for (let path = folder; ; path = system.dirname(path)) {
		const bytes = await disk.peek(system.join(path, "package.json"), 1_000_000);
		if (bytes) {
			try {
				return JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)).scripts ?? {});
			} catch {
				return "unreadable";
			}
		}
		if (system.dirname(path) === path) return undefined;
	}
}

/** The word first, then whatever in it a program might take for a path: `--file=x`, `-fx`, `HEAD:x`, `@x`. */
function candidatesOf(word: string): string[] {
	if (word === "" || word === "-" || word.length > MAX_COMMAND_LENGTH || /^https?:\/\//i.test(word)) return [];
	const found = new Set([word]);
	for (const match of word.matchAll(/[=:@,)]/g)) found.add(word.slice(match.index + 1));
	if (/^-[^-]/.test(word)) for (let at = 2; at < word.length; at++) found.add(word.slice(at));
	found.delete("");
	return [...found];
}

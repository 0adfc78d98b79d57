// Assesses git commands by subcommand, flags, and operands; anything not in the tables requires approval.
import { t } from "../../shared/l10n.ts";
import type { Assessment, Assessor, Operand } from "../programs/assessment.ts";
import { parseFlags } from "../programs/flags.ts";
import { nativePath } from "../resolveLinks.ts";
import { changingSubcommands } from "./changingSubcommands.ts";
import { mixedSubcommands } from "./mixedSubcommands.ts";
import { historySubcommands, listingSubcommands } from "./reading.ts";
import type { Subcommand } from "./subcommand.ts";

/** All known subcommands. */
export const subcommands: Readonly<Record<string, Subcommand>> = {
	...historySubcommands,
	...listingSubcommands,
	...mixedSubcommands,
	...changingSubcommands,
};

export const assessGit: Assessor = ({ words, unknown }) => {
	if (unknown.size > 0)
		return { always: t("An argument of {0} can only be determined by the shell.", "git"), line: true, operands: everyWord(words) };
	const global = globalFlags(words.slice(1));
	if (!global) return assessUnknownUse(words, t("git {0} can make git run or access something else.", words[1] ?? ""));
	const folder: Operand[] = global.folder === undefined ? [] : [{ word: global.folder, use: "read", reach: { kind: "itself" } }];
	const assessed = judgeSubcommand(global.rest);
	const git = assessed.git && { ...assessed.git, ...(global.folder !== undefined && { folder: global.folder }) };
	return { ...assessed, ...(git && { git }), operands: [...folder, ...inFolder(assessed.operands, global.folder)] };
};

interface GlobalArguments {
	folder?: string;
	rest: readonly string[];
}

/** Settings that affect only how git prints, not the answers that we rely on. */
const printingSettings =
	/^(?:(?:color|column|advice)\.[a-z.]+=(?:true|false|always|never|auto|on|off|no)|core\.quotepath=(?:true|false|on|off)|core\.pager=(?:cat)?|pager\.[a-z]+=false|log\.date=(?:iso|short|relative)|log\.decorate=(?:short|full|no|false))$/i;

/** Accepts `--no-pager`, `-P`, one `-C`, and `-c` with printing settings. */
function globalFlags(words: readonly string[]): GlobalArguments | undefined {
	let folder: string | undefined;
	for (let at = 0; at < words.length; at++) {
		const word = words[at] as string;
		if (word === "--no-pager" || word === "-P" || word === "--no-optional-locks") continue;
		if (word === "-C" && folder === undefined && words[at + 1]) folder = words[++at];
		else if (word === "-c" && printingSettings.test(words[at + 1] ?? "")) at++;
		else if (!word.startsWith("-") || (isVersion(word) && at === words.length - 1)) return globalArguments(folder, words.slice(at));
		else return undefined;
	}
	return globalArguments(folder, []);
}

function globalArguments(folder: string | undefined, rest: readonly string[]): GlobalArguments {
	return { ...(folder !== undefined && { folder }), rest };
}

function isVersion(word: string): boolean {
	return word === "--version" || word === "-v";
}

function judgeSubcommand(words: readonly string[]): Assessment {
	const [name = "", ...rest] = words;
	if (name === "" || isVersion(name)) return { reads: true, operands: [] };
	const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
	if (!subcommand) return { always: t("git {0} isn't known to be safe.", name), operands: everyWord(words) };
	if (rest.length === 1 && rest[0] === "-h" && subcommand.flags.alone?.split(" ").includes("-h") !== true)
		return { reads: true, operands: [] };
	const read = parseFlags(words, subcommand.flags);
	if (read.unknown !== undefined) return assessUnknownUse(words, t("git {0} {1} can run programs or write files.", name, read.unknown));
	const { reason, git, ...refinements } = subcommand.judge(read, words);
	const need = git && { use: "change" as const, ...git };
	if (reason !== undefined) return assessUnknownUse(words, reason);
	return { operands: [], ...(refinements.reads && { class: `git ${name}` }), ...refinements, ...(need && { git: need }) };
}

/** Assesses a use of the command that is not plain: its repository is checked as for a command that changes something. */
function assessUnknownUse(words: readonly string[], always: string): Assessment {
	return { always, line: true, operands: everyWord(words), git: { use: "change" } };
}

/** Resolves operands from the folder given by `-C`. */
function inFolder(operands: readonly Operand[], folder: string | undefined): Operand[] {
	if (folder === undefined) return [...operands];
	return operands.map((operand) => ({
		...operand,
		word: joined(folder, operand.word),
		...(operand.from !== undefined && { from: joined(folder, operand.from) }),
	}));
}

function joined(folder: string, word: string): string {
	return nativePath.isAbsolute(word) ? word : `${folder}/${word}`;
}

function everyWord(words: readonly string[]): Operand[] {
	return words.slice(1).flatMap((word) => (word === "" || word === "-" ? [] : [{ word, use: "read" as const }]));
}

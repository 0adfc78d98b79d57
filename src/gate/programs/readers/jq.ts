// `jq` and `yq`: their filters read no files except through constructs that require approval.
import { t } from "../../../shared/l10n.ts";
import type { Assessor, Operand } from "../assessment.ts";
import { isPath, parseFlags } from "../flags.ts";

const LETTERS = /^-[achjnrsCMSRe]+$/;
/** Exported for the check against the installed program. */
export const JQ_FLAGS = new Set(
	(
		"--ascii-output --compact-output --color-output --exit-status --help --join-output --monochrome-output --null-input --raw-input " +
		"--raw-output --seq --slurp --sort-keys --stream --tab --unbuffered --version"
	).split(" "),
);
/** Number of words that follow; with `reads`, the last one is a file that is read. */
const TAKES: Record<string, { words: number; reads?: true }> = {
	"--arg": { words: 2 },
	"--argjson": { words: 2 },
	"--indent": { words: 1 },
	"--rawfile": { words: 2, reads: true },
	"--slurpfile": { words: 2, reads: true },
};

/** After a dot it is a field: `.include`. */
const MODULES = /(?<![.\w])(?:import|include|modulemeta)\b/;

export const jq: Assessor = ({ words, unknown }) => {
	const operands: Operand[] = [];
	const reads = (word: string | undefined) => {
		if (word !== undefined && isPath(word)) operands.push({ word, use: "read" });
	};
	let filter: string | undefined;
	let filterAt = 0;
	let unknownFlag: string | undefined;
	let text = false;
	let onlyOperands = false;
	for (let at = 1; at < words.length; at++) {
		const word = words[at] as string;
		const taken = onlyOperands ? undefined : TAKES[word];
		if (onlyOperands || !word.startsWith("-") || word === "-") {
			if (filter === undefined) [filter, filterAt] = [word, at];
			else if (!text) reads(word);
		} else if (word === "--") onlyOperands = true;
		else if (word === "--args" || word === "--jsonargs") text = true;
		else if (taken) {
			at += taken.words;
			if (taken.reads) reads(words[at]);
		} else if (!LETTERS.test(word) && !JQ_FLAGS.has(word)) unknownFlag ??= word;
	}
	const asks = (always: string) => ({ always, line: true as const, operands });
	if (unknownFlag !== undefined) return asks(t("{0} with {1} may write files or run commands.", "jq", unknownFlag));
	if (unknown.size > 0) return asks(t("An argument of {0} can only be determined by the shell.", "jq"));
	if (filterAt > 0 && MODULES.test(filter ?? "")) return asks(t("The {0} filter may read other files.", "jq"));
	return { reads: true, class: "jq", operands };
};

/** Excluded: `-i` writes to the file, and in one of the two implementations `-s` writes many. */
const FLAGS = { alone: "-r -e -n -M -C -P --version --help -h", text: "-o -p --output-format --input-format", anywhere: true };
const FORMATS = new Set("yaml y json j props p xml x csv c tsv t toml auto a".split(" "));
/** Words of both languages that use only their input; others load files, variables, or programs. */
const KNOWN = new Set(
	(
		"add all and any ascii_downcase ascii_upcase contains del downcase empty endswith false first flatten from_entries group_by has join " +
		"keys last length limit ltrimstr map map_values max min not null or range recurse reverse select sort sort_by split startswith tag " +
		"test to_entries tonumber tostring true type unique unique_by upcase values with_entries"
	).split(" "),
);

export const yq: Assessor = ({ words, unknown }) => {
	const read = parseFlags(words, FLAGS);
	const [first = "", ...files] = read.operands;
	const inputs = read.operands.length === 1 ? [first] : files;
	const operands = inputs.filter(isPath).map((word): Operand => ({ word, use: "read" }));
	const asks = (always: string) => ({ always, line: true as const, operands });
	const unknownFlag = read.unknown ?? read.values.find(({ value }) => !FORMATS.has(value.replace(/^=/, "")))?.value;
	if (unknownFlag !== undefined) return asks(t("{0} with {1} may write files or run commands.", "yq", unknownFlag));
	if (unknown.size > 0) return asks(t("An argument of {0} can only be determined by the shell.", "yq"));
	if (!isPlain(first)) return asks(t("The {0} filter may read other files.", "yq"));
	return { reads: true, class: "yq", operands };
};

/** A backslash may put an expression into a string, and a comment may hide a quote; `$` and `@` start variables and formats. */
function isPlain(filter: string): boolean {
	if (/[\\$@#]/.test(filter)) return false;
	const names = filter.replace(/"[^"]*"/g, "").match(/(?<![.\w])[A-Za-z_]\w*/g) ?? [];
	return names.every((name) => KNOWN.has(name));
}

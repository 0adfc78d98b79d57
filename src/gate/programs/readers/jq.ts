// `jq`: its filter language reads no files but modules, which ask.
import { t } from "../../../shared/l10n.ts";
import { isPath } from "../flags.ts";
import type { Assessor, Operand } from "../judgement.ts";

const LETTERS = /^-[achjnrsCMSRe]+$/;
/** Exported for the check against the installed program. */
export const JQ_FLAGS = new Set(
	(
		"--ascii-output --compact-output --color-output --exit-status --help --join-output --monochrome-output --null-input --raw-input " +
		"--raw-output --seq --slurp --sort-keys --stream --tab --unbuffered --version"
	).split(" "),
);
/** Words that follow; the second of two is text or a file that is read. */
const TAKES: Record<string, { words: number; reads?: true }> = {
	"--arg": { words: 2 },
	"--argjson": { words: 2 },
	"--indent": { words: 1 },
	"--rawfile": { words: 2, reads: true },
	"--slurpfile": { words: 2, reads: true },
};

/** A dot before it makes it a field: `.include`. */
const MODULES = /(?<![.\w])(?:import|include|modulemeta)\b/;

export const jq: Assessor = ({ words, unknown }) => {
	const operands: Operand[] = [];
	const reads = (word: string | undefined) => {
		if (word !== undefined && isPath(word)) operands.push({ word, use: "read" });
	};
	let filter: string | undefined;
	let filterAt = 0;
	let odd: string | undefined;
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
		} else if (!LETTERS.test(word) && !JQ_FLAGS.has(word)) odd ??= word;
	}
	const asks = (always: string) => ({ always, line: true as const, operands });
	if (odd !== undefined) return asks(t("{0} is used with {1}, which may write or run something", "jq", odd));
	if (unknown.size > 0) return asks(t("{0} gets a word that only the shell could know", "jq"));
	if (filterAt > 0 && MODULES.test(filter ?? "")) return asks(t("the filter of jq reads other files"));
	return { reads: true, class: "jq", operands };
};

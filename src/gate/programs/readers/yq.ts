// `yq`: two programs go by that name, and only what means the same to both, or fails in one of them, is known.
import { t } from "../../../shared/l10n.ts";
import { isPath, parseFlags } from "../flags.ts";
import type { Assessor, Operand } from "../judgement.ts";

/** Left out: `-i` writes to the file, `-s` writes many in one of the two. */
const FLAGS = { alone: "-r -e -n -M -C -P --version --help -h", text: "-o -p --output-format --input-format", anywhere: true };
const FORMATS = new Set("yaml y json j props p xml x csv c tsv t toml auto a".split(" "));
/** Words of both languages that look at nothing but their input; others load files, variables or programs. */
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
	const odd = read.unknown ?? read.values.find(({ value }) => !FORMATS.has(value.replace(/^=/, "")))?.value;
	if (odd !== undefined) return asks(t("{0} is used with {1}, which may write or run something", "yq", odd));
	if (unknown.size > 0) return asks(t("{0} gets a word that only the shell could know", "yq"));
	if (!isPlain(first)) return asks(t("the filter of yq may read other files"));
	return { reads: true, class: "yq", operands };
};

/** A backslash may put an expression into a text, a comment hide a quote; `$` and `@` begin variables and formats. */
function isPlain(filter: string): boolean {
	if (/[\\$@#]/.test(filter)) return false;
	const names = filter.replace(/"[^"]*"/g, "").match(/(?<![.\w])[A-Za-z_]\w*/g) ?? [];
	return names.every((name) => KNOWN.has(name));
}

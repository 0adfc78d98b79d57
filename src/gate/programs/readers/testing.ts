// `test` and `[`: asks the disk about files and compares words.
import { t } from "../../../shared/l10n.ts";
import { isPath } from "../flags.ts";
import type { Assessment, Assessor, AssessorTable, Invocation, Operand } from "../judgement.ts";

const ABOUT_FILES = new Set("-a -b -c -d -e -f -g -G -h -k -L -N -O -p -r -s -S -u -w -x".split(" "));
const BETWEEN_FILES = new Set("-ef -nt -ot".split(" "));
/** They take the name of a variable, and evaluate what stands in its brackets. */
const ABOUT_VARIABLES = new Set(["-v", "-R"]);
/** Counts and statuses are numbers, whatever they are. */
const NUMBER = /^"?\$[?#]"?$/;

const test: Assessor = (call) => {
	const { words, unknown } = call;
	const operands = filesOf(call);
	const asks = (always: string): Assessment => ({ always, line: true, operands });
	if (words.some((word) => ABOUT_VARIABLES.has(word))) return asks(t("test may run what stands in brackets"));
	if ([...unknown].some((place) => !NUMBER.test(words[place] ?? ""))) {
		return asks(t("{0} gets a word that only the shell could know", words[0] ?? "test"));
	}
	return { reads: true, class: words[0] ?? "test", operands };
};

function filesOf({ words }: Invocation): Operand[] {
	const named = words.flatMap((word, index) => {
		if (index > 0 && ABOUT_FILES.has(word)) return words.slice(index + 1, index + 2);
		return BETWEEN_FILES.has(word) ? [words[index - 1] ?? "", words[index + 1] ?? ""] : [];
	});
	return named.filter((word) => isPath(word) && word !== "]").map((word): Operand => ({ word, use: "read", reach: { kind: "itself" } }));
}

export const testPrograms: AssessorTable = { test, "[": test };

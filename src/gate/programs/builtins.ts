// Builtins of bash, which take precedence over programs of the same name.
import { t } from "../../shared/l10n.ts";
import { forAllFlavors, type ProgramTables, readOnlyAssessors } from "./assessByTable.ts";
import type { Assessment, Assessor, AssessorTable, Invocation } from "./assessment.ts";
import type { ParsedFlags, ProgramTable } from "./flags.ts";
import { testPrograms } from "./readers/listing.ts";
import { anyWordsTable, printfTable } from "./readers/utilities.ts";

/** Builtins without a table: they change the shell, later commands, or background jobs, or run their arguments. */
const changesTheShell =
	". alias bg bind break builtin caller command compgen complete compopt continue declare dirs disown enable eval exec export fc fg " +
	"getopts hash history kill let local logout mapfile popd pushd read readarray readonly return set shift shopt source suspend trap " +
	"typeset ulimit umask unalias unset wait";

const always: Assessor = ({ words: [program = "", ...rest] }) => ({
	always: t("{0} changes how later commands are interpreted.", program),
	operands: rest.map((word) => ({ word, use: "read" })),
});

/** Without a folder it goes to the home folder, with `-` to an unknown one. */
function goesToOneFolder({ operands }: ParsedFlags): Partial<Assessment> & { reason?: string } {
	const [folder, ...more] = operands;
	if (folder === undefined || folder === "-" || more.length > 0)
		return { reason: t("The command switches to a folder that can't be determined in advance.") };
	return { operands: [{ word: folder, use: "read", reach: { kind: "itself" } }] };
}

function plainStatus({ operands }: ParsedFlags): { reason?: string } {
	return operands.every((word) => /^\d{1,3}$/.test(word)) ? {} : { reason: t("exit is called with an argument that isn't a number.") };
}

const tables: Record<string, ProgramTable> = {
	":": anyWordsTable,
	cd: { operands: "itself", flags: { alone: "-L -P -e" }, check: goesToOneFolder },
	echo: anyWordsTable,
	exit: { operands: "text", flags: {}, check: plainStatus },
	false: anyWordsTable,
	help: { operands: "text", flags: { alone: "-d -m -s" } },
	jobs: { operands: "text", flags: { alone: "-l -n -p -r -s" } },
	printf: printfTable,
	pwd: { operands: "none", flags: { alone: "-L -P" } },
	times: { operands: "none", flags: {} },
	true: anyWordsTable,
	type: { operands: "text", flags: { alone: "-a -f -p -P -t" } },
};

const programs: ProgramTables = Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, forAllFlavors(table)]));

/** `command -v` only prints where a program is; every other form runs it. */
const command: Assessor = (call: Invocation) => {
	const [, flag, ...names] = call.words;
	const namesOnly = /^-[vV]$/.test(flag ?? "") && names.every((name) => !name.startsWith("-")) && call.unknown.size === 0;
	return namesOnly ? { reads: true, class: "command", operands: [] } : always(call);
};

export const builtins: AssessorTable = {
	...Object.fromEntries(changesTheShell.split(" ").map((name) => [name, always])),
	...readOnlyAssessors(programs),
	...testPrograms,
	command,
};

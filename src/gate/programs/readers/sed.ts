// `sed` as long as its script can only print, delete, stop and substitute.
import { t } from "../../../shared/l10n.ts";
import { type ParsedFlags, reading } from "../flags.ts";
import type { Assessment } from "../judgement.ts";
import { type ProgramTables, tablesByFlavor } from "../table.ts";
import { isSafeSedScript } from "./sedScript.ts";

function judged({ values, operands }: ParsedFlags): Partial<Assessment> & { reason?: string } {
	const given = values.filter(({ flag }) => flag === "-e" || flag === "--expression").map(({ value }) => value);
	const files = reading(given.length > 0 ? operands : operands.slice(1), { kind: "tree" });
	const scripts = given.length > 0 ? given : operands.slice(0, 1);
	return { operands: files, ...(!isSafeSedScript(scripts.join("\n")) && { reason: t("its sed script may do more than print") }) };
}

const sed = tablesByFlavor(
	"tree",
	{
		gnu: {
			alone: "-n -E -r -s -u -z --quiet --silent --debug --regexp-extended --separate --unbuffered --null-data --sandbox --help --version",
			text: "-e -l --expression --line-length",
		},
		bsd: { alone: "-n -E -r -l -u", text: "-e" },
		busybox: { alone: "-n -E -r -s -z", text: "-e" },
	},
	{ check: judged },
);

export const sedPrograms: ProgramTables = { sed };

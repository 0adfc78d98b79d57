// `sed` as long as its script can only print, delete, stop and substitute.
import { t } from "../../../shared/l10n.ts";
import { type ReadFlags, reading } from "../flags.ts";
import type { Judgement } from "../judgement.ts";
import { byFlavor, type Programs } from "../table.ts";
import { onlyPrints } from "./sedScript.ts";

function judged({ values, operands }: ReadFlags): Partial<Judgement> & { reason?: string } {
	const given = values.filter(({ flag }) => flag === "-e" || flag === "--expression").map(({ value }) => value);
	const files = reading(given.length > 0 ? operands : operands.slice(1), { kind: "tree" });
	const scripts = given.length > 0 ? given : operands.slice(0, 1);
	return { operands: files, ...(!onlyPrints(scripts.join("\n")) && { reason: t("its sed script may do more than print") }) };
}

const sed = byFlavor(
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

export const streams: Programs = { sed };

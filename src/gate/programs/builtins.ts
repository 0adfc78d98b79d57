// Builtins of bash. They stand before programs of the same name.
import { t } from "../../l10n.ts";
import type { Judge, JudgeTable } from "./judgement.ts";

const changesTheShell =
	". alias bg bind break builtin caller compgen complete compopt continue declare dirs disown enable eval exec export fc fg getopts hash " +
	"history kill let local logout mapfile popd pushd read readarray readonly return set shopt source suspend times trap typeset ulimit " +
	"umask unalias unset wait";

const always: Judge = ({ words: [program = "", ...rest] }) => ({
	always: t("{0} changes how later commands are understood", program),
	operands: rest.map((word) => ({ word, use: "read" })),
});

const silent: Judge = ({ words: [program = ""] }) => ({ reads: true, class: program, operands: [], anyWords: true });

export const builtins: JudgeTable = {
	...Object.fromEntries(changesTheShell.split(" ").map((name) => [name, always])),
	...Object.fromEntries("echo true false : exit".split(" ").map((name) => [name, silent])),
};

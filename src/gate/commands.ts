// Layer 5: a command asks when it is not plain, or when a program in it can do more than it says.
import type { CommandFact } from "../core/gate.ts";
import { t } from "../l10n.ts";
import { protectedPlace } from "./places.ts";
import { judge } from "./programs.ts";

type Concern = { layer: "protected" | "command"; reason: string; rule: string };

/** Why a command asks whatever rules and grants say. */
export function concern(command: CommandFact): Concern | undefined {
	if (command.odd !== undefined) return { layer: "command", reason: t("Asks because the command {0}.", command.odd), rule: "odd" };
	if (command.commands.length === 0) return { layer: "command", reason: t("Asks because no command was found in it."), rule: "odd" };
	for (const fact of [command.cwd, ...command.commands.flatMap(({ paths }) => paths)]) {
		if (fact.refused !== undefined) return { layer: "protected", reason: t("Asks because {0}", fact.refused), rule: fact.given };
		const place = protectedPlace(fact);
		if (place) return { layer: "protected", ...place };
	}
	for (const { words, program: own } of command.commands) {
		if (own !== undefined) continue;
		const { always } = judge(words);
		const program = words[0] ?? "";
		if (always !== undefined) return { layer: "command", reason: t("Asks because {0}.", always), rule: program };
		if (program === "git" && command.gitConfigRuns !== undefined) {
			const reason = t("Asks because this repository's own configuration makes git run programs ({0}).", command.gitConfigRuns);
			return { layer: "command", reason, rule: "git configuration" };
		}
	}
	return undefined;
}

/** Nothing runs but programs of ours, and whatever these call is judged by itself. */
export function runsOurs({ commands }: CommandFact): boolean {
	return commands.some(({ program }) => program !== undefined) && commands.every(({ program }) => program !== undefined);
}

/** Why a command asks even in the mode that lets most things pass. */
export function careful(command: CommandFact): string | undefined {
	for (const { words, program } of command.commands) {
		if (program !== undefined) continue;
		const { careful: reason } = judge(words);
		if (reason !== undefined) return t("Asks because {0}.", reason);
	}
	return undefined;
}

// The milder tier: what runs by itself asks before it is written, except where a person has named it or lets everything pass.

import type { GateRequest } from "../core/ports/gate.ts";
import type { PathFacts } from "../core/ports/tool.ts";
import { createNameTable } from "../core/protected/namePatterns.ts";
import { normalizePathParts, slicePathParts } from "../core/protected/protectedNames.ts";
import { t } from "../shared/l10n.ts";
import { autoExecutedNames, caseSensitiveAutoExecutedNames } from "./runningNames.ts";

const files = createNameTable(autoExecutedNames.flatMap(({ files }) => files));
const folders = createNameTable(autoExecutedNames.flatMap(({ folders }) => folders ?? []));

/** Why a call asks in the modes that let edits pass; no approval that covers a whole tool answers it. */
export function autoExecutedAskReason(
	{ mode, planRuns, planNames }: GateRequest,
	paths: readonly PathFacts[],
): { reason: string; rule: string } | undefined {
	if (mode === "auto") return undefined;
	const named = mode === "plan" && planRuns ? planNames : undefined;
	for (const fact of paths) {
		if (named && fact.literalInside === fact.realInside && named.includes(fact.literal)) continue;
		const found = findAutoExecuted(fact);
		if (found) return { reason: found.reason, rule: found.name };
	}
	return undefined;
}

/** Whether writing this decides what runs later. */
export function findAutoExecuted(fact: PathFacts): { name: string; reason: string } | undefined {
	if (fact.use === "read") return undefined;
	for (const inside of fact.literalInside === fact.realInside ? [fact.realInside] : [fact.literalInside, fact.realInside]) {
		const name = inside === undefined ? undefined : autoExecutedName(inside);
		if (name === undefined) continue;
		return { name, reason: t("{0} runs, or decides what runs, when the project is opened, built or tested.", fact.given) };
	}
	if (fact.runsChanged) return { name: "package.json", reason: t("This changes settings in {0} that decide what tools run.", fact.given) };
	if (!fact.schemaChanged) return undefined;
	return { name: "$schema", reason: t("{0} would make the editor fetch a schema from the network.", fact.given) };
}

/** Of a path relative to its folder. */
export function autoExecutedName(inside: string): string | undefined {
	const folded = normalizePathParts(inside);
	const last = inside.slice(inside.lastIndexOf("/") + 1);
	if (files.startOf(folded, folded.length - 1) !== undefined || caseSensitiveAutoExecutedNames.has(last)) return last;
	const found = folders.find(folded);
	return found && slicePathParts(inside, found);
}

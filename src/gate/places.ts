// Layer 4: places that ask whatever was approved and whatever the mode. Names are compared folded.
import type { PathFacts } from "../core/ports/tool.ts";
import { createNameTable } from "../core/protected/namePatterns.ts";
import { findProtectedPart, normalizePathParts, slicePathParts } from "../core/protected/protectedNames.ts";
import { t } from "../shared/l10n.ts";
import { writeProtectedNames } from "./strictNames.ts";

const strict = createNameTable(writeProtectedNames.flatMap(({ names }) => names));

export function protectedPlace(fact: PathFacts): { reason: string; rule: string } | undefined {
	const purpose = fact.use === "read" ? "read" : "write";
	if (purpose === "read" && fact.guide) return undefined;
	const asks = (why: string, rule: string) => ({ reason: t("Asks because {0} {1}.", fact.given, why), rule });
	if (fact.literalInside === undefined || fact.realInside === undefined) {
		const leads = fact.literalInside === undefined ? t("lies outside the workspace") : t("leads outside the workspace");
		return asks(leads, "outside the workspace");
	}
	if (fact.guarded !== undefined) return asks(fact.guarded, fact.guarded);
	const insides = fact.literalInside === fact.realInside ? [fact.realInside] : [fact.literalInside, fact.realInside];
	for (const inside of insides) {
		const name = protectedName(inside, purpose);
		if (name !== undefined) return asks(t("is a protected place ({0})", name), name);
	}
	if (purpose === "write" && !fact.scriptsUnchanged && insides.some(isManifest)) {
		return asks(t("decides which scripts run"), "package.json");
	}
	const shared = (fact.links ?? 1) > 1 && !(purpose === "read" && isDependency(fact));
	return shared ? asks(t("has more than one name on disk, so it may be a file outside the workspace"), "hard link") : undefined;
}

/** What of a path relative to its folder makes it a protected one. */
export function protectedName(inside: string, purpose: "read" | "write"): string | undefined {
	const secret = findProtectedPart(inside);
	if (secret !== undefined) return secret;
	if (purpose === "read") return undefined;
	const found = strict.find(normalizePathParts(inside));
	return found && slicePathParts(inside, found);
}

/** Of a package manager's own packages none: whoever runs one runs all of its files. */
function isManifest(inside: string): boolean {
	return MANIFESTS.has(normalizePathParts(inside).at(-1) ?? "") && !inside.split("/").includes("node_modules");
}

const MANIFESTS = new Set(["package.json", "package.json5", "package.yaml", "package.yml"]);

function isDependency(fact: PathFacts): boolean {
	return fact.realInside?.split("/").includes("node_modules") === true;
}

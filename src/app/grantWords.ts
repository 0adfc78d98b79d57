// Standing approvals in words: on the card that asks, and in the list that explains them.
import type { Grantable } from "../core/gate.ts";
import { EVERYWHERE, type GrantRecord } from "../core/grants.ts";
import { shownDate, t } from "../l10n.ts";

/** What "Always allow" would cover. */
export function coverWords({ tool, class: covered, scriptsHash, external }: Grantable): string {
	if (external) return t("{0} (until its definition changes)", tool);
	return scriptsHash === undefined ? covered : t("{0} (until the scripts in package.json change)", covered);
}

/** Since when, what, where, and what ends it, for a line below the agent and the entry that may be cut at its end. */
export function recordSentence(record: GrantRecord, here: boolean): string {
	const what = kindWords(record);
	const since = shownDate(record.at);
	const place = record.place ?? record.workspace.slice(0, 8);
	const where =
		record.workspace === EVERYWHERE ? t("in every workspace") : here ? t("in this workspace") : t("in the workspace {0}", place);
	const said = record.written
		? t("By its list it may {0} {1}; noted on {2}.", what, where, since)
		: t("Since {0} it may {1} {2}.", since, what, where);
	return [said, endWords(record)].filter((part) => part !== "").join(" ");
}

/** Of an entry that nothing was noted for yet. */
export function entrySentence(): string {
	return t("By its list it may do this without asking in every workspace.");
}

function kindWords(record: GrantRecord): string {
	const { tool, class: covered, external } = record;
	if (external) return t("use this tool");
	if (covered === tool) return t("use this tool on any file that is not protected");
	return /^https?:/.test(covered) ? t("fetch from {0}", covered) : t("run “{0}”", covered);
}

/** What ends it by itself. */
function endWords({ scriptsHash, external, definition }: GrantRecord): string {
	if (external) return t("It ends when the tool's definition changes.");
	if (scriptsHash !== undefined) return t("It ends when the scripts in package.json change.");
	return definition === undefined ? "" : t("It ends when the workspace's file that defines the agent says something else.");
}

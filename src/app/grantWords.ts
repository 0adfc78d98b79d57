// Standing approvals in words: on the card that asks, and in the list that explains them.
import type { Grantable } from "../core/gate.ts";
import { EVERYWHERE, type GrantRecord } from "../core/grants.ts";
import { shownDate, t } from "../l10n.ts";

/** What "Always allow" would cover. */
export function coverWords({ tool, class: covered, scriptsHash, external }: Grantable): string {
	if (external) return t("{0} (until its definition changes)", tool);
	return scriptsHash === undefined ? covered : t("{0} (until the scripts in package.json change)", covered);
}

/** What a record is about, for which agent, where, since when, and what ends it: one sentence or two. */
export function recordSentence(record: GrantRecord, agent: string, here: boolean): string {
	const what = kindWords(record);
	const since = shownDate(record.at);
	const place = record.place ?? record.workspace.slice(0, 8);
	const where =
		record.workspace === EVERYWHERE ? t("in every workspace") : here ? t("in this workspace") : t("in the workspace {0}", place);
	const said = record.written
		? t("{0} may {1} {2}, as you wrote in its list; noted on {3}.", agent, what, where, since)
		: t("{0} may {1} {2}, since you allowed it on {3}.", agent, what, where, since);
	return [said, endWords(record)].filter((part) => part !== "").join(" ");
}

/** Of an entry that nothing was noted for yet. */
export function entrySentence(entry: string, agent: string): string {
	return t("{0} may use {1} without asking in every workspace, as you wrote in its list.", agent, entry);
}

function kindWords(record: GrantRecord): string {
	const { tool, class: covered, external } = record;
	if (external) return t("use {0}", tool);
	if (covered === tool) return t("use {0} on any file that is not protected", tool);
	return /^https?:/.test(covered) ? t("fetch from {0}", covered) : t("run “{0}”", covered);
}

/** What ends it by itself. */
function endWords({ scriptsHash, external, definition }: GrantRecord): string {
	if (external) return t("It ends when the tool's definition changes.");
	if (scriptsHash !== undefined) return t("It ends when the scripts in package.json change.");
	return definition === undefined ? "" : t("It ends when the workspace's file that defines the agent says something else.");
}

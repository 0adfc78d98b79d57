// What a session is called wherever it is listed.
import type { SessionSummary } from "../core/events.ts";
import { t } from "../shared/l10n.ts";

/** The person's name for it, else what they first asked. */
export function formatSessionTitle({ name, attributes, lastSnippet }: SessionSummary): string {
	const title = attributes?.["title"];
	return name || (typeof title === "string" && title) || lastSnippet || t("New session");
}

// Names a session for the user.

import type { SessionSummary } from "../../core/events.ts";
import { t } from "../../shared/l10n.ts";
import type { Services } from "../services.ts";

/** The user's name for it, else the title from their first message, else what was said last, else who called it. */
export function formatSessionTitle({ name, attributes, lastSnippet, askedBy }: SessionSummary): string {
	const title = attributes?.["title"];
	const empty = askedBy ? t("Called by {0}", askedBy.agent) : t("New session");
	return name || (typeof title === "string" && title) || lastSnippet || empty;
}

/** Keeps the title from the user's first message. */
export async function saveTitle({ store, log }: Pick<Services, "store" | "log">, sessionId: string, title: string): Promise<void> {
	try {
		const known = await store.find(sessionId);
		await store.update(sessionId, { attributes: { ...known?.attributes, title } });
	} catch (error) {
		log(`a title was not saved: ${String(error)}`);
	}
}

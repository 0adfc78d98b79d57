// Makes a session of a conversation in a file: in its first role, with nothing that runs, waits or is allowed.
import { randomUUID } from "node:crypto";
import type { EventBody, TranscriptEvent } from "../../core/events.ts";
import { t } from "../../shared/l10n.ts";
import type { Sessions } from "../sessions.ts";
import { parseImport } from "./importedEvents.ts";

/** `left`: how many entries of the file could not be read. */
export interface ImportResult {
	sessionId: string;
	messages: number;
	left: number;
}

const LONGEST_NAME = 80;

/** `file` is the name of it. Rejects with a sentence where the text is no conversation. */
export async function importSession(sessions: Sessions, text: string, file: string): Promise<ImportResult> {
	const { services } = sessions;
	const now = services.now().toISOString();
	const chat = parseImport(text, now);
	if (!chat) {
		throw new Error(
			t(
				"{0} could not be imported: it isn't an export of Troupe, a list of chat messages, or a transcript of Claude Code. Nothing was changed.",
				file,
			),
		);
	}
	const first = chat.events.find(({ type }) => type === "user");
	const name = (chat.name ?? (first?.type === "user" ? first.text : file)).replace(/\s+/g, " ").trim();
	const { sessionId } = await sessions.create({
		name: [...name].slice(0, LONGEST_NAME).join(""),
		async begin({ sessionId, agentId, role }) {
			const from = t("Imported from {0}. Nothing in it was said or approved here.", file);
			const own: (EventBody & Partial<Pick<TranscriptEvent, "at" | "by">>)[] = [
				{ type: "agent", agent: agentId },
				{ type: "role", role },
				...chat.events,
				{ type: "status", level: "info", text: from },
			];
			const events = own.map((body, index): TranscriptEvent => {
				return { at: now, by: "host", ...body, id: randomUUID(), seq: index + 1, ...(body.at && { imported: true as const }) };
			});
			await Promise.all(events.map((event) => services.store.append(sessionId, event)));
			await services.store.update(sessionId, { updatedAt: now });
		},
	});
	return { sessionId, messages: chat.events.filter(({ type }) => type !== "result").length, left: chat.left };
}

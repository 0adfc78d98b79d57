// Closes what a host that died has left open: nothing is run again, and every call gets its one result.

import { openCalls, pendingRequests } from "../core/transcript/fold.ts";
import type { Transcript } from "../core/transcript/state.ts";
import { t } from "../shared/l10n.ts";
import type { EventLog } from "./eventLog.ts";

/** `words` are those of the broken answer that were still on their way. */
export async function repairTranscript(journal: EventLog, words: string | undefined): Promise<void> {
	const { state } = journal;
	const turn = state.turn?.id;
	if (words?.trim() && !saidAlready(state, words)) await journal.emit({ type: "assistant", text: words }, "model", turn);
	const waited = new Set(pendingRequests(state).map(({ event }) => (event.type === "asked" ? event.call : "")));
	for (const { event, kind } of pendingRequests(state)) {
		if (kind === "approval") await journal.emit({ type: "expired", request: event.request }, "host", turn);
	}
	for (const { call, turn: of } of openCalls(state)) {
		const output = waited.has(call.id) ? WAITED : RAN;
		await journal.emit({ type: "result", call: call.id, status: "unknown", output }, "host", of ?? turn);
	}
	if (turn === undefined) return;
	await journal.emit(
		{
			type: "ended",
			outcome: "interrupted",
			error: t("The window closed while this turn ran. What it had done is kept; nothing runs again by itself."),
		},
		"host",
		turn,
	);
}

/** For the model. */
const RAN =
	"Interrupted: the window closed while this ran, so its outcome is unknown. It was not run again. Look at the state of things before you go on.";
const WAITED =
	"Interrupted: the window closed while this waited for the person's approval. The approval has expired, and what it was asked for was not done. Make the call again if it is still needed: the person is asked anew.";

/** The host died after the answer was kept and before its checkpoint was removed. */
function saidAlready({ events }: Transcript, words: string): boolean {
	const last = events.findLast((event) => event.type === "assistant");
	return last?.type === "assistant" && last.text.startsWith(words);
}

/** Whether a host died while this session was at work. */
export function needsRepair(state: Transcript): boolean {
	return (
		state.turn !== undefined || [...state.requests.values()].some((request) => request.kind === "approval" && request.state === "pending")
	);
}

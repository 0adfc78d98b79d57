// The last sessions that something was said in, for the page of an empty one.
import type { SessionSummary } from "../core/events.ts";
import type { Sessions } from "../session/sessions.ts";
import { formatSessionTitle } from "../session/sessionTitle.ts";
import type { RecentSession } from "../shared/protocol/chat.ts";

const MOST = 3;

export async function listRecentSessions(
	conversations: Pick<Sessions, "running">,
	sessions: readonly SessionSummary[],
	shown: string | undefined,
): Promise<RecentSession[]> {
	const others = sessions.filter(({ sessionId, messageCount }) => sessionId !== shown && messageCount > 0);
	const running = new Set(others.length > 0 ? await conversations.running() : []);
	return others
		.sort((left, right) => right.updatedAt.localeCompare(left.updatedAt))
		.slice(0, MOST)
		.map((session) => {
			const state = stateOf(session, running.has(session.sessionId));
			return { id: session.sessionId, title: formatSessionTitle(session), at: session.updatedAt, ...(state && { state }) };
		});
}

function stateOf({ waits, outcome }: SessionSummary, running: boolean): RecentSession["state"] {
	if (waits) return "waiting";
	if (running) return "running";
	return outcome === "failed" || outcome === "interrupted" ? outcome : undefined;
}

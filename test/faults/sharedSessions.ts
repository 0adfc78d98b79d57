// The two sessions in which the person of the killed windows works: both are there before a second window opens.
import type { Session } from "../../src/session/session.ts";
import type { Sessions } from "../../src/sessions/sessions.ts";

export async function openShared(sessions: Sessions): Promise<Session[]> {
	const shared: Session[] = [];
	for (const place of ["first", "second"]) {
		const known = (await sessions.list()).find(({ attributes }) => attributes?.["place"] === place);
		const { sessionId } = known ?? (await sessions.create({ agentId: "a", role: "actor" }));
		if (!known) await sessions.mark(sessionId, "place", place);
		shared.push(await sessions.get(sessionId));
	}
	return shared;
}

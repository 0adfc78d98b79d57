// Takes up calls again from what sessions recorded, after a reload or after another window wrote there.

import type { Caller } from "../../core/caller.ts";
import type { TranscriptEvent } from "../../core/events.ts";
import type { Session } from "../../session/session.ts";
import { readArchives } from "../../session/transcript/eventLookup.ts";
import type { SessionDirectory } from "../../sessions/directory.ts";
import { type FollowedCall, followCall } from "./followCall.ts";
import type { OpenCall } from "./openCalls.ts";

/** Undefined if the session has no trace of the call. */
export async function restoreCall({ caller, target }: OpenCall, session: Session): Promise<FollowedCall | undefined> {
	await session.whole();
	const earlier = await readArchives(session, (event) => event.type === "user" && event.message === target.responseId);
	const known = new Set(earlier.map(({ id }) => id));
	// Without a pause from here on: events that arrive meanwhile would be missed, or count twice.
	const events = [...earlier, ...session.state.events.filter(({ id }) => !known.has(id))];
	if (!events.some((event) => isAbout(event, target.responseId))) return undefined;
	return followCall(caller, target.responseId, events);
}

/**
 * Judges the calls that an earlier window left in a session's queue: one whose caller waits on begins its turn, any other is
 * withdrawn, because its answer would go nowhere. Does nothing if another window has the session.
 */
export async function judgeLeftCalls(sessions: SessionDirectory, session: Session): Promise<void> {
	const { queue, lease } = session;
	if (queue.leftCalls.length === 0 || !(await lease.takeFree())) return;
	for (const { message, caller } of queue.leftCalls) {
		if (await isAwaited(sessions, caller)) queue.admit(message);
		else await session.cancelMessage(message);
	}
	session.resume().catch(sessions.services.log);
}

async function isAwaited(sessions: SessionDirectory, { session, call }: Caller): Promise<boolean> {
	const { services } = sessions;
	try {
		if (!(await services.store.find(session))) return false;
		const calling = await sessions.get(session);
		// A call that a crash has cut off gets its result then.
		await calling.lease.takeFree();
		const delegation = calling.state.delegations.get(call);
		return delegation !== undefined && delegation.ended === undefined;
	} catch (error) {
		services.log(`the caller of a waiting message could not be read: ${String(error)}`);
		return false;
	}
}

function isAbout(event: TranscriptEvent, message: string): boolean {
	return (event.type === "queued" || event.type === "user") && event.message === message;
}

// Follows a call again from what its session recorded, after a reload or after another window wrote there.

import type { TranscriptEvent } from "../../core/events.ts";
import { readArchives } from "../eventLookup.ts";
import type { Session } from "../session.ts";
import { createFollowedCall, type FollowedCall, followEvent } from "./followCall.ts";
import type { OpenCall } from "./openCalls.ts";

/** Undefined if the session has no trace of the call. */
export async function restoreCall({ caller, target }: OpenCall, session: Session): Promise<FollowedCall | undefined> {
	await session.whole();
	const earlier = await readArchives(session, (event) => event.type === "user" && event.message === target.responseId);
	const known = new Set(earlier.map(({ id }) => id));
	// Without a pause from here on: events that arrive meanwhile would be missed, or count twice.
	const events = [...earlier, ...session.state.events.filter(({ id }) => !known.has(id))];
	if (!events.some((event) => isAbout(event, target.responseId))) return undefined;
	const followed = createFollowedCall(caller, target.responseId);
	for (const event of events) followEvent(followed, event);
	return followed;
}

function isAbout(event: TranscriptEvent, message: string): boolean {
	return (event.type === "queued" || event.type === "user") && event.message === message;
}

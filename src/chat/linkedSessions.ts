// Collects the sessions that a session links to: those that it called or started, and those that called it.
import type { TranscriptEvent } from "../core/events.ts";
import { formatSessionTitle } from "../session/transcript/sessionTitle.ts";
import type { Sessions } from "../sessions/sessions.ts";

export interface LinkedTitles {
	/** Titles by id of the linked sessions that exist. */
	of(events: readonly TranscriptEvent[]): Promise<Record<string, string>>;
	/** A session has changed, or any of them. */
	forget(sessionId: string | undefined): void;
}

export function createLinkedTitles(sessions: Pick<Sessions, "find">): LinkedTitles {
	/** Titles by session id; undefined if there is no such session. */
	const known = new Map<string, Promise<string | undefined>>();
	function find(id: string): Promise<string | undefined> {
		const finding = sessions.find(id).then((session) => session && formatSessionTitle(session));
		finding.catch(() => known.delete(id));
		return finding;
	}
	return {
		async of(events) {
			const ids = [...new Set(events.flatMap(linksOf))];
			for (const id of ids) if (!known.has(id)) known.set(id, find(id));
			const titles = await Promise.all(ids.map(async (id) => [id, await known.get(id)]));
			return Object.fromEntries(titles.filter(([, title]) => title !== undefined));
		},
		forget(sessionId) {
			if (sessionId === undefined) known.clear();
			else known.delete(sessionId);
		},
	};
}

/** Ids of the sessions whose chats show the requests of this one: itself, and those that called its running turn. */
export async function findSessionsInCharge(sessions: Pick<Sessions, "get">, sessionId: string): Promise<string[]> {
	const found: string[] = [];
	for (let next: string | undefined = sessionId; next !== undefined && !found.includes(next); ) {
		found.push(next);
		next = (await sessions.get(next)).state.turn?.caller?.session;
	}
	return found;
}

export function hasLinks(event: TranscriptEvent): boolean {
	return linksOf(event).length > 0;
}

function linksOf(event: TranscriptEvent): string[] {
	if (event.type === "delegated") return [event.session ?? event.task ?? []].flat();
	if (event.type === "started") return event.caller ? [event.caller.session] : [];
	return event.type === "queued" && event.about ? [event.about.session] : [];
}

// Follows the sessions that the shown session has called until they answer, and its background tasks until they end.
import type { TranscriptEvent } from "../core/events.ts";
import { openDelegations } from "../core/transcript/delegations.ts";
import { isTaskUnfinished } from "../core/transcript/tasks.ts";
import type { Calls } from "../delegation/calls/calls.ts";
import type { Session } from "../session/session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { OngoingCall, ShownRequest } from "../shared/protocol/calls.ts";
import type { Update } from "../shared/protocol/chat.ts";
import { type CalledWork, findRequests, findTaskTurns, isCallRunning, summarizeCall } from "./ongoingCall.ts";

/** Milliseconds between updates. */
const INTERVAL = 200;

interface Parts {
	sessions: Sessions;
	/** The window's calls. */
	calls: Calls;
	/** The session on the page, once the page has a snapshot of it. */
	shown(): string | undefined;
	post(update: Update): void;
}

interface CalledSessions {
	/** Call on everything that happens in any session. */
	notice(sessionId: string, event?: TranscriptEvent): void;
	/** Sends everything again: the page has a new snapshot. */
	restart(): void;
	deleted(sessionId: string): void;
	/** Stops the called turn; the calling one goes on. */
	stop(sessionId: string, call: string): Promise<void>;
	dispose(): void;
}

export function createCalledSessions({ sessions, calls, shown, post }: Parts): CalledSessions {
	/** Ids of the called sessions and tasks, at any depth. */
	let followed = new Set<string>();
	/** Ids of called sessions that were opened once. */
	const opened = new Set<string>();
	let posted = NOTHING;
	let timer: NodeJS.Timeout | undefined;
	let last = 0;
	let sending = false;
	/** Something has happened since the running update began. */
	let due = false;

	function schedule(): void {
		if (sending) due = true;
		else timer ??= setTimeout(() => void run(), Math.max(0, last + INTERVAL - Date.now()));
	}

	async function run(): Promise<void> {
		timer = undefined;
		sending = true;
		last = Date.now();
		try {
			await send();
		} catch (error) {
			sessions.services.log(`called sessions are not shown: ${String(error)}`);
		}
		sending = false;
		if (!due) return;
		due = false;
		schedule();
	}

	async function send(): Promise<void> {
		const session = shown();
		if (session === undefined) return;
		const found: Found = { calls: [], requests: [], sessions: new Set() };
		const caller = await findOpen(session);
		if (caller) await collect(caller, found);
		if (session !== shown()) return;
		followed = found.sessions;
		const calls = JSON.stringify(found.calls);
		const requests = JSON.stringify(found.requests.map((request) => [request.session, request.event.id]));
		if (posted.calls === calls && posted.requests === requests) return;
		const isNew = posted.requests !== requests;
		posted = { calls, requests };
		post({ type: "called", session, calls: found.calls, ...(isNew && { requests: found.requests }) });
	}

	/** Adds the open calls and tasks of a session, and the requests of all that is below `under`. */
	async function collect(caller: Session, found: Found, under?: string): Promise<void> {
		for (const { id, session, workIn } of openWorkOf(caller, calls)) {
			const child = await childOf(session);
			if (!child || found.sessions.has(child.sessionId)) continue;
			found.sessions.add(child.sessionId);
			followed.add(child.sessionId);
			const top = under ?? id;
			const work = workIn(child);
			if (under === undefined) found.calls.push(summarizeCall(child, id, work));
			found.requests.push(...findRequests(child, work).map((request) => ({ ...request, under: top })));
			await collect(child, found, top);
		}
	}

	/** A session that is being cleared or deleted is closed; opening it then would bring back what it had. */
	async function findOpen(session: string): Promise<Session | undefined> {
		return (await sessions.opened()).find(({ sessionId }) => sessionId === session);
	}

	/** Opens the called session the first time, unless it was deleted. */
	async function childOf(session: string | undefined): Promise<Session | undefined> {
		if (session === undefined) return undefined;
		if (opened.has(session)) return findOpen(session);
		if (!(await sessions.find(session))) return undefined;
		opened.add(session);
		return sessions.get(session);
	}

	return {
		notice(sessionId, event) {
			const isOwn =
				sessionId === shown() && (event?.type === "delegated" || event?.type === "task" || (event !== undefined && followed.size > 0));
			if (isOwn || followed.has(sessionId)) schedule();
		},
		restart() {
			posted = NOTHING;
			schedule();
		},
		deleted(sessionId) {
			opened.delete(sessionId);
			if (followed.has(sessionId)) schedule();
		},
		async stop(sessionId, call) {
			const caller = await sessions.get(sessionId);
			const event = caller.state.delegations.get(call)?.event;
			const child = event && (await childOf(event.session));
			if (!child) return;
			const { turns } = calls.followed(caller, event, child);
			if (isCallRunning(child.state, new Set(turns))) await child.cancel();
			else await calls.stopCall(sessionId, call);
		},
		dispose() {
			clearTimeout(timer);
			due = false;
		},
	};
}

/** A call or a background task that is not over, or that the user may continue. */
interface OpenWork {
	/** Id of the call or the task. */
	id: string;
	session: string | undefined;
	workIn(child: Session): CalledWork;
}

function openWorkOf(caller: Session, calls: Calls): OpenWork[] {
	const called = openDelegations(caller.state).map(({ event }): OpenWork => {
		const { call, session } = event;
		const workIn = (child: Session): CalledWork => {
			const { turns, caller: made } = calls.followed(caller, event, child);
			return { turns: new Set(turns), caller: made };
		};
		return { id: call, session, workIn };
	});
	const tasks = [...caller.state.tasks.values()].filter(isTaskUnfinished);
	return [
		...called,
		...tasks.map(({ task }): OpenWork => ({ id: task, session: task, workIn: ({ state }) => ({ turns: findTaskTurns(state) }) })),
	];
}

interface Found {
	calls: OngoingCall[];
	requests: ShownRequest[];
	sessions: Set<string>;
}

/** State of a page before its first update, as JSON. */
const NOTHING = { calls: "[]", requests: "[]" };

// Offers a wider role for the tasks on the page that were denied something for their ceiling.
import type { TranscriptEvent } from "../core/events.ts";
import { isTaskIdle, type TaskRecord } from "../core/task.ts";
import { findLimitingRole, findWiderRole } from "../delegation/tasks/widerRole.ts";
import type { Session } from "../session/session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { WiderRoleOffer } from "../shared/protocol/chat.ts";

interface WiderRoles {
	/** Returns the offers for the shown session if it is a task, and for the tasks that these events of it name. */
	of(shown: Session, events: readonly TranscriptEvent[]): Promise<WiderRoleOffer[]>;
	/** A session or a task has changed, or any of them. Returns whether an offer may have changed. */
	forget(id: string | undefined): boolean;
}

export function createWiderRoles(sessions: Pick<Sessions, "find" | "get">): WiderRoles {
	/** Records of tasks by id, since a session may have hundreds of them; undefined if it is no task. */
	const known = new Map<string, Promise<TaskRecord | undefined>>();
	function read(id: string): Promise<TaskRecord | undefined> {
		const reading = sessions.find(id).then((found) => found?.task);
		reading.catch(() => known.delete(id));
		known.set(id, reading);
		return reading;
	}

	/** Undefined if it was deleted, or if another window runs it and makes the offer there. */
	async function findCaller(shown: Session, id: string): Promise<Session | undefined> {
		const caller = id === shown.sessionId ? shown : (await sessions.find(id)) && (await sessions.get(id));
		return caller && (!caller.state.turn || caller.isRunning) ? caller : undefined;
	}

	async function offer(shown: Session, task: string): Promise<WiderRoleOffer | undefined> {
		const record = await (known.get(task) ?? read(task));
		if (!record?.denied || !isTaskIdle(record.state)) return undefined;
		const caller = await findCaller(shown, record.caller.session);
		const wider = caller && findWiderRole(caller, record);
		if (!wider) return undefined;
		const limitedBy = findLimitingRole(caller, record)?.label;
		const { calls, more } = record.denied;
		const { id, label } = wider.role;
		return { task, role: { id, label }, ...(limitedBy !== undefined && { limitedBy }), calls, ...(more && { more }) };
	}

	return {
		async of(shown, events) {
			const tasks = events.flatMap((event) => (event.type === "delegated" && event.task !== undefined ? [event.task] : []));
			const offers = await Promise.all([...new Set([shown.sessionId, ...tasks])].map((id) => offer(shown, id)));
			return offers.filter((found) => found !== undefined);
		},
		forget(id) {
			if (id !== undefined) return known.delete(id);
			known.clear();
			return true;
		},
	};
}

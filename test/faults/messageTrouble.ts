// Looks for what must not be in the sessions of agents that call each other after a kill.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AnsweredCall } from "../../src/core/caller.ts";
import type { EventOf } from "../../src/core/events.ts";
import { openDelegations } from "../../src/core/transcript/delegations.ts";
import { openCalls } from "../../src/core/transcript/state.ts";
import type { Session } from "../../src/session/session.ts";

/** One sentence for each thing that must not be. Nothing runs any more in these sessions. `folder`: the workspace. */
export function messageTrouble(all: readonly Session[], folder: string): string[] {
	const byId = new Map(all.map((session) => [session.sessionId, session]));
	return all.flatMap((session) =>
		[...queueTrouble(session), ...endTrouble(session, byId), ...fileTrouble(session, folder)].map(
			(trouble) => `${session.sessionId}: ${trouble}`,
		),
	);
}

const times = (list: readonly string[], value: string) => list.filter((other) => other === value).length;

function queueTrouble({ state }: Session): string[] {
	const { events } = state;
	const waited = events.flatMap((event) => (event.type === "queued" ? [event.message] : []));
	const taken = events.flatMap((event) => (event.type === "user" && event.message ? [event.message] : []));
	const gone = events.flatMap((event) => (event.type === "unqueued" ? [event.message] : []));
	return [
		...waited.filter((id) => times(waited, id) > 1).map((id) => `message ${id} was queued twice`),
		...waited.filter((id) => times(taken, id) + times(gone, id) !== 1).map((id) => `message ${id} was taken ${times(taken, id)} times`),
		...openCalls(state).map(({ call }) => `call ${call.id} has no result`),
		...openDelegations(state).map(({ event }) => `the answer to call ${event.call} is missing`),
	];
}

type Answer = EventOf<"queued"> & { about: AnsweredCall };

/** Each call's end came once, as its result or as a later message, and as what became of it. */
function endTrouble({ state }: Session, byId: ReadonlyMap<string, Session>): string[] {
	const answers = state.events.filter((event): event is Answer => event.type === "queued" && event.about?.kind === "answer");
	const unknown = answers.filter(({ about }) => !state.delegations.has(about.call));
	return [
		...unknown.map(({ about }) => `the answer to call ${about.call} belongs to no call`),
		...[...state.delegations.values()].flatMap(({ event: { call, session, responseId } }) => {
			const view = state.calls.get(call)?.result?.view;
			const follows = view?.kind === "agent" && (view.status === "started" || view.status === "timeout");
			const late = answers.filter(({ about }) => about.call === call);
			const ends = late.length + (follows ? 0 : 1);
			if (ends !== 1) return [`the end of call ${call} came ${ends} times`];
			const said = byId.get(session ?? "")?.state.events.findLast((event) => event.type === "ended" && event.turn === responseId);
			const wasDone = said?.type === "ended" && said.outcome === "done";
			const isWrong = wasDone && late.some(({ about }) => about.status !== "complete");
			return isWrong ? [`call ${call} was answered, and its caller reads ${late[0]?.about.outcome}`] : [];
		}),
	];
}

/** What was allowed is there, what was denied or never answered isn't. */
export function fileTrouble({ state }: Session, folder: string): string[] {
	const answered = new Map(state.events.flatMap((event) => (event.type === "answered" ? [[event.request, event.answer] as const] : [])));
	return state.events.flatMap((event) => {
		if (event.type !== "asked") return [];
		const entry = state.calls.get(event.call);
		if (entry?.call.name !== "create_file") return [];
		const { path } = entry.call.input as { path: string };
		const answer = answered.get(event.request);
		const isAllowed = answer !== undefined && "allow" in answer && answer.allow;
		const isThere = existsSync(join(folder, path));
		if (isThere && !isAllowed) return [`${path} was written, and nobody allowed it`];
		return !isThere && entry.result?.status === "ok" ? [`${path} is missing`] : [];
	});
}

// Looks for what must not be in the transcripts of agents and their background tasks after a kill.
import type { EventOf, SessionSummary, TranscriptEvent } from "../../src/core/events.ts";
import { isTaskOver, type TaskNews } from "../../src/core/task.ts";
import { openDelegations } from "../../src/core/transcript/delegations.ts";
import { openCalls, pendingRequests } from "../../src/core/transcript/state.ts";
import type { Session } from "../../src/session/session.ts";
import { fileTrouble } from "./messageTrouble.ts";

type News = EventOf<"queued"> & { about: TaskNews };

/** One sentence for each thing that must not be. Nothing runs any more, and the callers have taken all of their messages. */
export function taskTrouble(
	callers: readonly Session[],
	tasks: readonly SessionSummary[],
	opened: ReadonlyMap<string, Session>,
	folder: string,
): string[] {
	return [
		...callers.flatMap((caller) => [...messageTrouble(caller, true), ...callTrouble(caller, opened)]),
		...tasks.flatMap((summary) => {
			const { sessionId, task } = summary;
			const session = opened.get(sessionId);
			const caller = callers.find((one) => one.sessionId === task?.caller.session);
			if (!session || !caller) return [`task ${sessionId} was not opened, or nobody started it`];
			const isNews = (event: TranscriptEvent): event is News => event.type === "queued" && event.about?.kind === "task";
			// Whoever resumed it last hears its news.
			const news = callers.flatMap(({ state }) => state.events.filter(isNews)).sort((one, other) => one.at.localeCompare(other.at));
			const own = news.filter(({ about }) => about.session === sessionId);
			return [
				...messageTrouble(session, false),
				...stateTrouble(summary, session, caller),
				...newsTrouble(summary, session, caller, own),
				...notifyTrouble(session, own),
				// What a task in a copy has made is looked for there, see killedCopies.ts.
				...(task?.isolation === "always" ? [] : fileTrouble(session, folder)),
			].map((trouble) => `task ${sessionId}: ${trouble}`);
		}),
	];
}

const times = (list: readonly string[], value: string) => list.filter((other) => other === value).length;

function messageTrouble({ state }: Session, allTaken: boolean): string[] {
	const { events } = state;
	const waited = events.flatMap((event) => (event.type === "queued" ? [event.message] : []));
	const taken = events.flatMap((event) => (event.type === "user" && event.message ? [event.message] : []));
	const gone = events.flatMap((event) => (event.type === "unqueued" ? [event.message] : []));
	const left = allTaken ? [] : [...state.queue.keys()];
	return [
		...waited.filter((id) => times(waited, id) > 1).map((id) => `message ${id} was queued twice`),
		...waited
			.filter((id) => times(taken, id) + times(gone, id) + times(left, id) !== 1)
			.map((id) => `message ${id} was taken ${times(taken, id)} times, withdrawn ${times(gone, id)} times`),
		...openCalls(state).map(({ call }) => `call ${call.id} has no result`),
		...openDelegations(state).map(({ event }) => `the answer to call ${event.call} is missing`),
	];
}

/** Every task that a call started, and every input that it brought, is there once. */
function callTrouble({ state }: Session, opened: ReadonlyMap<string, Session>): string[] {
	return [...state.calls.values()].flatMap(({ call, result }) => {
		if ((call.name !== "spawn_subagent" && call.name !== "resume_task") || result?.status !== "ok") return [];
		const { taskId } = JSON.parse(result.output) as { taskId: string };
		const { input } = call.input as { input: string };
		const task = opened.get(taskId);
		if (!task) return [`task ${taskId}, which a call started, is gone`];
		const brought = task.state.events.filter((event) => event.type === "queued" && event.text === input).length;
		return brought === 1 ? [] : [`task ${taskId} has the input ${input} ${brought} times`];
	});
}

function stateTrouble({ sessionId, task }: SessionSummary, { state }: Session, caller: Session): string[] {
	if (!task) return ["it has no record"];
	const asks = pendingRequests(state).some(({ kind }) => kind === "question");
	const shown = caller.state.tasks.get(sessionId)?.state;
	return [
		...(task.state === "queued" || task.state === "running" ? [`its record reads ${task.state}`] : []),
		...(task.state === "waiting" && !asks ? ["its record reads waiting, and it asks nothing"] : []),
		...(task.state === "waiting" && state.queue.size > 0 ? ["its record reads waiting, and messages wait in it"] : []),
		...(shown !== undefined && shown !== task.state ? [`its caller reads ${shown}, and its record ${task.state}`] : []),
		...(state.turn === undefined ? [] : ["a turn is open"]),
	];
}

/** The last news is how it stands, later than what it did last; between two news it has run again, or was to. */
function newsTrouble({ sessionId, task }: SessionSummary, { state }: Session, caller: Session, all: readonly News[]): string[] {
	const isKnown = [...caller.state.delegations.values()].some(({ event }) => event.task === sessionId && event.call === task?.caller.call);
	const last = all.findLast(({ about }) => about.state !== "running");
	// A message after the end that was cut off before its turn started has done nothing.
	const started = new Set(state.events.flatMap(({ type, turn }) => (type === "started" ? [turn] : [])));
	const ended = state.events.findLast((event): event is EventOf<"ended"> => event.type === "ended" && started.has(event.turn));
	const trouble: string[] = [];
	if (isKnown && task && task.state !== "cancelled" && (isTaskOver(task.state) || task.state === "waiting")) {
		if (last?.about.state !== task.state) trouble.push(`its news of being ${task.state} is missing: the last is ${last?.about.state}`);
		else if (ended && last.at < ended.at)
			trouble.push(`its last turn has ended (${ended.outcome}) without news, and its record reads ${task.state}`);
	}
	const ends = all.filter(({ about }) => about.state !== "running");
	for (const [index, { at, about, message }] of ends.entries()) {
		const before = ends[index - 1];
		const worked = !before || state.events.some((event) => event.at >= before.at && event.at <= at && event.type !== "result");
		if (!worked) trouble.push(`its news of being ${about.state} came twice: ${before?.message}, ${message}`);
	}
	return trouble;
}

function notifyTrouble({ state }: Session, news: readonly News[]): string[] {
	return [...state.calls.values()].flatMap(({ call, result }) => {
		if (call.name !== "notify") return [];
		const { text } = call.input as { text: string };
		const arrived = news.filter((event) => event.about.state === "running" && event.text.endsWith(`\n\n${text}`)).length;
		if (arrived > 1) return [`what it wanted to tell (${text}) arrived ${arrived} times`];
		return result?.status === "ok" && arrived === 0 ? [`what it told (${text}) is missing`] : [];
	});
}

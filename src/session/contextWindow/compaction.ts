// Compacts a session: the model summarizes it, and the transcript moves to an archive.

// The session continues with the summary, its plan and its pending requests. If anything fails, nothing changes.

import type { ChangedFile, EventOf, TranscriptEvent, Usage, UsageTotals } from "../../core/events.ts";
import { MEMORY_INDEX } from "../../core/prompt.ts";
import { openDelegations } from "../../core/transcript/delegations.ts";
import { currentPlan, type PlanState, pendingRequests, type Transcript } from "../../core/transcript/state.ts";
import { openTasks } from "../../core/transcript/tasks.ts";
import { t } from "../../shared/l10n.ts";
import { contentHash } from "../../shared/node/hash.ts";
import { reasonOf } from "../../shared/reasonOf.ts";
import { getAgent, getRole } from "../agent/sessionAgent.ts";
import { changedFilesSince } from "../history/rewind.ts";
import { readMemoryIndex } from "../prompt/promptDiff.ts";
import type { SessionContext, TurnSlot } from "../sessionContext.ts";
import type { RestartEvent } from "../state/eventLog.ts";
import { createApprovalModeEvent } from "../state/sessionApprovals.ts";
import { SessionBlockedError } from "../state/sessionBlocked.ts";
import { createCompactionRecord } from "./compactionRecord.ts";
import { type Summary, summarizeConversation } from "./summarize.ts";

interface Compaction extends Summary {
	/** The turn that continues afterwards. */
	turn?: string;
}

/** Rejects if the model returns no summary or the disk can't be written; then nothing has changed. */
export async function compactTranscript(compaction: Compaction): Promise<void> {
	const { session, turn } = compaction;
	const { text, usage } = await summarizeConversation(compaction);
	const { eventLog } = session;
	const memory = turn === undefined ? undefined : await readMemoryIndex(session);
	await eventLog.restart((archive) => createRestartEvents(eventLog.state, { archive, summary: text, usage, turn, memory }));
	session.restarted();
}

interface RestartDetails {
	archive: string;
	summary: string;
	/** Usage of the call that made the summary. */
	usage: Usage | undefined;
	turn: string | undefined;
	/** The memory index for the rest of that turn. */
	memory: string | undefined;
}

/** Creates what the session continues with: agent, role, plan progress, summary, and what the turn and the user need. */
function createRestartEvents(state: Transcript, { archive, summary, usage, turn, memory }: RestartDetails): RestartEvent[] {
	const plan = currentPlan(state);
	const inTurn = turn === undefined ? undefined : state.changedIn.get(turn);
	const running = state.events.filter((event) => turn !== undefined && event.turn === turn);
	const messages = running.filter((event): event is EventOf<"user"> => event.type === "user");
	const questions = pendingRequests(state).flatMap(({ event }) => (event.type === "question" ? [event] : []));
	const open = openDelegations(state);
	const called =
		turn === undefined ? findWaitingCall(state, [...questions, ...(plan?.state === "proposed" ? [plan.event] : [])]) : undefined;
	const carried = {
		messages: state.messages - messages.filter(({ by }) => by !== "host").length,
		usage: sum(state.usage, usage),
		turnUsage: sum(state.turnUsage, usage),
		calledUsage: state.calledUsage,
		...(state.title !== undefined && { title: state.title }),
		...(state.snippet !== undefined && { snippet: state.snippet }),
		...(plan && plan.deviations.length > 0 && { deviations: plan.deviations }),
		...(state.changed.size > 0 && { changed: [...state.changed.values()] }),
		...(inTurn && { inTurn: [...inTurn.values()] }),
		...(messages.length > 0 && { since: messages.map((message) => since(state, message)) }),
		record: createCompactionRecord(state),
	};
	return [
		{ type: "agent", agent: state.agent },
		...(called ? [called.started] : []),
		...(plan ? planEvents(state, plan) : []),
		{ type: "role", role: state.role },
		...(state.approval ? [createApprovalModeEvent(state.approval)] : []),
		...running.filter(({ type }) => type === "started"),
		{ type: "compacted", archive, summary, carried, ...(usage && { usage }), ...(turn !== undefined && { turn }) },
		...withMemoryIndex(messages, memory),
		...questions,
		...(called ? [called.ended] : []),
		...open.map(({ event }) => event),
		...openTasks(state),
		...state.queue.values(),
	];
}

/** Adds the index to the last message, unless one has it: the message that had it may be summarized. */
function withMemoryIndex(messages: readonly EventOf<"user">[], memory: string | undefined): EventOf<"user">[] {
	const last = messages.at(-1);
	if (!last || memory === undefined || messages.some(({ context }) => context?.includes(`<${MEMORY_INDEX}>`))) return [...messages];
	return [...messages.slice(0, -1), { ...last, context: [last.context, memory].filter(Boolean).join("\n") }];
}

/** The called turn whose question or plan waits for the user: whose call it answers must not be lost. */
function findWaitingCall({ events }: Transcript, asked: readonly TranscriptEvent[]): Record<"started" | "ended", RestartEvent> | undefined {
	const turn = asked.find((event) => event.turn !== undefined)?.turn;
	const ofTurn = events.filter((event) => event.turn === turn);
	const started = ofTurn.findLast((event) => event.type === "started" && event.caller !== undefined);
	const ended = ofTurn.findLast((event) => event.type === "ended");
	if (turn === undefined || !started || ended?.type !== "ended" || ended.outcome !== "waiting") return undefined;
	// What follows a summary has a prompt of its own.
	const { prompt: _, ...end } = ended;
	return { started, ended: end };
}

/** Rewinding to a message that remains also restores files that changed before the summary. */
function since(state: Transcript, message: TranscriptEvent): { message: string; files: ChangedFile[] } {
	return { message: message.id, files: [...changedFilesSince(state, state.events.indexOf(message)).values()] };
}

/** The plan as presented, approved and executed so far, without rewound events. */
function planEvents({ events, hidden }: Transcript, { event, state: now }: PlanState): RestartEvent[] {
	const visible = events.filter(({ id }) => !hidden.has(id));
	const approved = visible.findLast(
		(candidate): candidate is EventOf<"role"> =>
			candidate.type === "role" && candidate.plan?.planId === event.planId && candidate.plan.version === event.version,
	);
	if (!approved) return [event];
	const steps = new Map<number, EventOf<"step">>();
	for (const candidate of visible) {
		if (candidate.type !== "step" || candidate.seq < approved.seq) continue;
		steps.delete(candidate.step_number);
		steps.set(candidate.step_number, candidate);
	}
	const ended = visible.findLast((candidate): candidate is EventOf<"ended"> => candidate.type === "ended" && candidate.seq > approved.seq);
	const stopped = { ...(ended ?? { type: "ended" as const }), outcome: "cancelled" as const };
	return [event, approved, ...steps.values(), ...(now === "stopped" ? [stopped] : [])];
}

function sum(totals: UsageTotals, usage: Usage | undefined): UsageTotals {
	if (!usage) return { ...totals };
	return {
		input: totals.input + usage.input,
		output: totals.output + usage.output,
		cached: totals.cached + (usage.cached ?? 0),
		cost: totals.cost + (usage.cost ?? 0),
		unpriced: totals.unpriced + (usage.cost === undefined ? 1 : 0),
	};
}

/** Requested by the user between turns. It is a turn of its own, so that it can be stopped. */
export async function compactSession(session: SessionContext, { turn, signal }: TurnSlot): Promise<void> {
	const { eventLog, services, state } = session;
	if (state.messages === 0)
		throw new SessionBlockedError("nothing-to-compact", t("There's nothing to summarize yet. Send a message first."));
	const [agent, role] = [getAgent(session), getRole(session)];
	const { model: choose } = await services.runtime(agent);
	if (!choose)
		throw new SessionBlockedError("own-history", t("{0} manages its own history, so there is nothing to compact.", agent.displayName));
	const model = await choose(agent, role);
	// A question or a plan waits on after the summary.
	const outcome = state.outcome === "waiting" ? "waiting" : "done";
	const started = { type: "started" as const, agent: agent.agentId, definitionHash: contentHash(agent), role: role.id, model: model.id };
	await eventLog.emit(started, "host", turn);
	try {
		await compactTranscript({ session, model, signal });
		await eventLog.emit({ type: "ended", outcome }, "host", turn);
	} catch (error) {
		const stopped = t("Stopped. Nothing was summarized, and the conversation is unchanged.");
		await eventLog.emit(
			{
				type: "status",
				level: signal.aborted ? "info" : "warning",
				text: signal.aborted ? stopped : formatCompactionFailure(error, services.log),
			},
			"host",
			turn,
		);
		await eventLog.emit({ type: "ended", outcome }, "host", turn);
	}
	return undefined;
}

export function formatCompactionFailure(error: unknown, log: (line: string) => void): string {
	return t("Couldn't summarize the conversation. The conversation is unchanged. {0}", reasonOf(error, log));
}

// Follows a task of this window: keeps its record, place and time, and tells its caller how it stands.
import type { Caller } from "../../core/caller.ts";
import type { EventOf, TranscriptEvent } from "../../core/events.ts";
import { ToolError } from "../../core/ports/tool.ts";
import { isTaskFinished, isTaskOver, type TaskRecord, type TaskState } from "../../core/task.ts";
import { isRecorded } from "../../core/transcript/queue.ts";
import { MAX_QUEUED } from "../../session/queue/messageQueue.ts";
import type { Session } from "../../session/session.ts";
import { mayJoin, type Sender, senderOf } from "../../session/state/message.ts";
import { readTurn } from "../../session/transcript/eventLookup.ts";
import type { SessionDirectory } from "../../sessions/directory.ts";
import { t } from "../../shared/l10n.ts";
import { Serial } from "../../shared/node/serial.ts";
import { modelReasonOf } from "../../shared/reasonOf.ts";
import { type TaskPlaces, WorkTimer } from "../limits.ts";
import { hasNothingLeft } from "../oldCopies.ts";
import { Retry } from "../report.ts";
import { deliverNews, findListener, tellCallers } from "./taskCaller.ts";
import { endOf, extendBudget, interruptedEnd, isBudgetSpent, type TaskEnd } from "./taskEnd.ts";

export interface TaskHost {
	readonly sessions: SessionDirectory;
	readonly places: TaskPlaces;
	/** The window is closing: the next one reports what is still running. */
	readonly isClosing: boolean;
	/** The record on disk has changed. */
	changed(taskId: string, record: TaskRecord): void;
	/** Returns true if the window still runs it. */
	runs(task: RunningTask): boolean;
	/** Nothing of it runs any more, until a new message or an answer. */
	over(task: RunningTask): void;
}

export class RunningTask {
	readonly taskId: string;
	readonly session: Session;
	readonly name: string;
	record: TaskRecord;
	readonly host: TaskHost;
	private timer: WorkTimer;
	/** The last turn that a message began; a summary that the user asks for is none. */
	private begun: string | undefined;
	private turn: string | undefined;
	/** Approvals that its turn waits for. */
	private readonly approvals = new Set<string>();
	/** Messages that were queued while this window runs the task; earlier ones of the user wait for the user. */
	private readonly arrived = new Set<string>();
	/** Nothing more begins in it. */
	private stopped = false;
	/** News of ends that has not reached the caller yet, by message id, oldest first. */
	private readonly owed = new Map<string, TaskEnd>();
	/** The end that is not reported and saved yet. */
	private unfinished: TaskEnd | undefined;
	/** The last end that the callers' cards show. */
	private told: TaskEnd | undefined;
	private readonly retry = new Retry();
	/** Changes of its record are written in order. */
	private readonly changes = new Serial();

	constructor(host: TaskHost, session: Session, name: string, record: TaskRecord) {
		this.host = host;
		this.session = session;
		this.taskId = session.sessionId;
		this.name = name;
		this.record = record;
		this.begun = session.state.events.findLast(({ type }) => type === "user")?.turn;
		this.timer = this.createTimer();
	}

	private createTimer(): WorkTimer {
		const { budget, spent } = this.record;
		return new WorkTimer((budget.minutes - spent.minutes) * 60, () => this.expire());
	}

	/** The sender of messages to the task: the call that started or last resumed it, within the task's own limits. */
	get sender(): Sender & { caller: Caller & Required<Pick<Caller, "budget">> } {
		const { caller, resumed: made = caller, ceiling, budget, spent } = this.record;
		const tokens = Math.max(0, budget.tokens - spent.tokens);
		return {
			by: `agent:${made.agent}`,
			session: made.session,
			caller: { ...made, ceiling, budget: { id: this.taskId, tokens } },
			budget: { steps: Math.max(0, budget.steps - spent.steps) },
		};
	}

	/** Resolves when all changes are on disk. */
	whenSettled(): Promise<void> {
		return this.changes.whenSettled();
	}

	pauseTimer(): void {
		this.timer.stop();
	}

	/** Ensures that neither what waits in it nor the check of its answer begins any more. */
	stop(): void {
		this.stopped = true;
	}

	get isStopped(): boolean {
		return this.stopped;
	}

	follow(event: TranscriptEvent): void {
		(followers[event.type as keyof typeof followers] as ((task: RunningTask, event: TranscriptEvent) => void) | undefined)?.(this, event);
	}

	change(state: TaskState): Promise<void> {
		return this.inOrder(async () => {
			if (this.stopped || (state === "running" && this.record.state === state)) return;
			this.record = { ...this.record, state };
			await this.save();
			await tellCallers(this);
		});
	}

	/** The user goes on in it with a message: a spent budget is extended. Call it before the turn works. */
	async extend(): Promise<void> {
		await this.changes.whenSettled();
		if (!isBudgetSpent(this.record)) return;
		this.record = extendBudget(this.record, this.host.sessions);
		this.host.places.grant(this.sender.caller.budget);
		this.timer.stop();
		this.timer = this.createTimer();
		this.countTime();
	}

	/** Records whether the task works in a copy of the workspace, from now on. */
	decide(copied: boolean): Promise<void> {
		return this.inOrder(async () => {
			this.record = withDecision(this.record, copied);
			await this.save();
		});
	}

	/** A message to the caller while the task works. `id`: the same for the same message. */
	notify(id: string, text: string): Promise<void> {
		return this.inOrder(async () => {
			const listener = await findListener(this);
			if (!listener) throw new ToolError("Nothing was sent: the session that started this task no longer knows it. Go on.");
			const waiting = listener.session.state.queue.size;
			if (waiting >= MAX_QUEUED)
				throw new ToolError(`${waiting} messages wait at your caller already. Nothing was sent. Go on, and say it in your last message.`);
			await deliverNews(this, `news-${this.taskId}-${id}`, { state: "running", text }).catch((error: unknown) => {
				throw new ToolError(
					`It could not be sent: ${modelReasonOf(error, this.host.sessions.services.log)} Go on, and say it in your last message.`,
				);
			});
			await tellCallers(this, text);
		});
	}

	/** Ends it without news to the caller. */
	cancel(state: TaskState = "cancelled"): Promise<void> {
		return this.inOrder(() => {
			this.owed.clear();
			return this.close({ state, text: "" });
		});
	}

	/** Reports how an earlier window left the task; nothing goes on by itself. */
	async recover(): Promise<void> {
		await this.session.whole();
		const { state } = this.session;
		const last = state.events.findLast((event): event is EventOf<"ended"> => event.type === "ended");
		return this.inOrder(async () => {
			// Messages of the user may go on waiting after an end that was reported.
			const listener = last && (await findListener(this));
			const isTold = listener !== undefined && isRecorded(listener.session.state, `news-${last?.id}`);
			// What a turn that was continued had used is counted already.
			const wasCounted = this.record.state !== "running";
			const hasNext = state.queue.size > 0;
			const wasAnswered = last?.outcome === "waiting" && (hasNext || this.record.state === "waiting");
			if (!last || last.outcome === "interrupted" || (hasNext && !isTold) || wasAnswered) {
				if (last?.outcome === "interrupted" && !wasCounted)
					this.record = endOf(state, this.record, { ended: last, turn: await readTurn(this.session, last.turn) }).record;
				// The same for the same interruption: whatever continues a task adds an event.
				return this.close(interruptedEnd(state), `news-interrupted-${this.taskId}-${state.events.at(-1)?.id ?? ""}`);
			}
			// It had ended, and its window died before that was reported.
			const { end, record } = endOf(state, this.record, { ended: last, turn: await readTurn(this.session, last.turn) });
			this.record = record;
			return this.close(end, `news-${last.id}`);
		});
	}

	said({ turn }: EventOf<"user">): void {
		this.begun = turn;
	}

	started({ turn }: EventOf<"started">): void {
		if (turn !== this.begun) return;
		this.turn = turn;
		this.countTime();
		this.change("running").catch(() => undefined);
	}

	ended(event: EventOf<"ended">): Promise<void> {
		if (event.turn !== this.begun) return Promise.resolve();
		this.approvals.clear();
		this.turn = undefined;
		this.timer.stop();
		// The window closes; the next one reports it.
		if (event.outcome === "interrupted") return Promise.resolve();
		const { places } = this.host;
		places.keep(this.taskId);
		// Asked now: what waits begins its turn while the end is looked at.
		const { hasNext } = this;
		return this.inOrder(() => this.afterTurn(event, hasNext)).catch((error: unknown) => {
			places.leave(this.taskId);
			throw error;
		});
	}

	asked(request: string): void {
		this.approvals.add(request);
		this.countTime();
	}

	answered(request: string): void {
		this.approvals.delete(request);
		this.countTime();
	}

	/** Counts its turn's time, except while that waits for the user or for a place. */
	countTime(): void {
		const waits = this.turn === undefined || this.approvals.size > 0 || this.host.places.of(this.taskId).isReturning(this.taskId);
		this.timer.count(waits ? undefined : "work");
	}

	private expire(): void {
		this.record = { ...this.record, spent: { ...this.record.spent, minutes: this.record.budget.minutes } };
		this.session.cancel().catch(this.host.sessions.services.log);
	}

	/** A message that could not begin its turn. */
	left(message: string): void {
		this.inOrder(async () => {
			if (this.stopped || this.session.isRunning || this.hasNext) return;
			const shown = t("Its message could not begin a turn.");
			await this.close({ state: "failed", reason: "Its message could not begin a turn.", shown, text: "" }, `news-${message}`);
		}).catch(() => undefined);
	}

	queued(message: string): void {
		this.arrived.add(message);
	}

	private get hasNext(): boolean {
		return [...this.session.state.queue.values()].some((entry) => !mayJoin(senderOf(entry)) || this.arrived.has(entry.message));
	}

	private async afterTurn(event: EventOf<"ended">, hasNext: boolean): Promise<void> {
		// The next window reports it.
		if (this.host.isClosing) return;
		const minutes = this.record.budget.minutes - this.timer.workLeft / 60_000;
		const counted = { tokens: this.tokensOf(event.turn), minutes };
		const turn = await readTurn(this.session, event.turn);
		const { end, record } = endOf(this.session.state, this.record, { ended: event, turn }, counted);
		this.record = record;
		const goesOn = !this.stopped && end.state !== "cancelled";
		const reflects = this.session.services.taskTypes?.find(record.type)?.reflects && !record.reflected && !isBudgetSpent(record);
		const { log } = this.host.sessions.services;
		if (goesOn && end.state === "done" && reflects) {
			this.record = { ...record, reflected: true };
			try {
				await this.save();
				return await this.session.enqueue({ text: REFLECT }, { ...this.sender, by: "host" });
			} catch (error) {
				log(`the answer of the task ${this.taskId} is not checked: ${String(error)}`);
			}
		} else if (goesOn && (hasNext || this.hasNext)) return this.save().catch((error: unknown) => log(String(error)));
		await this.close(end, `news-${event.id}`);
	}

	/** Tokens of the turn as the loop counts them: what repeats the request before costs less than the provider's figures say. */
	private tokensOf(turn = ""): number {
		const { budget } = this.sender.caller;
		return Math.max(0, budget.tokens - this.host.places.of(this.taskId).left(turn, budget));
	}

	/** Brings the end to the caller before the record says that the task is over, so that a crash in between repeats it. */
	private async close(end: TaskEnd, news?: string): Promise<void> {
		// The next window reports it.
		if (this.host.isClosing) return;
		if (news !== undefined && end.state !== "cancelled") this.owed.set(news, end);
		this.unfinished = end;
		try {
			await this.report();
			await this.finish(end);
			this.unfinished = undefined;
			this.retry.succeeded();
		} catch (error) {
			this.host.places.leave(this.taskId);
			this.tryAgain(error);
		}
	}

	private async finish(end: TaskEnd): Promise<void> {
		this.record = { ...this.record, state: end.state };
		if (isTaskOver(end.state)) this.session.endBackground();
		const released = await this.findUnchangedCopy();
		if (released) this.record = withoutCopy(this.record);
		// Once, also where the disk refuses the record.
		if (this.told !== end) await tellCallers(this, end.state === "failed" ? (end.shown ?? end.text) : end.text || end.shown);
		this.told = end;
		await this.save();
		await released?.remove();
		this.host.over(this);
	}

	/** Nothing in it is worth keeping; if the task goes on, it gets a new one. Never rejects. */
	private async findUnchangedCopy(): Promise<{ remove(): Promise<void> } | undefined> {
		const { copies, log } = this.host.sessions.services;
		const { copied, state } = this.record;
		if (!copies || !copied || !isTaskFinished(state) || this.session.ongoing.size > 0) return undefined;
		try {
			const copy = await copies.find(this.taskId);
			const isWriting = copy && (await copies.openWrites(copy)).size > 0;
			if (!copy || isWriting || !hasNothingLeft(await copies.changes(copy))) return undefined;
			return { remove: () => copies.remove(this.taskId).catch((error: unknown) => log(`a copy was not removed: ${String(error)}`)) };
		} catch (error) {
			log(`a copy could not be compared: ${String(error)}`);
			return undefined;
		}
	}

	/** Brings all news to the caller. Rejects if one can't be delivered. */
	private async report(): Promise<void> {
		for (const [id, end] of this.owed) {
			await deliverNews(this, id, end);
			this.owed.delete(id);
		}
	}

	/** Tries again later if the inbox or the disk is full, until the window closes. */
	private tryAgain(error: unknown): void {
		this.host.sessions.services.log(`the end of the task ${this.taskId} was not reported or saved yet: ${String(error)}`);
		const again = async () => {
			const end = this.unfinished;
			if (!end || (this.stopped && end.state !== "cancelled") || this.host.isClosing || !this.host.runs(this)) return;
			if (!(await this.host.sessions.services.store.find(this.taskId))) return this.host.over(this);
			// A turn that has begun meanwhile brings the end.
			if (this.session.isRunning || this.hasNext) await this.report().catch((cause: unknown) => this.tryAgain(cause));
			else await this.close(end);
		};
		this.retry.later(() => void this.inOrder(again).catch(() => undefined));
	}

	private inOrder(act: () => Promise<void>): Promise<void> {
		const done = this.changes.run(act);
		done.catch((error: unknown) => this.host.sessions.services.log(`a change of the task ${this.taskId} was not saved: ${String(error)}`));
		return done;
	}

	private async save(): Promise<void> {
		await this.host.sessions.services.store.update(this.taskId, { task: this.record });
		this.host.changed(this.taskId, this.record);
	}
}

/** The record of a task that works in a copy of the workspace, or doesn't, from now on. */
export function withDecision(record: TaskRecord, copied: boolean): TaskRecord {
	return { ...record, isolation: copied ? "always" : "never", ...(copied && { copied }) };
}

/** It is still to work in a copy. */
function withoutCopy({ copied: _, ...record }: TaskRecord): TaskRecord {
	return { ...record, released: true };
}

const followers = {
	user: (task: RunningTask, event: EventOf<"user">) => task.said(event),
	started: (task: RunningTask, event: EventOf<"started">) => task.started(event),
	asked: (task: RunningTask, { request }: EventOf<"asked">) => task.asked(request),
	answered: (task: RunningTask, { request }: EventOf<"answered">) => task.answered(request),
	expired: (task: RunningTask, { request }: EventOf<"expired">) => task.answered(request),
	queued: (task: RunningTask, { message }: EventOf<"queued">) => task.queued(message),
	unqueued: (task: RunningTask, { message, why }: EventOf<"unqueued">) => why === "refused" && task.left(message),
	ended: (task: RunningTask, event: EventOf<"ended">) => void task.ended(event).catch(() => undefined),
};

/** Text for the model. */
const REFLECT = "Check this against the task. If something is missing or wrong, go on. If nothing is, answer with the final result alone.";

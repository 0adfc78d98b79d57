// Starts, continues and stops background tasks, and reports those that an earlier window left running.
import { randomUUID } from "node:crypto";
import type { Caller } from "../../core/caller.ts";
import type { SessionSummary, TranscriptEvent } from "../../core/events.ts";
import { strictestMode } from "../../core/grant.ts";
import { type DelegatedCall, ToolError } from "../../core/ports/tool.ts";
import { intersectPermissions } from "../../core/role.ts";
import { isTaskOver, type TaskIsolation, type TaskRecord, type TaskType, taskAgentId } from "../../core/task.ts";
import { pendingRequests } from "../../core/transcript/state.ts";
import { findTaskCall } from "../../core/transcript/tasks.ts";
import type { Session } from "../../session/session.ts";
import { mayJoin, senderOf } from "../../session/state/message.ts";
import type { SessionDirectory } from "../../sessions/directory.ts";
import type { OwnParts } from "../../sessions/lifecycle.ts";
import { t } from "../../shared/l10n.ts";
import { ApplyChanges } from "../applyChanges/applyChanges.ts";
import { TaskPlaces } from "../limits.ts";
import { cleanCopies, findOldCopies, keepCopy, type OldCopy } from "../oldCopies.ts";
import { RunningTask, type TaskHost, withDecision } from "./runningTask.ts";
import { isToldStopped } from "./taskCaller.ts";
import { asksPerson, createBudget, extendBudget, isAsking, isBudgetSpent } from "./taskEnd.ts";
import { createTaskPolicy } from "./taskPolicy.ts";
import { createRunsError, nameTask, requireText, TaskRefusal } from "./taskRefusal.ts";
import { TaskWorkspace } from "./taskWorkspace.ts";
import { describeWidening, formatWidening, type WiderRole, widenRecord, withoutDenials } from "./widerRole.ts";

export interface TaskRequest {
	/** A few words, for people. */
	description: string;
	input: string;
	type: TaskType;
	isolation: TaskIsolation;
}

/** The call that starts or continues a task. */
export interface TaskStarter {
	caller: Caller;
	delegated(to: DelegatedCall): Promise<void>;
}

/** Maximum number of tasks that work or wait for their place in a window. */
const MAX_OPEN = 100;

export class Tasks implements TaskHost {
	readonly sessions: SessionDirectory;
	readonly places: TaskPlaces;
	readonly applyChanges: ApplyChanges;
	isClosing = false;
	/** Tasks that are queued or run here; what waits for an answer may be continued by any window. */
	private readonly running = new Map<string, RunningTask>();
	/** Tasks that are being written for the first time. */
	private readonly creating = new Set<Promise<void>>();
	/** The last known records of tasks that this window has opened. */
	private readonly records = new Map<string, TaskRecord>();

	constructor(sessions: SessionDirectory) {
		this.sessions = sessions;
		this.applyChanges = new ApplyChanges(sessions);
		const countTimes = () => {
			for (const task of this.running.values()) task.countTime();
		};
		this.places = new TaskPlaces(() => sessions.policy.settings().tasks.maxConcurrent, countTimes);
		sessions.listen({ event: (id, event) => this.follow(id, event) });
	}

	/** Starts a task and returns its id at once. Throws ToolError if nothing was started. */
	async spawn({ description, input, type, isolation }: TaskRequest, starter: TaskStarter): Promise<{ taskId: string; name: string }> {
		const { policy } = this.sessions;
		const text = requireText(input);
		if (this.isClosing) throw new ToolError("The window is closing. Nothing was started.");
		if (this.running.size >= MAX_OPEN)
			throw new ToolError(`${MAX_OPEN} tasks are open in this window already. Nothing was started. Wait until some have ended.`);
		const { caller } = starter;
		const record: TaskRecord = {
			state: "queued",
			caller,
			type: type.name,
			ceiling: intersectPermissions(caller.ceiling, type.permissions),
			budget: createBudget(policy.settings().tasks, type),
			spent: { steps: 0, tokens: 0, minutes: 0 },
			isolation,
		};
		const [taskId, name, at] = [randomUUID(), nameTask(description), this.sessions.services.now().toISOString()];
		const identity = { sessionId: taskId, kind: "task" as const, agentId: taskAgentId(type.name), role: type.role, name };
		await this.create({ ...identity, createdAt: at, updatedAt: at, messageCount: 0, task: record });
		const task = this.adopt(await this.sessions.get(taskId), name, record);
		// What it is to do is on disk before anything names it.
		const before = () => task.session.enqueue({ id: randomUUID(), text }, task.sender);
		await this.begin(task, { ...record, state: "cancelled" }, starter, { before });
		return { taskId, name };
	}

	/** Continues a task that waits or is over, with the permissions that both it and the resuming call have. Throws ToolError. */
	async resume(taskId: string, input: string, starter: TaskStarter): Promise<void> {
		const text = requireText(input);
		const { session, name, record } = await this.requireIdle(taskId);
		if (isBudgetSpent(record))
			throw new ToolError("The task has used up its budget. Nothing was sent. Only the person can extend it, with a message in its chat.");
		const questions = pendingRequests(session.state).flatMap(({ event }) => (event.type === "question" ? [event] : []));
		if (asksPerson(session.state))
			throw new ToolError("The task waits for the person, who alone can answer its question. Nothing was sent.");
		const ceiling = intersectPermissions(record.ceiling, starter.caller.ceiling);
		const task = this.adopt(session, name, {
			...withoutDenials(record),
			resumed: withStricterMode(starter.caller, record.caller),
			ceiling,
		});
		const after = async () => {
			await session.enqueue({ id: randomUUID(), text }, task.sender);
			for (const { request } of questions)
				await session.eventLog.emit({ type: "answered", request, answer: { value: text } }, task.sender.by);
		};
		await this.begin(task, record, starter, { after });
	}

	/**
	 * The user continues a task: what waits in it begins, or it is told to go on. A spent budget is extended. `wider`: it gets these
	 * permissions, and is told so. Throws an Error to display.
	 */
	async continue(taskId: string, wider?: WiderRole): Promise<void> {
		const { session, name, record } = await this.requireIdle(taskId);
		const renewed = wider ? widenRecord(record, wider) : withoutDenials(record);
		const task = this.adopt(session, name, extendBudget(renewed, this.sessions));
		await this.orOver(task, record, async () => {
			const text = wider ? describeWidening(wider) : t("You continued the task.");
			await session.eventLog.emit({ type: "status", level: "info", text }, "person");
			const left = wider ? pendingRequests(session.state) : [];
			for (const { event } of left) await session.eventLog.emit({ type: "expired", request: event.request }, "host");
			await task.change("queued");
			if (task.isStopped) return;
			this.places.run(taskId);
			const hasNext = [...session.state.queue.values()].some((entry) => !mayJoin(senderOf(entry)));
			if (hasNext && !wider) await session.resume();
			else await session.enqueue({ text: wider ? formatWidening(wider) : GO_ON }, { ...task.sender, by: "host" });
		});
	}

	/** Stops a task; what it did is kept. Does nothing to one that is over. Throws ToolError if another window runs it. */
	async stop(taskId: string): Promise<void> {
		const task = this.running.get(taskId) ?? (await this.findPending(taskId));
		if (!task) return;
		const { session } = task;
		task.stop();
		this.places.hold(taskId);
		// The user's own messages go back to the user.
		for (const entry of [...session.state.queue.values()]) if (!mayJoin(senderOf(entry))) await session.withdraw(entry.message);
		await session.cancel();
		await task.whenSettled();
		if (this.running.get(taskId) === task) await task.cancel();
		// It began to wait meanwhile.
		else if (task.record.state === "waiting") await this.stop(taskId);
	}

	/** Resolves when the records of all tasks are on disk: their news may have come before. */
	async whenSettled(): Promise<void> {
		await Promise.allSettled(this.creating);
		await Promise.all([...this.running.values()].map((task) => task.whenSettled()));
	}

	/** A message of a running task to its caller. `call` names it. Throws ToolError if the session is no running task. */
	async notify(taskId: string, call: string, text: string): Promise<void> {
		const task = this.running.get(taskId);
		if (!task) throw new ToolError("Only a running task can send messages to its caller. Nothing was sent.");
		await task.notify(call, text);
	}

	/** Returns what the session of a task gets in place of the window's own policy and workspace. */
	async open(summary: SessionSummary & { task: TaskRecord }): Promise<OwnParts> {
		const { sessionId: taskId, task: known } = summary;
		this.records.set(taskId, known);
		const record = () => this.running.get(taskId)?.record ?? this.records.get(taskId) ?? known;
		const { services } = this.sessions;
		const policy = createTaskPolicy(this.sessions, record, this.places.of(taskId));
		const own = new TaskWorkspace({
			taskId,
			services,
			record,
			opened: () => this.sessions.opened(),
			decide: async (copied) => {
				const task = this.running.get(taskId);
				if (task) return task.decide(copied);
				const decided = withDecision((await this.findTask(taskId))?.record ?? record(), copied);
				await services.store.update(taskId, { task: decided });
				this.records.set(taskId, decided);
			},
			begins: () => this.begins(taskId),
			runs: async () => this.running.get(taskId)?.change("running"),
			note: async (text) => {
				const { eventLog } = await this.sessions.get(taskId);
				await eventLog.emit({ type: "status", level: "info", text }, "host");
			},
		});
		await own.open();
		return { policy, workspace: own };
	}

	/** Marks what an earlier window left running as interrupted, and tells its caller. Call it once at the start. */
	async recover(): Promise<void> {
		const pending = await this.sessions.services.store.pendingTasks();
		const { log } = this.sessions.services;
		await Promise.all(
			pending.map((summary) => this.recoverTask(summary).catch((error: unknown) => log(`a task was not recovered: ${error}`))),
		);
		await this.applyChanges.recover();
		await cleanCopies(this.sessions.services);
	}

	/** Tasks whose copies the user is asked about. */
	oldCopies(): Promise<OldCopy[]> {
		return findOldCopies(this.sessions.services);
	}

	/** The user wants to keep an old copy. */
	keepCopy(taskId: string): Promise<void> {
		return keepCopy(this.sessions.services, taskId);
	}

	/** The sessions are about to close. */
	close(): Promise<void> {
		this.isClosing = true;
		for (const task of this.running.values()) task.pauseTimer();
		return this.applyChanges.close();
	}

	/** A session is about to lose its history or to be deleted: its tasks are stopped. `isLost`: whether that call is. */
	async lost(sessionId: string, isLost: (call: string) => boolean = () => true): Promise<void> {
		const pending = await this.sessions.services.store.pendingTasks();
		const isMade = (made: Caller | undefined) => made?.session === sessionId && isLost(made.call);
		const made = pending.filter(({ task }) => isMade(task?.caller) || isMade(task?.resumed));
		await Promise.allSettled(made.map(({ sessionId: taskId }) => this.stop(taskId)));
	}

	changed(taskId: string, record: TaskRecord): void {
		this.records.set(taskId, record);
		this.sessions.changed(taskId);
	}

	readonly runs = (task: RunningTask): boolean => this.running.get(task.taskId) === task;

	over(task: RunningTask): void {
		if (!this.runs(task)) return;
		this.places.hold(task.taskId);
		this.places.leave(task.taskId);
		this.running.delete(task.taskId);
	}

	/** A closing window waits until a task that it doesn't start any more is gone. */
	private async create(summary: SessionSummary): Promise<void> {
		const { store, log } = this.sessions.services;
		const creating = store.create(summary).then(async () => {
			if (!this.isClosing) return;
			await store.delete(summary.sessionId).catch(log);
			throw new ToolError("The window is closing. Nothing was started.");
		});
		this.creating.add(creating);
		await creating.finally(() => this.creating.delete(creating));
	}

	/** Throws ToolError if it runs already: two of them would write the same record. */
	private adopt(session: Session, name: string, record: TaskRecord): RunningTask {
		const known = this.running.get(session.sessionId);
		if (known) throw createRunsError(known.record.state);
		const task = new RunningTask(this, session, name, record);
		this.running.set(session.sessionId, task);
		this.places.grant(task.sender.caller.budget);
		return task;
	}

	/** Its message waits until the start is recorded. If anything fails, the task has its former record. */
	private begin(
		task: RunningTask,
		former: TaskRecord,
		{ caller, delegated }: TaskStarter,
		{ before, after }: { before?(): Promise<void>; after?(): Promise<void> },
	): Promise<void> {
		const { taskId, session } = task;
		return this.orOver(task, former, async () => {
			await before?.();
			await delegated({ task: taskId, agent: session.state.agent, depth: caller.depth });
			await task.change("queued");
			await after?.();
			if (task.isStopped) return;
			this.places.run(taskId);
			await session.resume();
		});
	}

	/** If `act` fails, nothing of the task runs, and its record is what it was. */
	private async orOver(task: RunningTask, former: TaskRecord, act: () => Promise<void>): Promise<void> {
		await act().catch(async (error: unknown) => {
			task.record = former;
			await task.cancel(former.state).catch(this.sessions.services.log);
			this.over(task);
			throw error;
		});
	}

	private follow(sessionId: string, event: TranscriptEvent): void {
		if (event.type === "rewound") this.rewound(sessionId).catch(this.sessions.services.log);
		const task = this.running.get(sessionId);
		if (task) task.follow(event);
		// It was repaired after its window, or ended before it could begin.
		else if (event.type === "ended") this.recoverOne(sessionId).catch(this.sessions.services.log);
	}

	/** Tasks whose calls are undone would go on for nobody. */
	private async rewound(sessionId: string): Promise<void> {
		const { state } = await this.sessions.get(sessionId);
		// A summary may have left out calls that continue to count.
		await this.lost(sessionId, (call) => state.delegations.has(call) && findTaskCall(state, call) === undefined);
	}

	/** A turn is about to begin; if the user goes on in a task that was over, the record says so first. */
	private async begins(taskId: string): Promise<void> {
		const session = await this.sessions.get(taskId);
		const running = this.running.get(taskId);
		// The record may say that the last turn is over before this window is done with it.
		await running?.whenSettled();
		if (running && !session.sender?.caller) await running.extend();
		const found = await this.findTask(taskId);
		if (!found || this.running.has(taskId) || this.isClosing) return;
		const task = this.adopt(session, found.name, extendBudget(withoutDenials(found.record), this.sessions));
		this.places.run(taskId);
		await task.change("running");
	}

	private async findTask(taskId: string): Promise<FoundTask | undefined> {
		const summary = await this.sessions.services.store.find(taskId);
		return summary?.task && { name: summary.name ?? summary.task.type, record: summary.task };
	}

	/** A task whose record is not over, although this window does not run it. */
	private async findPending(taskId: string): Promise<RunningTask | undefined> {
		const isOpen = (found: FoundTask | undefined) => found && !isTaskOver(found.record.state);
		if (!isOpen(await this.findTask(taskId))) return undefined;
		const session = await this.requireSession(taskId);
		const found = await this.findTask(taskId);
		return this.running.get(taskId) ?? (found && isOpen(found) ? this.adopt(session, found.name, found.record) : undefined);
	}

	/** The task and its session, which this window has from then on. Throws TaskRefusal unless nothing of it runs. */
	async requireIdle(taskId: string): Promise<FoundTask & { session: Session }> {
		if (this.isClosing) throw new TaskRefusal("closing", "The window is closing. Nothing was sent.");
		// Its news may have come before its record.
		await this.running.get(taskId)?.whenSettled();
		const found = await this.findTask(taskId);
		if (!found) throw new TaskRefusal("unknown", `There is no task ${JSON.stringify(taskId.slice(0, 128))}. Nothing was sent.`);
		const { state } = found.record;
		if (state === "queued" || state === "running") throw createRunsError(state);
		const session = await this.requireSession(taskId);
		await session.turnOver();
		if (session.isRunning) throw createRunsError("running");
		// Another window may have had it until now.
		return { session, ...((await this.findTask(taskId)) ?? found) };
	}

	private async requireSession(taskId: string): Promise<Session> {
		const session = await this.sessions.get(taskId);
		if (await session.lease.takeFree()) return session;
		throw new TaskRefusal("elsewhere", "Another window runs this task. Nothing was sent.");
	}

	private async recoverTask(summary: SessionSummary): Promise<void> {
		const { sessionId, task: record } = summary;
		if (!record || this.running.has(sessionId)) return;
		const session = await this.sessions.get(sessionId);
		// This window may have read it before another one went on in it.
		await session.lease.catchUp();
		if (record.state === "waiting" && isAsking(session.state))
			return (await isToldStopped({ taskId: sessionId, record, host: this })) ? this.stop(sessionId) : undefined;
		// Its window lives.
		if (!(await session.lease.takeFree()) || this.running.has(sessionId) || session.isRunning) return;
		await this.adopt(session, summary.name ?? record.type, record).recover();
	}

	/** Reports a task that was repaired here, unless it was over before. */
	private async recoverOne(sessionId: string): Promise<void> {
		const summary = this.isClosing ? undefined : await this.sessions.services.store.find(sessionId);
		if (summary?.task && !isTaskOver(summary.task.state)) await this.recoverTask(summary);
	}
}

interface FoundTask {
	name: string;
	record: TaskRecord;
}

/** Text for the model. */
const GO_ON = "You were interrupted. Look at what was done, and go on with the task.";

/**
 * Returns the resumer with the stricter mode of both: a caller that isn't asked about changes makes none through the task of another
 * session that is.
 */
function withStricterMode(resumer: Caller, { session, approval = "auto" }: Caller): Caller {
	return resumer.session === session ? resumer : { ...resumer, approval: strictestMode(approval, resumer.approval ?? "auto") };
}

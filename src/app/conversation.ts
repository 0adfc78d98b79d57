// One session at work: takes what the person says, runs turns, and hands answers to whoever waits for them.
import { randomUUID } from "node:crypto";
import type { Answer, Author, EventOf, Outcome, PlanRef, TranscriptEvent } from "../core/events.ts";
import type { Role } from "../core/permissions.ts";
import { currentPlan, type PlanState, pendingQuestion, type RequestState, type Transcript } from "../core/transcript.ts";
import { AnswerRefused, Approvals, TOO_EARLY } from "./approvals.ts";
import { Journal, type JournalListener } from "./journal.ts";
import { Mailbox } from "./mailbox.ts";
import { drift, driftedPlan, driftQuestion, planRef } from "./planFlow.ts";
import { needsRepair, repair } from "./repair.ts";
import { SessionFiles } from "./seen.ts";
import type { Services } from "./services.ts";
import { runTurn } from "./turn.ts";
import { roleOf } from "./who.ts";

export interface TurnEnd {
	outcome: Outcome;
	turn: string;
}

/** The message that opens a turn. */
interface Opening {
	text: string;
	answers?: string;
}

export class ConversationBlocked extends Error {
	override readonly name = "ConversationBlocked";
}

export class Conversation {
	readonly sessionId: string;
	readonly services: Services;
	readonly journal: Journal;
	readonly approvals = new Approvals();
	readonly files = new SessionFiles();
	/** Words of the running answer that listeners have seen and that are not an event yet. */
	spoken: () => string = () => "";
	/** Lines of the transcript that could not be read. */
	damaged = 0;
	private readonly settled = new Map<string, () => void>();
	private readonly mail = new Mailbox<TurnEnd>();
	private running: { turn: string; abort: AbortController; end: Promise<TurnEnd> } | undefined;
	private owned = false;
	private readonly listener: JournalListener & ConversationListener;

	constructor(sessionId: string, services: Services, listener: JournalListener & ConversationListener) {
		this.sessionId = sessionId;
		this.services = services;
		this.listener = listener;
		this.journal = new Journal({ store: services.store, sessionId, listener, now: services.now });
	}

	get state(): Transcript {
		return this.journal.state;
	}

	get queued(): string[] {
		return this.mail.texts;
	}

	get isRunning(): boolean {
		return this.running !== undefined;
	}

	/** Loads the transcript and closes what a host that died has left open. */
	async open(): Promise<this> {
		this.damaged = await this.journal.load();
		if (needsRepair(this.state) && (await this.services.store.own(this.sessionId))) {
			this.owned = true;
			await repair(this.journal, await this.services.store.checkpoint(this.sessionId));
		}
		return this;
	}

	/** A message of the person (or of the API on their behalf). During a turn it waits for that turn's next step. */
	async send(text: string, by: Author = "person"): Promise<TurnEnd> {
		if (this.running) {
			const end = this.mail.put(text, by);
			this.listener.changed(this.sessionId);
			return end;
		}
		return this.start(by, async () => {
			const question = pendingQuestion(this.state);
			return { text, ...(question?.allow_custom && { answers: question.request }) };
		});
	}

	/** Approves this version of the plan, by its hash, and starts it. Ends `waiting` with a question when its files have changed. */
	async executePlan(ref: Partial<PlanRef>, by: Author = "person", force = false): Promise<TurnEnd> {
		this.refuseWhileRunning();
		return this.start(by, async () => this.approve(this.executable(ref), by, force));
	}

	/** Answers an approval or a question. Throws AnswerRefused when it does not apply. */
	async answer(request: string, answer: Answer, by: Author, hash?: string): Promise<TurnEnd | undefined> {
		const entry = this.state.requests.get(request);
		if (entry?.state !== "pending") throw new AnswerRefused("This request has expired or was answered already.");
		const record = async () => {
			const event = await this.journal.emit({ type: "answered", request, ...(hash !== undefined && { hash }), answer }, by);
			this.settled.get(request)?.();
			this.settled.delete(request);
			return event;
		};
		if (entry.kind === "approval") {
			if (!("allow" in answer)) throw new AnswerRefused("An approval is answered with allow or deny.");
			await this.approvals.answer(request, hash, answer, this.services.now().getTime(), record);
			return undefined;
		}
		if (this.services.now().getTime() - Date.parse(entry.event.at) < TOO_EARLY) {
			throw new AnswerRefused("This answer came too early: the question had only just appeared.");
		}
		return this.answerQuestion(entry, answer, by, record);
	}

	/** Narrowing stops a running turn; widening counts from the next. */
	async setRole(role: string, by: Author = "person"): Promise<void> {
		const next = this.services.roles().find((candidate) => candidate.id === role);
		if (!next) throw new Error(`There is no role ${role}.`);
		if (role === this.state.role) return;
		if (this.running && this.narrows(next)) await this.cancel();
		await this.begin();
		await this.journal.emit({ type: "role", role }, by);
	}

	async setAgent(agent: string, by: Author = "person"): Promise<void> {
		if (agent === this.state.agent) return;
		await this.begin();
		await this.journal.emit({ type: "agent", agent }, by);
	}

	/** Writes down who a new or cleared session belongs to and what it may do. */
	async found(agent: string, role: string): Promise<void> {
		if (this.state.seq > 0) return;
		await this.journal.emit({ type: "agent", agent }, "host");
		await this.journal.emit({ type: "role", role }, "host");
	}

	/** A line of the host's about something the person did beside the conversation. */
	async note(text: string): Promise<void> {
		await this.begin();
		await this.journal.emit({ type: "status", level: "info", text }, "person");
	}

	/** Whether the running turn would lose permissions by this role. */
	narrows(next: Role): boolean {
		const current = this.services.roles().find((candidate) => candidate.id === this.state.turn?.role);
		return current?.permissions.some((permission) => !next.permissions.includes(permission)) ?? false;
	}

	/** Stops the turn; resolves when it has ended. Messages that waited for it are given back. */
	async cancel(): Promise<string[]> {
		const given = this.mail.takeAll();
		for (const entry of given) entry.taken(this.running?.end ?? Promise.resolve({ outcome: "cancelled", turn: "" }));
		this.running?.abort.abort(new DOMException("Stopped by the person", "AbortError"));
		await this.running?.end;
		return given.map((entry) => entry.text);
	}

	async close(): Promise<void> {
		await this.cancel();
		if (this.owned) await this.services.store.release(this.sessionId);
		this.owned = false;
	}

	/** Messages typed meanwhile become part of the running turn. */
	async deliver(turn: string): Promise<void> {
		for (const entry of this.mail.takeAll()) {
			await this.journal.emit({ type: "user", text: entry.text }, entry.by, turn);
			if (this.running) entry.taken(this.running.end);
		}
		this.listener.changed(this.sessionId);
	}

	/** Resolves when a request is no longer pending. */
	taken(request: string): Promise<void> {
		if (this.state.requests.get(request)?.state !== "pending") return Promise.resolve();
		return new Promise((resolve) => {
			this.settled.set(request, resolve);
		});
	}

	/** Runs a turn from the message that `open` gives; where it gives none, the session waits for the person. */
	private async start(by: Author, open: () => Promise<Opening | undefined>): Promise<TurnEnd> {
		const turn = randomUUID();
		const abort = new AbortController();
		let settle: (end: TurnEnd) => void = () => undefined;
		const end = new Promise<TurnEnd>((resolve) => {
			settle = resolve;
		});
		this.running = { turn, abort, end };
		let outcome: Outcome = "failed";
		try {
			await this.begin();
			const opening = await open();
			outcome = opening ? await this.takeTurn(turn, opening, by, abort.signal) : "waiting";
		} finally {
			this.running = undefined;
			settle({ outcome, turn });
			this.listener.changed(this.sessionId);
			this.startQueued();
		}
		return end;
	}

	private async takeTurn(turn: string, opening: Opening, by: Author, signal: AbortSignal): Promise<Outcome> {
		const input = (await this.journal.emit({ type: "user", ...opening }, by, turn)) as EventOf<"user">;
		if (this.state.messages === 1 && this.state.title) {
			await this.services.store.update(this.sessionId, { attributes: { title: this.state.title } });
		}
		this.listener.changed(this.sessionId);
		return runTurn(this, { turn, input, signal });
	}

	private startQueued(): void {
		const next = this.mail.next();
		if (next) next.taken(this.send(next.text, next.by));
	}

	private async approve(plan: PlanState, by: Author, force: boolean): Promise<Opening | undefined> {
		const changed = force ? [] : await drift(this.services.workspace, plan);
		if (changed.length > 0) {
			await this.journal.emit(driftQuestion(plan, changed), "host");
			return undefined;
		}
		await this.journal.emit({ type: "role", role: roleOf(this).acts ?? ACTING_ROLE, plan: planRef(plan) }, by);
		return { text: "Execute the plan." };
	}

	private async answerQuestion(
		entry: RequestState,
		answer: Answer,
		by: Author,
		record: () => Promise<TranscriptEvent>,
	): Promise<TurnEnd | undefined> {
		if (entry.event.type !== "question") return undefined;
		const { question, request } = entry.event;
		if (!("value" in answer)) {
			await record();
			return undefined;
		}
		const option = question.options?.find((candidate) => candidate.value === answer.value);
		if (!option && !question.allow_custom) throw new AnswerRefused("This question takes one of its options.");
		this.refuseWhileRunning();
		return this.start(by, async () => {
			await record();
			const drifted = driftedPlan(this.state, request);
			if (drifted && answer.value === "execute") return this.approve(this.executable(planRef(drifted)), by, true);
			const text = drifted ? "Plan again: files have changed since the plan was made." : (option?.label ?? answer.value);
			return { text, answers: request };
		});
	}

	private refuseWhileRunning(): void {
		if (this.running) throw new ConversationBlocked("A turn is running. Stop it or wait for its end, then try again.");
	}

	private executable(ref: Partial<PlanRef>): PlanState {
		const plan = currentPlan(this.state);
		if (!plan) throw new ConversationBlocked("There is no plan to execute yet.");
		const { event } = plan;
		const other =
			(ref.planId !== undefined && ref.planId !== event.planId) ||
			(ref.version !== undefined && ref.version !== event.version) ||
			(ref.hash !== undefined && ref.hash !== event.hash);
		if (other) throw new ConversationBlocked("This is not the newest version of the plan. Execute the newest one.");
		return plan;
	}

	/** Takes the session for this host, with what another one may have written since it was loaded. */
	private async begin(): Promise<void> {
		const restricted = this.services.restricted();
		if (restricted) throw new ConversationBlocked(restricted);
		if (this.owned) return;
		if (!(await this.services.store.own(this.sessionId))) {
			throw new ConversationBlocked("This session is running in another window. Stop it there first, or start a new session here.");
		}
		this.owned = true;
		const seq = this.state.seq;
		const { events } = await this.services.store.read(this.sessionId);
		if ((events.at(-1)?.seq ?? 0) === seq) return;
		await this.journal.load();
		this.listener.reloaded(this.sessionId);
	}
}

export interface ConversationListener {
	/** Something beside the events has changed (queue, running). */
	changed(sessionId: string): void;
	/** The transcript was read anew. */
	reloaded(sessionId: string): void;
}

/** Where "Execute plan" leads from a role that does not say. */
const ACTING_ROLE = "actor";

// One session at work: takes what the person says, runs turns, and hands answers to whoever waits for them.
import { randomUUID } from "node:crypto";
import type { Answer, Author, EventOf, Outcome, PlanRef, TranscriptEvent } from "../core/events.ts";
import type { Role } from "../core/permissions.ts";
import { currentPlan, type PlanState, pendingQuestion, type Transcript } from "../core/transcript.ts";
import { consequenceOf, mustWait } from "./answers.ts";
import { AnswerRefused, Approvals } from "./approvals.ts";
import { ConversationBlocked, Hold } from "./hold.ts";
import { Journal, type JournalListener } from "./journal.ts";
import { Mailbox } from "./mailbox.ts";
import { drift, driftQuestion, executablePlan, planRef } from "./planFlow.ts";
import { SessionFiles } from "./seen.ts";
import type { Services } from "./services.ts";
import { CLOSED, STOPPED } from "./stops.ts";
import { runTurn } from "./turn.ts";
import { roleOf, turnRole } from "./who.ts";

export interface TurnEnd {
	outcome: Outcome;
	turn: string;
}

/** The message that opens a turn. */
interface Opening {
	text: string;
	answers?: string;
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
	/** Commands in the background live and end with this. */
	background = new AbortController();
	private readonly hold: Hold;
	private readonly listener: JournalListener & ConversationListener;

	constructor(sessionId: string, services: Services, listener: JournalListener & ConversationListener) {
		this.sessionId = sessionId;
		this.services = services;
		this.listener = listener;
		this.journal = new Journal({ store: services.store, sessionId, listener, now: services.now });
		this.hold = new Hold({ services, journal: this.journal, sessionId, reloaded: () => listener.reloaded(sessionId) });
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
		await this.hold.mend();
		return this;
	}

	/** A message of the person (or of the API on their behalf). During a turn it waits for that turn's next step. */
	async send(text: string, by: Author = "person"): Promise<TurnEnd> {
		if (this.running) {
			const end = this.mail.put(text, by, this.state.seq);
			this.listener.changed(this.sessionId);
			return end;
		}
		return this.speak(text, by, this.state.seq);
	}

	/** Approves this version of the plan, by its hash, and starts it. Ends `waiting` with a question when its files have changed. */
	async executePlan(ref: Partial<PlanRef>, by: Author = "person", force = false): Promise<TurnEnd> {
		this.refuseWhileRunning();
		return this.start(by, async () => this.approve(executablePlan(this.state, ref), by, force));
	}

	/** Answers an approval or a question. Throws AnswerRefused when it does not apply. */
	async answer(request: string, answer: Answer, by: Author, hash?: string): Promise<TurnEnd | undefined> {
		if (this.state.run === undefined && currentPlan(this.state)?.event.planId === request) return this.answerPlan(answer, by);
		const entry = mustWait(this.state.requests.get(request), this.services.now());
		const record = async () => {
			const event = await this.journal.emit({ type: "answered", request, ...(hash !== undefined && { hash }), answer }, by);
			this.settled.get(request)?.();
			this.settled.delete(request);
			return event;
		};
		if (entry.kind === "approval") {
			if (!("allow" in answer)) throw new AnswerRefused("An approval is answered with allow or deny.");
			if (by === "person" && hash === undefined) throw new AnswerRefused("An approval names what it approves.");
			await this.approvals.answer(request, hash, answer, this.services.now().getTime(), record);
			return undefined;
		}
		return entry.event.type === "question" ? this.answerQuestion(entry.event, answer, by, record) : undefined;
	}

	/** Narrowing stops a running turn; widening counts from the next. */
	async setRole(role: string, by: Author = "person"): Promise<void> {
		const next = this.services.roles().find((candidate) => candidate.id === role);
		if (!next) throw new Error(`There is no role ${role}.`);
		if (role === this.state.role) return;
		if (this.narrows(next)) {
			await this.cancel();
			this.endBackground();
		}
		await this.hold.take();
		await this.journal.emit({ type: "role", role }, by);
	}

	async setAgent(agent: string, by: Author = "person"): Promise<void> {
		if (agent === this.state.agent) return;
		await this.hold.take();
		await this.journal.emit({ type: "agent", agent }, by);
	}

	/** A line of the host's about something the person did beside the conversation. */
	async note(text: string): Promise<void> {
		await this.hold.take();
		await this.journal.emit({ type: "status", level: "info", text }, "person");
	}

	/** Whether what this session may do now is more than it may in that role. */
	narrows(next: Role): boolean {
		return turnRole(this).permissions.some((permission) => !next.permissions.includes(permission));
	}

	/** Stops the turn, and the plan that runs; resolves when it has ended. Messages that waited for it are given back. */
	async cancel(): Promise<void> {
		if (!this.running && this.state.run) await this.journal.emit({ type: "ended", outcome: "cancelled" }, "host");
		await this.stop(STOPPED);
	}

	/** Lets go of the session. A turn that runs ends as interrupted: nobody has stopped it. */
	async close(): Promise<void> {
		await this.stop(CLOSED);
		this.endBackground();
		await this.hold.release();
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

	/** Ends commands that run in the background; those of later turns are not touched. */
	private endBackground(): void {
		this.background.abort(STOPPED);
		this.background = new AbortController();
	}

	private async stop(why: DOMException): Promise<void> {
		const letters = this.mail.takeAll();
		for (const letter of letters) letter.taken(this.running?.end ?? Promise.resolve({ outcome: "cancelled", turn: "" }));
		const own = letters.filter((letter) => letter.by === "person").map((letter) => letter.text);
		if (own.length > 0) this.listener.returned(this.sessionId, own.join("\n\n"));
		this.running?.abort.abort(why);
		await this.running?.end;
	}

	/** Words that came after a question answer it, where it takes words; those from before only supersede it. */
	private speak(text: string, by: Author, knew: number): Promise<TurnEnd> {
		return this.start(by, async () => {
			const question = pendingQuestion(this.state);
			return { text, ...(question?.allow_custom && question.seq <= knew && { answers: question.request }) };
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
			await this.hold.take();
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
		if (next) next.taken(this.speak(next.text, next.by, next.knew));
	}

	private async approve(plan: PlanState, by: Author, force: boolean): Promise<Opening | undefined> {
		const changed = force ? [] : await drift(this.services.workspace, plan);
		if (changed.length > 0) {
			await this.journal.emit(driftQuestion(plan, changed), "host");
			return undefined;
		}
		await this.journal.emit({ type: "role", role: this.actingRole(), plan: planRef(plan) }, by);
		return { text: "Execute the plan." };
	}

	private async answerQuestion(
		event: EventOf<"question">,
		answer: Answer,
		by: Author,
		record: () => Promise<TranscriptEvent>,
	): Promise<TurnEnd | undefined> {
		const consequence = consequenceOf(this.state, event, answer);
		if (consequence === "dismissed") {
			await this.hold.take();
			await record();
			return undefined;
		}
		this.refuseWhileRunning();
		return this.start(by, async () => {
			await record();
			const { say, executes, switches } = consequence;
			if (executes) return this.approve(executablePlan(this.state, planRef(executes)), by, true);
			if (switches) await this.journal.emit({ type: "role", role: this.actingRole() }, by);
			return { text: say, answers: event.request };
		});
	}

	private answerPlan(answer: Answer, by: Author): Promise<TurnEnd> {
		if ("allow" in answer && answer.allow) return this.executePlan({}, by);
		throw new AnswerRefused("A plan is executed with allow: true, or left as it is. Say in a message what should change.");
	}

	private actingRole(): string {
		return roleOf(this).acts ?? ACTING_ROLE;
	}

	private refuseWhileRunning(): void {
		if (this.running) throw new ConversationBlocked("A turn is running. Stop it or wait for its end, then try again.");
	}
}

export interface ConversationListener {
	/** Something beside the events has changed (queue, running). */
	changed(sessionId: string): void;
	/** The transcript was read anew. */
	reloaded(sessionId: string): void;
	/** Messages of the person that no turn took go back to where they came from. */
	returned(sessionId: string, text: string): void;
}

/** Where "Execute plan" leads from a role that does not say. */
const ACTING_ROLE = "actor";

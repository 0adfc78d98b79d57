// One session at work: takes what the person says, runs turns, and hands answers to whoever waits for them.
import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { isForeignAuthor } from "../core/author.ts";
import type { Answer, Author, EventOf, Outcome, PlanRef } from "../core/events.ts";
import type { ModelInfo } from "../core/ports/model.ts";
import type { ApprovalMode } from "../core/role.ts";
import { pendingQuestion } from "../core/transcript/fold.ts";
import type { Transcript } from "../core/transcript/state.ts";
import { t } from "../shared/l10n.ts";
import type { QueuedMessage } from "../shared/protocol/chat.ts";
import { Decisions } from "./approvals/decisions.ts";
import { type ChangeOptions, changeAgent, changeRole } from "./approvals/roleSwitch.ts";
import { createApprovalModeEvent } from "./approvals/sessionApprovals.ts";
import {
	type OpeningMessage,
	type Services,
	type SessionContext,
	type SessionListener,
	STOPPED_BY_USER,
	type TurnEnd,
	WINDOW_CLOSED,
} from "./context.ts";
import { compactSession } from "./contextWindow/compaction.ts";
import { TokenCounter } from "./contextWindow/tokenCounter.ts";
import { EventLog, type EventLogListener } from "./eventLog.ts";
import { FileVersions } from "./fileVersions.ts";
import { formatHandoverNotice, Lease, SessionBlockedError } from "./lease.ts";
import { type Message, MessageQueue, mayJoin, mergeMessages, type Sender, toSender } from "./messageQueue.ts";
import { createContextLine } from "./prompt/editorContext.ts";
import { computePromptDiff } from "./prompt/promptDiff.ts";
import { PromptMemory } from "./prompt/promptMemory.ts";
import { reportReadProgress } from "./readProgress.ts";
import { runTurn } from "./turn/turn.ts";

export class Session implements SessionContext {
	readonly sessionId: string;
	readonly services: Services;
	readonly eventLog: EventLog;
	readonly decisions = new Decisions(this);
	readonly files = new FileVersions();
	/** How full the window is, and of which model; the system prompt of the last turn. */
	readonly context: { ledger: TokenCounter; model?: ModelInfo | undefined; system?: string } = { ledger: new TokenCounter() };
	readonly prompts = new PromptMemory();
	/** Words of the running answer that listeners have seen and that are not an event yet. */
	spoken: () => string = () => "";
	/** Calls that are known to run, with the end of what they have printed. */
	readonly printed = new Map<string, string>();
	/** Lines of the transcript that could not be read. */
	damaged = 0;
	private readonly mail = new MessageQueue<TurnEnd>();
	private running: { turn: string; abort: AbortController; end: Promise<TurnEnd>; sender: Sender; opening?: Message } | undefined;
	/** Commands in the background live and end with this. */
	background = new AbortController();
	/** Those that have not ended, by call. */
	readonly ongoing = new Map<string, string>();
	readonly lease: Lease;
	private readonly listener: EventLogListener & SessionListener;

	constructor(sessionId: string, services: Services, listener: EventLogListener & SessionListener) {
		this.sessionId = sessionId;
		this.services = services;
		this.listener = listener;
		this.eventLog = new EventLog({ store: services.store, sessionId, listener, now: services.now });
		this.lease = new Lease({ services, journal: this.eventLog, sessionId, reloaded: () => this.restarted("elsewhere") });
	}

	get state(): Transcript {
		return this.eventLog.state;
	}

	get queued(): string[] {
		return this.waiting.map(({ text }) => text);
	}

	/** Messages that wait for the running turn's next step. */
	get waiting(): QueuedMessage[] {
		return this.mail.waiting.map(({ id, message, from }) => {
			return { id, text: message.text, pictures: message.images?.length ?? 0, state: "waiting", own: from.by === "person" };
		});
	}

	/** Gives a message back to the person who wrote it, unless a turn has taken it already. */
	takeBack(id: string): Message | undefined {
		const letter = this.mail.take(id);
		letter?.taken(Promise.resolve({ outcome: "cancelled", turn: "" }));
		this.listener.changed(this.sessionId);
		return letter?.message;
	}

	/** Of one that has sent it and cancels: a message that waits goes, the turn that it began stops, another's turn goes on. */
	async withdraw(message: Message): Promise<void> {
		if (this.running?.opening === message) return this.cancel();
		const letter = this.mail.waiting.find((candidate) => candidate.message === message);
		if (letter) this.takeBack(letter.id);
	}

	/** Who began the turn that runs. */
	get sender(): Sender | undefined {
		return this.running?.sender;
	}

	/** Whether messages wait that the running turn takes. */
	get hasJoining(): boolean {
		return this.mail.waiting.some(({ from }) => mayJoin(from));
	}

	get isRunning(): boolean {
		return this.running !== undefined;
	}

	/** Loads the transcript and closes what a host that died has left open. */
	async open(): Promise<this> {
		this.damaged = await reportReadProgress(this.listener, this.sessionId, (tell) => this.eventLog.load(tell));
		await this.lease.repairOpenEnds();
		this.lease.watch();
		return this;
	}

	/** Has all that came before, too: for whoever builds on the whole session. */
	whole(): Promise<void> {
		return reportReadProgress(this.listener, this.sessionId, (tell) => this.eventLog.whole(tell));
	}

	/**
	 * A message. During a turn one of the person (or of the API on their behalf) waits for that turn's next step, any other for a
	 * turn of its own. Throws SessionBlockedError for a message of a session to itself: it would wait for its own end.
	 */
	async send(said: string | Message, from: Author | Sender = "person"): Promise<TurnEnd> {
		const message = typeof said === "string" ? { text: said } : said;
		const sender = toSender(from);
		if (sender.session === this.sessionId) throw new SessionBlockedError(t("A session can't send a message to itself."));
		if (this.running) {
			const end = this.mail.put(message, sender, this.state.seq);
			this.listener.changed(this.sessionId);
			return end;
		}
		return this.speak(message, sender, this.state.seq);
	}

	executePlan(ref: Partial<PlanRef>, by: Author = "person"): Promise<TurnEnd> {
		return this.decisions.executePlan(ref, by);
	}

	answer(request: string, answer: Answer, by: Author, hash?: string): Promise<TurnEnd | undefined> {
		return this.decisions.answer(request, answer, by, hash);
	}

	/** See `changeRole`. */
	setRole(role: string, by: Author = "person", options: ChangeOptions = {}): Promise<void> {
		return changeRole(this, role, by, options);
	}

	/** See `changeAgent`. */
	setAgent(agent: string, by: Author = "person", options: ChangeOptions = {}): Promise<void> {
		return changeAgent(this, agent, by, options);
	}

	/** Chosen by the person in the editor's own list: nothing else may choose one. */
	async setApproval(mode: ApprovalMode | "default"): Promise<void> {
		if ((this.state.approval ?? "default") === mode) return;
		await this.lease.take();
		await this.eventLog.emit(createApprovalModeEvent(mode), "person");
		this.listener.changed(this.sessionId);
	}

	/** A line of the host's about something the person did beside the conversation. */
	async note(text: string, about: Pick<EventOf<"status">, "changes" | "reviewed" | "redo"> = {}): Promise<void> {
		await this.lease.take();
		await this.eventLog.emit({ type: "status", level: "info", text, ...about }, "person");
		this.files.undone(this.services.workspace, about.changes ?? []);
	}

	/** Sums up what was said so far for the model and moves it to an archive. Throws SessionBlockedError. */
	async compact(by: Author = "person"): Promise<TurnEnd> {
		this.refuseWhileRunning();
		return this.begin(by, (turn, signal) => compactSession(this, turn, signal));
	}

	/** The transcript begins anew, with a summary of what was, or with what another window has added. */
	restarted(by?: "elsewhere"): void {
		if (by) this.files.moved();
		this.prompts.restarted(this.state.turn !== undefined);
		this.listener.reloaded(this.sessionId);
	}

	/** Stops the turn, and the plan that runs; resolves when it has ended. Messages that waited for it are given back. */
	async cancel(): Promise<void> {
		if (!this.running && this.state.run) await this.eventLog.emit({ type: "ended", outcome: "cancelled" }, "host");
		await this.stop(STOPPED_BY_USER);
	}

	/** Another window asks for the session, and gets it while nothing runs here. */
	async giveWay(): Promise<void> {
		if (this.running || this.lease.isFresh || this.mail.waiting.length > 0) return;
		this.decisions.approved.end();
		const ended = [...this.ongoing.values()];
		this.endBackground();
		if (ended.length > 0) await this.eventLog.emit({ type: "status", level: "warning", text: formatHandoverNotice(ended) }, "host");
		await this.lease.release();
	}

	/** Lets go of the session. A turn that runs ends as interrupted: nobody has stopped it. */
	async close(): Promise<void> {
		this.lease.unwatch();
		await this.stop(WINDOW_CLOSED);
		this.endBackground();
		await Promise.all(this.services.sources.map((source) => source.release(this.sessionId)));
		await this.lease.release();
	}

	/** Messages typed meanwhile become part of the running turn. */
	async deliver(turn: string): Promise<void> {
		const delivered = this.mail.takeJoining();
		for (const entry of delivered) {
			await this.eventLog.emit({ type: "user", ...entry.message }, entry.from.by, turn);
			if (this.running) entry.taken(this.running.end);
		}
		if (delivered.length > 0) this.listener.changed(this.sessionId);
	}

	/** Ends commands that run in the background; those of later turns are not touched. */
	endBackground(): void {
		this.background.abort(STOPPED_BY_USER);
		this.printed.clear();
		this.background = new AbortController();
	}

	private async stop(why: DOMException): Promise<void> {
		const letters = this.mail.takeAll();
		const dropped = Promise.resolve<TurnEnd>({ outcome: "cancelled", turn: "" });
		for (const letter of letters) letter.taken(mayJoin(letter.from) ? (this.running?.end ?? dropped) : dropped);
		const own = letters.filter(({ from }) => from.by === "person").map((letter) => letter.message);
		if (own.length > 0) this.listener.returned(this.sessionId, mergeMessages(own));
		this.running?.abort.abort(why);
		await this.running?.end;
	}

	/** Words that came after a question answer it, where it takes words; those from before only supersede it. */
	private speak(message: Message, sender: Sender, knew: number): Promise<TurnEnd> {
		const end = this.begin(sender, async () => {
			const question = isForeignAuthor(sender.by) ? undefined : pendingQuestion(this.state);
			return { ...message, ...(question?.allow_custom && question.seq <= knew && { answers: question.request }) };
		});
		if (this.running) this.running.opening = message;
		return end;
	}

	/** Runs a turn from the message that `open` gives; where it gives none, the session waits for the person. */
	async begin(from: Author | Sender, open: (turn: string, signal: AbortSignal) => Promise<OpeningMessage | undefined>): Promise<TurnEnd> {
		const sender = toSender(from);
		const turn = randomUUID();
		const abort = new AbortController();
		// Every call to a model listens until the turn ends.
		setMaxListeners(0, abort.signal);
		let settle: (end: TurnEnd) => void = () => undefined;
		const end = new Promise<TurnEnd>((resolve) => {
			settle = resolve;
		});
		this.running = { turn, abort, end, sender };
		let outcome: Outcome = "failed";
		try {
			await this.lease.take();
			await this.whole();
			this.files.resume(this.services.workspace, this.state);
			const opening = await open(turn, abort.signal);
			outcome = opening ? await this.takeTurn(turn, opening, sender, abort.signal) : "waiting";
		} finally {
			this.running = undefined;
			settle({ outcome, turn });
			this.listener.changed(this.sessionId);
			this.startQueued();
		}
		return end;
	}

	private async takeTurn(turn: string, opening: OpeningMessage, sender: Sender, signal: AbortSignal): Promise<Outcome> {
		const { by } = sender;
		if (by === "person" || by === "api")
			this.services.registry.used(this.state.agent).catch((error: unknown) => this.services.log(String(error)));
		const news = await computePromptDiff(this);
		const line = opening.context ?? (by === "person" ? await createContextLine(this.services) : undefined);
		const context = [line, news?.text].filter(Boolean).join("\n");
		const said = { ...opening, ...(context !== "" && { context }), ...(news && { told: news.told }) };
		const { title } = this.state;
		const input = (await this.eventLog.emit({ type: "user", ...said }, by, turn)) as EventOf<"user">;
		if (this.state.title && this.state.title !== title) {
			const { store } = this.services;
			const known = (await store.list()).find(({ sessionId }) => sessionId === this.sessionId);
			await store.update(this.sessionId, { attributes: { ...known?.attributes, title: this.state.title } });
		}
		this.listener.changed(this.sessionId);
		return runTurn(this, { turn, input, sender, signal });
	}

	private startQueued(): void {
		const next = this.mail.next();
		if (next) next.taken(this.speak(next.message, next.from, next.knew));
	}

	refuseWhileRunning(): void {
		if (this.running) throw new SessionBlockedError(t("A turn is running. Stop the turn or wait until it ends, then try again."));
	}
}

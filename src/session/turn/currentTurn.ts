// Begins a turn of a session, runs it, and says when it has ended.
import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Author, EventOf, Outcome } from "../../core/events.ts";
import { withChannel } from "../agent/channelOf.ts";
import { createContextLine } from "../prompt/editorContext.ts";
import { createMessageNotes } from "../prompt/promptDiff.ts";
import type { OpeningMessage, SessionContext, TurnEnd, TurnSlot } from "../sessionContext.ts";
import { type Sender, toSender } from "../state/message.ts";
import { saveTitle } from "../transcript/sessionTitle.ts";
import { runTurn } from "./turn.ts";

interface RunningTurn {
	readonly turn: string;
	readonly abort: AbortController;
	readonly end: Promise<TurnEnd>;
	sender: Sender;
}

export class CurrentTurn {
	/** The turn that runs or is about to. */
	current: RunningTurn | undefined;
	private readonly session: SessionContext;
	private readonly onEnd: () => void;

	constructor(session: SessionContext, onEnd: () => void) {
		this.session = session;
		this.onEnd = onEnd;
	}

	/** See `SessionContext.begin`. */
	async begin(from: Author | Sender, turn: string = randomUUID()): Promise<TurnSlot> {
		const { session } = this;
		const sender = toSender(from);
		const abort = new AbortController();
		// Every request to a model adds a listener until the turn ends.
		setMaxListeners(0, abort.signal);
		let settle: (end: TurnEnd) => void = () => undefined;
		const end = new Promise<TurnEnd>((resolve) => {
			settle = resolve;
		});
		const running: RunningTurn = { turn, abort, end, sender };
		this.current = running;
		const leave = (outcome: Outcome): TurnEnd => {
			const ended = { outcome, turn };
			if (this.current === running) this.leave(turn, () => settle(ended));
			return ended;
		};
		try {
			await session.lease.take();
			await session.whole();
			session.files.resume(session.workspace, session.state);
		} catch (error) {
			leave("failed");
			throw error;
		}
		const run = async (opening: OpeningMessage | undefined): Promise<TurnEnd> => {
			if (!opening) return leave("waiting");
			running.sender = opening.caller ? toSender({ ...sender, caller: opening.caller }) : sender;
			if (running.sender.caller) session.policy.limits.enter(turn);
			let outcome: Outcome = "failed";
			try {
				outcome = await openTurn(session, { turn, opening, sender: running.sender, signal: abort.signal });
			} finally {
				leave(outcome);
			}
			return end;
		};
		return { turn, signal: abort.signal, run, [Symbol.asyncDispose]: async () => void leave("failed") };
	}

	private leave(turn: string, settle: () => void): void {
		const { prompts, policy } = this.session;
		this.current = undefined;
		prompts.offer = undefined;
		policy.limits.leave(turn);
		settle();
		this.onEnd();
	}
}

interface OpeningTurn {
	turn: string;
	opening: OpeningMessage;
	sender: Sender;
	signal: AbortSignal;
}

/** Records the message, with what it tells the model beside its text, and runs its turn. */
async function openTurn(session: SessionContext, { turn, opening, sender, signal }: OpeningTurn): Promise<Outcome> {
	const { services, state, eventLog } = session;
	const { by } = sender;
	if (by === "person" || by === "api") services.registry.used(state.agent).catch((error: unknown) => services.log(String(error)));
	const notes = await createMessageNotes(session);
	const line = opening.context ?? (by === "person" ? await createContextLine(services) : undefined);
	const context = [line, notes.text].filter(Boolean).join("\n");
	const content = { ...withChannel(session, opening, sender), ...(context !== "" && { context }), ...(notes.told && { told: notes.told }) };
	const { title } = state;
	const input = (await eventLog.emit({ type: "user", ...content }, by, turn)) as EventOf<"user">;
	const { title: named } = session.state;
	if (named && named !== title) await saveTitle(services, session.sessionId, named);
	session.changed();
	return runTurn(session, { turn, input, sender, signal });
}

// Judges answers, and holds a turn's pending approvals: each is answered once, for exactly what was shown, or expires.

import { mayDecide } from "../../core/author.ts";
import type { AgentSwitchOffer, Answer, ApprovalScope, Author, EventOf } from "../../core/events.ts";
import type { PathFacts } from "../../core/ports/tool.ts";
import type { TerminalRun } from "../../core/ports/workspace/commands.ts";
import type { RequestState } from "../../core/transcript/state.ts";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import { reasonOf } from "../../shared/reasonOf.ts";

/** Milliseconds. An earlier answer was meant for whatever the user was doing before the request appeared. */
export const MIN_ANSWER_DELAY = 500;

export type ApprovalAnswer = Extract<Answer, { allow: boolean }>;

/** `ran`: the user already ran the command, so it must not run again. */
export type ApprovalResponse = ApprovalAnswer & { ran?: TerminalRun };

/** A command line that the user can run in their own terminal. */
export interface TypeableLine {
	text: string;
	cwd: PathFacts;
}

interface Waiting {
	hash: string;
	/** Expired: nothing waits for an answer anymore. */
	over: boolean;
	line: TypeableLine | undefined;
	/** Aborted when the request is answered or expires. */
	ended: AbortController;
	/** The line was typed into a terminal. */
	typed?: true;
	ran?: TerminalRun;
	settle(answer: ApprovalAnswer | undefined): void;
}

export class AnswerRefusedError extends UserError {
	override readonly name = "AnswerRefusedError";
	/** `forged`: it did not come from the buttons of the page. `author`: its author is not a user. */
	readonly code: "expired" | "early" | "changed" | "malformed" | "forged" | "author";

	constructor(code: AnswerRefusedError["code"], message: string) {
		super(message);
		this.code = code;
	}
}

/** Nothing waits for this answer (anymore). */
export function createExpiredError(): AnswerRefusedError {
	return new AnswerRefusedError("expired", t("This request has expired or was already answered."));
}

export interface GivenAnswer {
	answer: Answer;
	by: Author;
	/** Hash of what its author was shown. Only the API may leave it out. */
	hash?: string | undefined;
	/** Time of its arrival, in milliseconds: the time at which the session could take it doesn't count. */
	at: number;
}

export type AnswerEffect =
	| { kind: "plan" }
	/** `hash`: the request's own. */
	| { kind: "approval"; hash: string; answer: ApprovalAnswer }
	| { kind: "dismissal" }
	/** `say`: the answer as a message. */
	| { kind: "choice"; event: EventOf<"question">; value: string; say: string };

/** `pending` is what the answer names: the current plan, or a request of the transcript. Throws AnswerRefusedError if it does not apply. */
export function judgeAnswer(pending: RequestState | "plan" | undefined, { answer, by, hash, at }: GivenAnswer): AnswerEffect {
	requireDecider(by);
	if (pending === "plan") {
		if ("allow" in answer && answer.allow) return { kind: "plan" };
		throw createMalformedError(t("Execute the plan with allow: true. To change the plan, send a message."));
	}
	if (pending?.state !== "pending") throw createExpiredError();
	const { event } = pending;
	refuseEarly(event, at);
	if (event.type === "question") return judgeChoice(event, answer);
	if (!("allow" in answer)) throw createMalformedError(t("Answer an approval request by allowing or denying it."));
	if (by === "person" && hash === undefined)
		throw createMalformedError(t("The answer must include the hash of the request that it approves."));
	if (hash !== undefined && hash !== event.hash)
		throw new AnswerRefusedError("changed", t("This answer doesn't match the pending request."));
	return { kind: "approval", hash: event.hash, answer: limitToOffer(event, answer) };
}

/** The offer that the user takes, at this time in milliseconds. Throws AnswerRefusedError if it is not pending or has only just appeared. */
export function judgeSwitchOffer(pending: RequestState | undefined, at: number): AgentSwitchOffer {
	const event = pending?.state === "pending" ? pending.event : undefined;
	if (event?.type !== "question" || event.about?.kind !== "switchAgent") throw createExpiredError();
	refuseEarly(event, at);
	return event.about;
}

function refuseEarly(event: RequestState["event"], at: number): void {
	if (at - Date.parse(event.at) < MIN_ANSWER_DELAY)
		throw new AnswerRefusedError("early", t("This answer came too quickly after the request appeared. Answer again."));
}

/** Throws AnswerRefusedError if the author may not decide. */
export function requireDecider(by: Author): void {
	if (!mayDecide(by)) throw new AnswerRefusedError("author", t("Only a person can answer this request."));
}

function judgeChoice(event: EventOf<"question">, answer: Answer): AnswerEffect {
	if (!("value" in answer)) {
		if (!answer.allow) return { kind: "dismissal" };
		throw createMalformedError(t("Answer with one of the question's options, or dismiss the question with allow: false."));
	}
	const { options, allow_custom: custom } = event.question;
	const option = options?.find(({ value }) => value === answer.value);
	if (!option && !custom) throw createMalformedError(t("Answer with one of the question's options."));
	return { kind: "choice", event, value: answer.value, say: option?.label ?? answer.value };
}

function createMalformedError(message: string): AnswerRefusedError {
	return new AnswerRefusedError("malformed", message);
}

type ApprovalOffer = Pick<EventOf<"asked">, "session" | "always">;

/** The answer, limited to what was offered. `always` is added for readers of the older transcript format. */
function limitToOffer(offer: ApprovalOffer, answer: ApprovalAnswer): ApprovalAnswer {
	const { scope: _, always: __, ...rest } = answer;
	const scope = answer.allow ? getApprovalScope(answer) : "once";
	if (scope === "once" || !offer[scope]?.length) return rest;
	return { ...rest, scope, ...(scope === "always" && { always: true }) };
}

/** Older answers have `always` only; an unknown scope means once. */
export function getApprovalScope({ scope, always }: ApprovalAnswer): ApprovalScope {
	if (scope === undefined) return always === true ? "always" : "once";
	return scope === "session" || scope === "always" ? scope : "once";
}

export class Approvals {
	private readonly waiting = new Map<string, Waiting>();

	/** Resolves with the answer, or with undefined if the signal aborts first. */
	wait(
		request: string,
		{ hash, line }: { hash: string; line?: TypeableLine | undefined },
		signal: AbortSignal,
	): Promise<ApprovalResponse | undefined> {
		return new Promise((resolve) => {
			const settle = (answer: ApprovalAnswer | undefined): void => {
				entry.over = true;
				this.waiting.delete(request);
				signal.removeEventListener("abort", expire);
				entry.ended.abort();
				const stopped = entry.typed && line ? notRun(line.text) : undefined;
				resolve(answer?.allow && entry.ran ? { ...answer, ran: entry.ran } : (answer ?? stopped));
			};
			const expire = (): void => settle(undefined);
			const entry: Waiting = { hash, over: false, line, ended: new AbortController(), settle };
			this.waiting.set(request, entry);
			signal.addEventListener("abort", expire);
			if (signal.aborted) expire();
		});
	}

	/** Marks the line as typed into a terminal; undefined if the request has no such line. */
	typed(request: string, hash: string): { line: TypeableLine; over: AbortSignal } | undefined {
		const entry = this.find(request, hash);
		if (!entry?.line) return undefined;
		entry.typed = true;
		return { line: entry.line, over: entry.ended.signal };
	}

	/** Records that the user runs the command; the answer that follows refers to this run. */
	ran(request: string, run: TerminalRun): void {
		const entry = this.waiting.get(request);
		if (entry) entry.ran = run;
	}

	/**
	 * Settles the request with an answer that was judged. Throws AnswerRefusedError if nothing waits for it, as while another answer
	 * is being recorded. `record` saves the answer before the turn continues. If that fails, the answer has no effect, the request
	 * stays pending, and the error tells the user.
	 */
	async answer(request: string, hash: string, answer: ApprovalAnswer, record: () => Promise<unknown>): Promise<void> {
		const waiting = this.find(request, hash);
		if (!waiting) throw createExpiredError();
		this.waiting.delete(request);
		try {
			await record();
		} catch (error) {
			if (!waiting.over) this.waiting.set(request, waiting);
			const text = t("Your answer couldn't be saved, so nothing ran. The request is still pending. {0}", reasonOf(error, undefined));
			throw new UserError(text, { cause: error });
		}
		waiting.settle(answer);
	}

	/** The hash is part of the key: a transcript that was read again from disk can't stand for another call. */
	private find(request: string, hash: string): Waiting | undefined {
		const waiting = this.waiting.get(request);
		return waiting?.hash === hash ? waiting : undefined;
	}
}

/** The turn was stopped while the command line was waiting in the terminal. */
function notRun(line: string): ApprovalAnswer {
	return { allow: false, reason: `Stopped. The line was typed into my terminal and not run: ${line}` };
}

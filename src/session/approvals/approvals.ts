// Pending approvals of a turn: each is answered once, for exactly what was shown, or expires.

import type { Answer } from "../../core/events.ts";
import type { PathFacts } from "../../core/ports/tool.ts";
import type { TerminalRun } from "../../core/ports/workspace.ts";
import { t } from "../../shared/l10n.ts";

/** The turn was stopped while the command line was waiting in the terminal. */
function notRun(line: string): ApprovalAnswer {
	return { allow: false, reason: `Stopped. The line was typed into my terminal and not run: ${line}` };
}

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
	askedAt: number;
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

export class AnswerRefusedError extends Error {
	override readonly name = "AnswerRefusedError";
	/** `forged`: it did not come from the buttons of the page. `author`: its author is not a user. */
	readonly code: "expired" | "early" | "changed" | "malformed" | "forged" | "author";

	constructor(code: AnswerRefusedError["code"], message: string) {
		super(message);
		this.code = code;
	}
}

export class Approvals {
	private readonly waiting = new Map<string, Waiting>();

	/** Resolves with the answer, or with undefined if the signal aborts first. */
	wait(
		request: string,
		{ hash, line }: { hash: string; line?: TypeableLine | undefined },
		askedAt: number,
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
			const entry: Waiting = { hash, askedAt, over: false, line, ended: new AbortController(), settle };
			this.waiting.set(request, entry);
			signal.addEventListener("abort", expire);
			if (signal.aborted) expire();
		});
	}

	/** Marks the line as typed into a terminal; undefined if the request has no such line. */
	typed(request: string, hash: string): { line: TypeableLine; over: AbortSignal } | undefined {
		const entry = this.waiting.get(request);
		if (!entry?.line || entry.hash !== hash) return undefined;
		entry.typed = true;
		return { line: entry.line, over: entry.ended.signal };
	}

	/** Records that the user runs the command; the answer that follows refers to this run. */
	ran(request: string, run: TerminalRun): void {
		const entry = this.waiting.get(request);
		if (entry) entry.ran = run;
	}

	/**
	 * Throws AnswerRefusedError if the answer does not apply. `record` saves the answer before the turn continues. If that fails,
	 * the answer has no effect, the request stays pending, and the error tells the user.
	 */
	async answer(
		request: string,
		hash: string | undefined,
		answer: ApprovalAnswer,
		now: number,
		record: () => Promise<unknown>,
	): Promise<void> {
		const waiting = this.waiting.get(request);
		if (!waiting) throw new AnswerRefusedError("expired", t("This request has expired or was already answered."));
		if (hash !== undefined && hash !== waiting.hash)
			throw new AnswerRefusedError("changed", t("This answer doesn't match the pending request."));
		if (now - waiting.askedAt < MIN_ANSWER_DELAY)
			throw new AnswerRefusedError("early", t("This answer came too quickly after the request appeared. Answer again."));
		this.waiting.delete(request);
		try {
			await record();
		} catch (error) {
			if (!waiting.over) this.waiting.set(request, waiting);
			const why = error instanceof Error ? error.message : String(error);
			throw new Error(t("Your answer couldn't be saved, so nothing ran. The request is still pending. {0}", why));
		}
		waiting.settle(answer);
	}
}

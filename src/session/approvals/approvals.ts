// Approvals that a turn waits for: each is answered once, for exactly what was shown, or expires.

import type { Answer } from "../../core/events.ts";
import type { PathFacts } from "../../core/ports/tool.ts";
import type { TerminalRun } from "../../core/ports/workspace.ts";
import { t } from "../../shared/l10n.ts";

/** The turn was stopped while the line stood in the terminal. */
function notRun(line: string): ApprovalAnswer {
	return { allow: false, reason: `Stopped. The line was typed into my terminal and not run: ${line}` };
}

/** Answers sooner than this after the question appeared were meant for something else. */
export const MIN_ANSWER_DELAY = 500;

export type ApprovalAnswer = Extract<Answer, { allow: boolean }>;

/** `ran`: the person has run it themselves, and it is not to run again. */
export type ApprovalResponse = ApprovalAnswer & { ran?: TerminalRun };

/** A line that the person may run in their own terminal. */
export interface TypeableLine {
	text: string;
	cwd: PathFacts;
}

interface Waiting {
	hash: string;
	askedAt: number;
	/** It has expired: nobody waits any more. */
	over: boolean;
	line: TypeableLine | undefined;
	/** Aborted when it is answered or has expired. */
	ended: AbortController;
	/** The line stands in a terminal. */
	typed?: true;
	ran?: TerminalRun;
	settle(answer: ApprovalAnswer | undefined): void;
}

export class AnswerRefusedError extends Error {
	override readonly name = "AnswerRefusedError";
	/** `forged`: it did not come from the buttons of the page. `author`: not a person. */
	readonly code: "expired" | "early" | "changed" | "malformed" | "forged" | "author";

	constructor(code: AnswerRefusedError["code"], message: string) {
		super(message);
		this.code = code;
	}
}

export class Approvals {
	private readonly waiting = new Map<string, Waiting>();

	/** Resolves with the answer, or with undefined when the signal aborts first. */
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

	/** The line that stands in a terminal from now on; undefined where none may. */
	typed(request: string, hash: string): { line: TypeableLine; over: AbortSignal } | undefined {
		const entry = this.waiting.get(request);
		if (!entry?.line || entry.hash !== hash) return undefined;
		entry.typed = true;
		return { line: entry.line, over: entry.ended.signal };
	}

	/** The person runs it: the answer that follows stands for that. */
	ran(request: string, run: TerminalRun): void {
		const entry = this.waiting.get(request);
		if (entry) entry.ran = run;
	}

	/**
	 * Throws AnswerRefusedError where it does not apply; `record` puts the answer on disk before anything goes on. Where it cannot,
	 * the answer counts for nothing, the request waits on, and the error says so to the person.
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

// Approvals that a turn waits for: each is answered once, for exactly what was shown, or expires.
import type { Answer } from "../core/events.ts";
import { t } from "../l10n.ts";

/** Answers sooner than this after the question appeared were meant for something else. */
export const TOO_EARLY = 500;

export type ApprovalAnswer = Extract<Answer, { allow: boolean }>;

interface Waiting {
	hash: string;
	askedAt: number;
	/** It has expired: nobody waits any more. */
	over: boolean;
	settle(answer: ApprovalAnswer | undefined): void;
}

export class AnswerRefused extends Error {
	override readonly name = "AnswerRefused";
}

export class Approvals {
	private readonly waiting = new Map<string, Waiting>();

	/** Resolves with the answer, or with undefined when the signal aborts first. */
	wait(request: string, hash: string, askedAt: number, signal: AbortSignal): Promise<ApprovalAnswer | undefined> {
		return new Promise((resolve) => {
			const settle = (answer: ApprovalAnswer | undefined): void => {
				entry.over = true;
				this.waiting.delete(request);
				signal.removeEventListener("abort", expire);
				resolve(answer);
			};
			const expire = (): void => settle(undefined);
			const entry: Waiting = { hash, askedAt, over: false, settle };
			this.waiting.set(request, entry);
			signal.addEventListener("abort", expire);
			if (signal.aborted) expire();
		});
	}

	/**
	 * Throws AnswerRefused where it does not apply; `record` puts the answer on disk before anything goes on. Where it cannot,
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
		if (!waiting) throw new AnswerRefused(t("This request has expired or was answered already."));
		if (hash !== undefined && hash !== waiting.hash)
			throw new AnswerRefused(t("This answer is for another content than the one that waits."));
		if (now - waiting.askedAt < TOO_EARLY) throw new AnswerRefused(t("This answer came too early: the request had only just appeared."));
		this.waiting.delete(request);
		try {
			await record();
		} catch (error) {
			if (!waiting.over) this.waiting.set(request, waiting);
			const why = error instanceof Error ? error.message : String(error);
			throw new Error(t("Your answer was not saved, so it does not count and nothing ran. {0} The request still waits.", why));
		}
		waiting.settle(answer);
	}
}

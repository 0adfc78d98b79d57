// Dialogs whose confirmation permits something, protected against accidental answers.

// The focused button does nothing, and an answer that comes too early was meant for something else, so the user is
// asked again.
import { MIN_ANSWER_DELAY } from "../session/approvals/approvals.ts";
import { t } from "../shared/l10n.ts";
import { type DetailLine, showConfirmation } from "./dialogs.ts";
import { windowFocusedFor } from "./windowFocus.ts";

export interface Clock {
	now(): number;
	/** For how long the window has been in front, in milliseconds. */
	windowFocusedFor(): Promise<number>;
}

export const windowClock: Clock = { now: Date.now, windowFocusedFor: windowFocusedFor };

/** Whether an answer that is given now can be one to what was `shown` then: it and the window stood there long enough. */
export async function isDeliberate(shown: number, { now, windowFocusedFor: focused }: Clock): Promise<boolean> {
	return Math.min(now() - shown, await focused()) >= MIN_ANSWER_DELAY;
}

/** The one of `answers` that the person gave, undefined where they would rather not. */
export async function askForConsent(
	question: string,
	lines: readonly DetailLine[],
	answers: readonly string[],
	clock: Clock = windowClock,
): Promise<string | undefined> {
	for (let again: string[] = []; ; again = [t("Please confirm again – the previous click came too quickly."), ""]) {
		const shown = clock.now();
		const answer = await showConfirmation(question, [...again, ...lines], ...answers);
		if (answer === undefined) return undefined;
		if (await isDeliberate(shown, clock)) return answer;
	}
}

// Confirmation dialogs that permit something, protected against accidental answers.

// The focused button does nothing. An answer given too early was meant for something else, so the user is asked again.
import { MIN_ANSWER_DELAY } from "../session/state/pendingApprovals.ts";
import { t } from "../shared/l10n.ts";
import { type DetailLine, showConfirmation } from "./dialogs.ts";
import { windowFocusedFor } from "./windowFocus.ts";

export interface Clock {
	now(): number;
	/** Milliseconds since the window got the focus. */
	windowFocusedFor(): Promise<number>;
}

export const windowClock: Clock = { now: Date.now, windowFocusedFor: windowFocusedFor };

/** Resolves to true if the dialog and the window were in front long enough for a deliberate answer. */
export async function isDeliberate(shown: number, { now, windowFocusedFor: focused }: Clock): Promise<boolean> {
	return Math.min(now() - shown, await focused()) >= MIN_ANSWER_DELAY;
}

/** Returns the chosen one of `answers`, or undefined if dismissed. */
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

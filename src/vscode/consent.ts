// A dialogue whose yes lets something happen: the button that has the focus does nothing, and an answer that comes too early was
// meant for something else, so the person is asked again.
import { TOO_EARLY } from "../session/approvals/approvals.ts";
import { t } from "../shared/l10n.ts";
import { askCarefully, type DetailLine } from "./dialogs.ts";
import { windowFocus } from "./windowFocus.ts";

export interface Clock {
	now(): number;
	/** For how long the window has been in front, in milliseconds. */
	focused(): Promise<number>;
}

export const ofWindow: Clock = { now: Date.now, focused: windowFocus };

/** Whether an answer that is given now can be one to what was `shown` then: it and the window stood there long enough. */
export async function wasMeant(shown: number, { now, focused }: Clock): Promise<boolean> {
	return Math.min(now() - shown, await focused()) >= TOO_EARLY;
}

/** The one of `answers` that the person gave, undefined where they would rather not. */
export async function consent(
	question: string,
	lines: readonly DetailLine[],
	answers: readonly string[],
	clock: Clock = ofWindow,
): Promise<string | undefined> {
	for (let again: string[] = []; ; again = [t("Please confirm again – the previous click came too quickly."), ""]) {
		const shown = clock.now();
		const answer = await askCarefully(question, [...again, ...lines], ...answers);
		if (answer === undefined) return undefined;
		if (await wasMeant(shown, clock)) return answer;
	}
}

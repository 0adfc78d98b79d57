// A dialogue whose yes lets something happen: the button that has the focus does nothing, and an answer that comes too early was
// meant for something else, so the person is asked again.
import * as vscode from "vscode";
import { TOO_EARLY } from "../app/approvals.ts";
import { t } from "../l10n.ts";
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

/** The one of `answers` that the person gave, undefined where they would rather not. `detail` hides nothing already. */
export async function consent(
	question: string,
	detail: string,
	answers: readonly string[],
	clock: Clock = ofWindow,
): Promise<string | undefined> {
	const later = t("Not Now");
	for (let again = ""; ; again = `${t("Asked again: that answer came so soon that it may have been meant for something else.")}\n\n`) {
		const shown = clock.now();
		const answer = await vscode.window.showWarningMessage(question, { modal: true, detail: again + detail }, later, ...answers);
		if (answer === undefined || answer === later) return undefined;
		if (await wasMeant(shown, clock)) return answer;
	}
}

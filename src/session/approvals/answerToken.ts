// One-time token of a page: proves that an answer came from its own buttons, in a focused window.

// It judges the click, which only the page knows, not the answer. It is here because this room is the nearest that both pages import.
import { randomUUID } from "node:crypto";
import { t } from "../../shared/l10n.ts";
import { AnswerRefusedError, MIN_ANSWER_DELAY } from "../state/pendingApprovals.ts";

export interface AnswerToken {
	/** The token in force. */
	readonly current: string;
	/** Each token is valid once; a wrong one is replaced too. Throws AnswerRefusedError. */
	use(given: string): Promise<void>;
}

interface Page {
	post(update: { type: "token"; token: string }): void;
	/** Milliseconds since the window gained the focus: the click that focused it does not count as an answer. */
	focusedFor(): Promise<number>;
	/** Tells that the answer did not come from the page's buttons. */
	forged: string;
}

export function createAnswerToken(page: Page): AnswerToken {
	let current = randomUUID();
	return {
		get current() {
			return current;
		},
		async use(given) {
			const valid = given === current;
			current = randomUUID();
			page.post({ type: "token", token: current });
			if ((await page.focusedFor()) < MIN_ANSWER_DELAY)
				throw new AnswerRefusedError("early", t("The answer came too early: the window was just focused."));
			if (!valid) throw new AnswerRefusedError("forged", page.forged);
		},
	};
}

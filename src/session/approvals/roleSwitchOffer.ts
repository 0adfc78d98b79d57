// The offer to switch to the role that acts, in the host's own words: what a button of ours says must be what it does.
import { randomUUID } from "node:crypto";
import type { EventBody } from "../../core/events.ts";
import type { Role } from "../../core/role.ts";
import { withQuestionVersion } from "../../core/structured.ts";
import { t } from "../../shared/l10n.ts";

export const SWITCH_ANSWER = "switch";
const PREFIX = "switch_";

export function createSwitchOffer(from: Role, to: Role, reason: string): Extract<EventBody, { type: "question" }> {
	return {
		type: "question",
		request: `${PREFIX}${randomUUID()}`,
		question: withQuestionVersion({
			question: t("Switch to {0}?", to.label),
			context: reason,
			severity: "minor",
			options: [
				{
					label: t("Switch to {0}", to.label),
					value: SWITCH_ANSWER,
					description: t("It may change files; commands and what your rules name still ask"),
				},
				{ label: t("Stay {0}", from.label), value: "stay", description: t("Nothing is changed") },
			],
			default: "stay",
			allow_custom: false,
		}),
	};
}

export function isSwitchOffer(request: string): boolean {
	return request.startsWith(PREFIX);
}

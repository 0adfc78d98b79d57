// The offer to switch to the role that acts, in the host's own words: what a button of ours says must be what it does.
import { randomUUID } from "node:crypto";
import type { EventBody } from "../core/events.ts";
import type { Role } from "../core/permissions.ts";

export const SWITCH = "switch";
const PREFIX = "switch_";

export function switchOffer(from: Role, to: Role, reason: string): Extract<EventBody, { type: "question" }> {
	return {
		type: "question",
		request: `${PREFIX}${randomUUID()}`,
		question: {
			question: `Switch to ${to.label}?`,
			context: reason,
			severity: "minor",
			options: [
				{ label: `Switch to ${to.label}`, value: SWITCH, description: "It may change files; commands and what your rules name still ask" },
				{ label: `Stay ${from.label}`, value: "stay", description: "Nothing is changed" },
			],
			default: "stay",
			allow_custom: false,
		},
	};
}

export function isSwitchOffer(request: string): boolean {
	return request.startsWith(PREFIX);
}

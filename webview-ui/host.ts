// Messaging with the host. The one-time token is private to this module, so nothing rendered can read it.
import { signal } from "@preact/signals";
import type { Answer } from "../src/core/events.ts";
import type { Intent, IntentCommand, Update } from "../src/shared/protocol/chat.ts";
import type { NumberedIntent } from "../src/shared/protocol/numbered.ts";
import { hostTakenEarly } from "./composer/earlyInput.ts";
import { numberIntent } from "./settled.ts";
import { sessionId } from "./state.ts";

interface Host {
	postMessage(message: NumberedIntent<Intent>): void;
	getState(): unknown;
	setState(state: unknown): void;
}

declare function acquireVsCodeApi(): Host;

const host = (hostTakenEarly() as Host | undefined) ?? acquireVsCodeApi();
let token = "";

export function postIntent(intent: Intent): void {
	host.postMessage(numberIntent(intent));
}

/** Number of messages the user sent from this page; a change scrolls to the end. */
export const sentMessageCount = signal(0);
const SENDING: ReadonlySet<string> = new Set<OfSession["type"]>(["send", "resend", "retry", "continue"]);

/** Sends an intent for the shown session. */
export function postSessionIntent<T extends OfSession["type"]>(
	type: T,
	rest: Omit<Extract<OfSession, { type: T }>, "type" | "session" | "token">,
): void {
	const session = sessionId.value;
	if (session === undefined) return;
	postIntent({ type, session, ...rest } as unknown as Intent);
	if (SENDING.has(type)) sentMessageCount.value += 1;
}

type OfSession = Exclude<Extract<Intent, { session: string }>, { token: string }>;

export function postCommand(name: IntentCommand): void {
	postIntent({ type: "command", command: name });
}

/** Answers an approval or question. Requires a trusted event. */
export function postAnswer(
	cause: Event,
	{ session = sessionId.value, request, hash }: { session?: string | undefined; request: string; hash?: string },
	given: Answer,
): void {
	if (!cause.isTrusted || session === undefined || !token) return;
	postIntent({ type: "answer", session, request, ...(hash === undefined ? {} : { hash }), answer: given, token });
}

export function postDismiss(request: string, session: string | undefined = sessionId.value): void {
	if (session !== undefined) postIntent({ type: "dismiss", session, request });
}

/** Takes an offered switch to another agent. */
export function postAgentSwitch(cause: Event, request: string, message: string): void {
	const session = sessionId.value;
	if (!cause.isTrusted || session === undefined || !token) return;
	postIntent({ type: "switchAgent", session, request, message, token });
}

/** Takes what a background task has changed in its copy. */
export function postTake(cause: Event, taken: Omit<Extract<Intent, { type: "takeTaskChanges" }>, "type" | "session" | "token">): void {
	const session = sessionId.value;
	if (!cause.isTrusted || session === undefined || !token) return;
	postIntent({ type: "takeTaskChanges", session, ...taken, token });
}

/** Continues a background task in a wider role. */
export function postContinueAs(cause: Event, task: string, role: string): void {
	const session = sessionId.value;
	if (!cause.isTrusted || session === undefined || !token) return;
	postIntent({ type: "continueTaskAs", session, task, role, token });
}

/** Types a pending command into the user's terminal. */
export function postRunInTerminal(
	cause: Event,
	{ session = sessionId.value, request, hash }: { session?: string | undefined; request: string; hash: string },
): void {
	if (!cause.isTrusted || session === undefined || !token) return;
	postIntent({ type: "runInTerminal", session, request, hash, token });
}

export function postExecutePlan(cause: Event, plan: { planId: string; version: number; hash: string }): void {
	const session = sessionId.value;
	if (!cause.isTrusted || session === undefined || !token) return;
	const { planId, version, hash } = plan;
	postIntent({ type: "execute", session, planId, version, hash, token });
}

/** Removes the token from an update before other code sees it. */
export function storeToken(update: Update): void {
	if (update.type === "snapshot" || update.type === "token") token = update.token;
}

export function readPersistedState(): unknown {
	return host.getState();
}

export function writePersistedState(state: unknown): void {
	host.setState(state);
}

// Messaging between "Manage Agents" and the host, and its persisted state.

// The one-time token is private to this module, so nothing rendered can read it.
import type { AgentsIntent, AgentsUpdate, StoredDrafts } from "../../src/shared/protocol/agents.ts";
import type { NumberedIntent } from "../../src/shared/protocol/numbered.ts";
import { numberIntent } from "../settled.ts";

interface Host {
	postMessage(message: NumberedIntent<AgentsIntent>): void;
	getState(): unknown;
	setState(state: unknown): void;
}

declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();
let token = "";

export function postIntent(intent: AgentsIntent): void {
	host.postMessage(numberIntent(intent));
}

/** Approves a workspace definition. Requires a trusted event, and each token is used once. */
export function postApproval(cause: Event, key: string, hash: string): void {
	if (!cause.isTrusted || token === "") return;
	postIntent({ type: "approve", key, hash, token });
	token = "";
}

/** Removes the token from an update before other code sees it. */
export function storeToken(update: AgentsUpdate): void {
	if (update.type === "snapshot" || update.type === "token") token = update.token;
}

/** State that survives a reload of the page. */
export interface PersistedState {
	drafts: StoredDrafts;
	chosen?: string | undefined;
}

export function readPersistedState(): PersistedState | undefined {
	return host.getState() as PersistedState | undefined;
}

export function writePersistedState(state: PersistedState): void {
	host.setState(state);
}

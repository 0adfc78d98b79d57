// Messaging between "Manage Agents" and the host, and its persisted state.

// The one-time token lives in this module alone, so nothing rendered can read it.
import type { AgentsIntent, AgentsUpdate, StoredDrafts } from "../../src/shared/protocol/agents.ts";

interface Host {
	postMessage(message: AgentsIntent): void;
	getState(): unknown;
	setState(state: unknown): void;
}

declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();
let token = "";

export function postIntent(intent: AgentsIntent): void {
	host.postMessage(intent);
}

/** Lets a definition of the workspace count. Only what a person did on the page itself does, and a token goes out once. */
export function postApproval(cause: Event, key: string, hash: string): void {
	if (!cause.isTrusted || token === "") return;
	postIntent({ type: "approve", key, hash, token });
	token = "";
}

/** Takes the token out of an update before anything else sees it. */
export function storeToken(update: AgentsUpdate): void {
	if (update.type === "snapshot" || update.type === "token") token = update.token;
}

/** What outlives a reload of the page. */
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

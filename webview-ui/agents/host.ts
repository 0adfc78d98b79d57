// The way of this page to the host. The one-time token lives in this closure alone: nothing rendered can read it.
import type { AgentsIntent, AgentsUpdate, KeptDrafts } from "../../src/shared/protocol/agents.ts";

interface Host {
	postMessage(message: AgentsIntent): void;
	getState(): unknown;
	setState(state: unknown): void;
}

declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();
let token = "";

export function post(intent: AgentsIntent): void {
	host.postMessage(intent);
}

/** Lets a definition of the workspace count. Only what a person did on the page itself does, and a token goes out once. */
export function approve(cause: Event, key: string, hash: string): void {
	if (!cause.isTrusted || token === "") return;
	post({ type: "approve", key, hash, token });
	token = "";
}

/** Takes the token out of an update before anything else sees it. */
export function keepToken(update: AgentsUpdate): void {
	if (update.type === "snapshot" || update.type === "token") token = update.token;
}

/** What outlives a reload of the page. */
export interface Kept {
	drafts: KeptDrafts;
	chosen?: string | undefined;
}

export function readKept(): Kept | undefined {
	return host.getState() as Kept | undefined;
}

export function keep(state: Kept): void {
	host.setState(state);
}

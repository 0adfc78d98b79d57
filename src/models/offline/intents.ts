// Types for what users can request from the offline model.

/** Files affected by a change. */
export interface IntentScope {
	/** A folder, file or glob; the whole workspace when absent. */
	in?: string;
	/** Kinds of files, and paths, to leave unchanged. */
	except?: string[];
}

export type OfflineIntent =
	| { do: "rename"; from: string; to: string; scope: IntentScope; everywhere: boolean; force: boolean; noTests: boolean }
	| { do: "replace"; from: string; to: string; scope: IntentScope; noTests: boolean }
	| { do: "move"; from: string; to: string }
	| { do: "create"; path: string; content: string }
	| { do: "delete"; path: string }
	| { do: "run"; what: { tests: true } | { command: string } | { script: string } }
	| { do: "find"; query: string; files: boolean; scope: IntentScope }
	| { do: "explain"; subject: string };

export type ChangeIntent = Exclude<OfflineIntent, { do: "find" | "explain" }>;

export function isChangeIntent(intent: OfflineIntent): intent is ChangeIntent {
	return intent.do !== "find" && intent.do !== "explain";
}

/** A message's relation to earlier requests. */
export interface ParsedMessage {
	/** `go`: do what was requested or planned. `again`: plan it again. `more`: refine the earlier request. */
	kind: "request" | "more" | "go" | "again" | "unclear";
	intents: OfflineIntent[];
}

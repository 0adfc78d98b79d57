// Types for what users can request from the offline model.

/** Which files a change is about. */
export interface IntentScope {
	/** A folder, a file or a glob; the whole workspace when absent. */
	in?: string;
	/** Kinds of files, and paths, that stay as they are. */
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

/** How a message relates to what was asked before. */
export interface ParsedMessage {
	/** `go`: do what was asked or planned. `again`: plan it anew. `more`: the earlier request, refined. */
	kind: "request" | "more" | "go" | "again" | "unclear";
	intents: OfflineIntent[];
}

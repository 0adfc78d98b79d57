// The chat's interface to the window that shows it.
import type { FileChange, SessionSummary } from "../core/events.ts";
import type { IntentCommand, Update } from "../shared/protocol/chat.ts";

/** A button of a dialog. */
export interface Choice<Value> {
	label: string;
	value: Value;
}

export interface ChatHost {
	post(update: Update): void;
	/** The chat now shows this session. */
	shown(sessionId: string): void;
	/** A sentence while data can't be saved to disk. */
	health(): string | undefined;
	/** Milliseconds since the window gained focus, once the editor has had time to report it. */
	focusedFor(): Promise<number>;
	/** Reports whether the page has focus, which means that the user is in this window. */
	pageFocus(focused: boolean): void;
	confirm(question: string, lines: readonly string[], button: string): Promise<boolean>;
	/** The value of the pressed button; undefined if the user closes the dialog. */
	choose<Value>(text: string, lines: readonly string[], choices: readonly Choice<Value>[]): Promise<Value | undefined>;
	/** Shows that something runs, with Cancel, which aborts the signal. */
	progress<Value>(title: string, run: (signal: AbortSignal) => Promise<Value>): Promise<Value>;
	/** Puts text on the clipboard. */
	copy(text: string): Promise<void>;
	notify(level: "info" | "warning" | "error", text: string): void;
	pickRole(current: string): Promise<string | undefined>;
	pickAgent(current: string, among?: AgentPickOptions): Promise<string | undefined>;
	/** Asks for a location and writes the session there. */
	exportSession(session: SessionSummary): Promise<void>;
	/** Asks for a location and writes the file there. */
	save(name: string, content: string): Promise<void>;
	openFile(path: string, line?: number): Promise<void>;
	openDiff(change: FileChange, title: string): Promise<void>;
	/** Opens an image of a message in the editor's own viewer. */
	openImage(blob: string, mime: string): Promise<void>;
	openText(text: string): Promise<void>;
	/** Shows all pending changes in these files at once. */
	review(paths: readonly string[]): Promise<void>;
	/** Shows what a background task has changed in its copy: one file, as a merge if it is in conflict, or all. */
	openTaskChanges(task: string, path?: string): Promise<void>;
	/** Inserts code of an answer into the editor at the cursor. */
	insertCode(code: string): Promise<void>;
	/** Proposes code of an answer as a change to that file, or to the open one, for the user to accept or reject. */
	applyCode(code: string, path?: string): Promise<void>;
	/** Shows a call's command in its terminal; if that is gone, shows `past` from the transcript. */
	showTerminal(call: string, past?: { command: string; output: string }): void;
	/** Shows a link's real host and asks before opening it. */
	openLink(url: string, text?: string): Promise<void>;
	/** `provider`: the one whose model has just failed, if any. */
	/** Returns "done" if the user completed it, as far as the command can tell. */
	command(command: IntentCommand, provider?: string): unknown;
}

/** Replaces the list of agents by these ids, and names the picker's purpose. */
export interface AgentPickOptions {
	title: string;
	agents: readonly string[];
}

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
	/** A sentence while the disk refuses what is to be kept. */
	health(): string | undefined;
	/** Milliseconds since the window gained the focus, once the editor has had time to say so. */
	focusedFor(): Promise<number>;
	/** The page has the focus, or not any more: the person is in this window. */
	pageFocus(focused: boolean): void;
	confirm(question: string, lines: readonly string[], button: string): Promise<boolean>;
	/** The value of the pressed button; undefined when the person closes the dialog. */
	choose<Value>(text: string, lines: readonly string[], choices: readonly Choice<Value>[]): Promise<Value | undefined>;
	/** Puts text on the clipboard. */
	copy(text: string): Promise<void>;
	notify(level: "info" | "warning" | "error", text: string): void;
	pickRole(current: string): Promise<string | undefined>;
	pickAgent(current: string, among?: AgentPickOptions): Promise<string | undefined>;
	/** Asks where, and writes the session there. */
	exportSession(session: SessionSummary): Promise<void>;
	/** Asks where, and writes there. */
	save(name: string, content: string): Promise<void>;
	openFile(path: string, line?: number): Promise<void>;
	openDiff(change: FileChange, title: string): Promise<void>;
	/** A picture of a message in the editor's own viewer. */
	openPicture(blob: string, mime: string): Promise<void>;
	openText(text: string): Promise<void>;
	/** Shows what stands changed in these files, all at once. */
	review(paths: readonly string[]): Promise<void>;
	/** Code of an answer into the editor, where the cursor is. */
	insertCode(code: string): Promise<void>;
	/** Code of an answer as a change to that file, or to what is open, for the person to accept or not. */
	applyCode(code: string, path?: string): Promise<void>;
	/** Shows a call's command in a terminal: as it runs or ran, or where that is gone, the `past` of the transcript. */
	showTerminal(call: string, past?: { command: string; output: string }): void;
	/** Shows the real host of a link and asks before it leaves. */
	openLink(url: string, text?: string): Promise<void>;
	/** `provider`: the one whose model has just failed, where one has. */
	/** "done" where the person went through with it, as far as the command tells. */
	command(command: IntentCommand, provider?: string): unknown;
}

/** Agents by their ids, in place of all, and what the picker is for. */
export interface AgentPickOptions {
	title: string;
	agents: readonly string[];
}

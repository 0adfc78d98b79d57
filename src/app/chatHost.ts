// What the chat needs of the window it is shown in.
import type { FileChange } from "../core/events.ts";
import type { IntentCommand, Update } from "../protocol.ts";

export interface ChatHost {
	post(update: Update): void;
	/** The chat now shows this session. */
	shown(sessionId: string): void;
	/** A sentence while the disk refuses what is to be kept. */
	health(): string | undefined;
	/** Milliseconds since the window gained the focus, once the editor has had time to say so. */
	focusedFor(): Promise<number>;
	confirm(text: string, button: string): Promise<boolean>;
	notify(level: "info" | "warning" | "error", text: string): void;
	pickRole(current: string): Promise<string | undefined>;
	/** Asks where, and writes there. */
	save(name: string, content: string): Promise<void>;
	openFile(path: string, line?: number): Promise<void>;
	openDiff(change: FileChange, title: string): Promise<void>;
	openText(text: string): Promise<void>;
	/** The terminal that shows a call's command. */
	showTerminal(call: string): void;
	/** Shows the real host of a link and asks before it leaves. */
	openLink(url: string, text?: string): Promise<void>;
	command(command: IntentCommand): void;
}

// The port to commands in a workspace, and to the terminal in which the user runs one.
import { hasHidden } from "../../hiddenText.ts";

export interface RunOptions {
	cwd: string;
	signal: AbortSignal;
	/** Milliseconds after which it is terminated, also in the background. Without it, it ends by itself, by the signal, or with the host. */
	timeout?: number;
	/** Milliseconds after which it continues in the background. */
	foregroundTimeout?: number;
	/** Returns immediately with an id; the process runs until it ends, is cancelled, or the host stops. */
	background?: boolean;
	/** The tool call that it belongs to, used as its terminal's name. */
	call?: string;
	/** Called once when the process has ended, also in the background. */
	onEnd?: (result: RunResult) => void;
	/** Raw output as it arrives, for display only. */
	onOutput?: (chunk: string) => void;
	/** Environment variables for this command only. */
	env?: Readonly<Record<string, string>>;
	/** ASCII strings that must not appear in its output. */
	secrets?: readonly string[];
	/**
	 * It runs without approval because it is read-only: git is hardened, and the limits are 10 minutes and 2 GB. The same applies
	 * to commands confined to reading.
	 */
	reads?: true;
	/** Sandbox restrictions; if absent, it runs with the user's own rights. */
	confine?: SandboxRestrictions;
	/** Milliseconds spent waiting for the user so far, which count toward neither `timeout` nor `foregroundTimeout`. */
	waited?: () => number;
}

export interface RunResult {
	/** Id under which the complete output is stored. */
	id: string;
	/** Absent if it was killed or is still running. */
	exitCode?: number;
	signal?: string;
	/** Set if it ran in a sandbox. `touched`: protected paths that were created or changed. */
	confined?: Pick<SandboxRestrictions, "kind" | "network"> & { touched: readonly string[] };
	/** Reason why it was terminated, if it did not end by itself. */
	stopped?: "cancelled" | "timeout" | "prompt";
	running?: boolean;
	/** Output of at most 32 KB: head and tail around a line with the number of omitted bytes; escape sequences removed. */
	output: string;
	/** Total bytes that the command wrote. */
	bytes: number;
	/** Milliseconds. */
	duration: number;
}

export interface OutputPage {
	text: string;
	/** Total bytes so far. */
	bytes: number;
	/** Offset of the next page; absent at the end. */
	next?: number;
	running: boolean;
	exitCode?: number;
}

/** The sandbox for a command: what it may write, and whether it has network access. */
export interface SandboxRestrictions {
	/** `read`: nothing on disk can be written and there is no network. `workspace`: the workspace can be written, except protected paths. */
	kind: "read" | "workspace";
	network: boolean;
	/** Absolute paths that cannot be read: protected files found during the turn. */
	masked: readonly string[];
	/** Set with `workspace`: git's own folder can be written too, except hooks and configuration. Used for git commands only. */
	repository?: true;
}

/** Reason why no bash can run commands. `setting`: the configured program cannot be started. `none`: bash was not found. */
export type MissingShellReason = "setting" | "none";

export interface UserTerminal {
	/**
	 * Types the line at a terminal prompt in that folder without running it; the user runs it. Resolves with the next command that
	 * is run there; undefined if the terminal was closed or the signal aborted. Rejects with a sentence for the user if no terminal
	 * reports what it runs.
	 */
	type(line: string, cwd: string, signal: AbortSignal): Promise<TerminalRun | undefined>;
}

/** A command line that the user ran. */
export interface TerminalRun {
	line: string;
	/** Resolves once it has ended or its terminal was closed. Never rejects. */
	ended: Promise<{ output: string; exitCode?: number }>;
}

/** Returns true if a line can be typed at a prompt unchanged: nothing in it would execute it, be invisible, or be expanded. */
export function canTypeInTerminal(line: string): boolean {
	return line === line.trim() && line !== "" && line.length <= LONGEST && !/!|\\$/.test(line) && !hasHidden(line, "selectors");
}

const LONGEST = 1_000;

/** Commands in the user's shell. */
export interface WorkspaceCommands {
	/** Returns why commands cannot run here, as a sentence for the model; undefined or absent if they can. */
	commands?(): string | undefined;
	run(command: string, options: RunOptions): Promise<RunResult>;
	output(id: string, offset: number): Promise<OutputPage>;
}

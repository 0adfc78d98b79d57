// Types a line at the user's terminal prompt and follows the next command to its end.
import * as vscode from "vscode";
import type { TerminalRun, UserTerminal } from "../../core/ports/workspace/commands.ts";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import { RingBuffer } from "./ringBuffer.ts";

interface Means {
	/** Strips escape sequences. */
	plain(text: string): string;
	/** Returns true while the terminal runs a command. */
	busy(terminal: vscode.Terminal): boolean;
	/** Milliseconds to wait for shell integration in a new terminal. */
	timeout?: number;
}

const INTEGRATION_TIMEOUT = 10_000;
/** Maximum characters of output retained. */
const MAX_OUTPUT = 64_000;

export function createUserTerminal({ plain, busy, timeout = INTEGRATION_TIMEOUT }: Means): UserTerminal {
	return {
		async type(line, cwd, signal) {
			const terminal = findReusable(cwd, busy) ?? (await openTerminal(cwd, timeout, signal));
			if (!terminal || signal.aborted) return undefined;
			terminal.show(false);
			const next = nextRun(terminal, plain, signal);
			terminal.sendText(line, false);
			return next;
		},
	};
}

/** The active terminal, if it is the user's and waits at a prompt in that folder. */
function findReusable(cwd: string, busy: Means["busy"]): vscode.Terminal | undefined {
	const terminal = vscode.window.activeTerminal;
	const at = terminal?.shellIntegration?.cwd?.fsPath;
	const isUsable = terminal && !("pty" in terminal.creationOptions) && terminal.exitStatus === undefined;
	return isUsable && at === cwd && !busy(terminal) ? terminal : undefined;
}

async function openTerminal(cwd: string, timeout: number, signal: AbortSignal): Promise<vscode.Terminal | undefined> {
	const terminal = vscode.window.createTerminal({ cwd });
	terminal.show(false);
	if (await hasShellIntegration(terminal, timeout, signal)) return terminal;
	if (signal.aborted) return undefined;
	throw new UserError(
		t(
			"Your terminal doesn't report the commands it runs. Nothing was typed, and the request is still pending. Turn on terminal.integrated.shellIntegration.enabled, or allow the command here.",
		),
	);
}

function hasShellIntegration(terminal: vscode.Terminal, timeout: number, signal: AbortSignal): Promise<boolean> {
	if (terminal.shellIntegration) return Promise.resolve(true);
	return new Promise((resolve) => {
		const done = (found: boolean): void => {
			listening.dispose();
			clearTimeout(timer);
			resolve(found);
		};
		const listening = vscode.window.onDidChangeTerminalShellIntegration((changed) => {
			if (changed.terminal === terminal) done(true);
		});
		const timer = setTimeout(() => done(false), timeout);
		signal.addEventListener("abort", () => done(false), { once: true });
	});
}

/** Returns undefined when the terminal closes or the signal aborts first. */
function nextRun(terminal: vscode.Terminal, plain: Means["plain"], signal: AbortSignal): Promise<TerminalRun | undefined> {
	return new Promise((resolve) => {
		const done = (run?: TerminalRun): void => {
			for (const each of listening) each.dispose();
			resolve(run);
		};
		const listening = [
			vscode.window.onDidStartTerminalShellExecution(({ terminal: at, execution }) => {
				// A program's output can imitate a command line, but not mark it as trusted.
				if (at !== terminal || !execution.commandLine.isTrusted) return;
				done({ line: execution.commandLine.value.trim(), ended: endOf(terminal, execution, plain) });
			}),
			vscode.window.onDidCloseTerminal((closed) => {
				if (closed === terminal) done();
			}),
		];
		signal.addEventListener("abort", () => done(), { once: true });
	});
}

function endOf(terminal: vscode.Terminal, execution: vscode.TerminalShellExecution, plain: Means["plain"]): TerminalRun["ended"] {
	const tail = new RingBuffer(MAX_OUTPUT);
	const reading = follow(execution, tail);
	return new Promise((resolve) => {
		const done = async (exitCode?: number): Promise<void> => {
			for (const each of listening) each.dispose();
			// The end is reported before the last output arrives.
			await reading;
			resolve({ output: plain(tail.text()), ...(exitCode !== undefined && { exitCode }) });
		};
		const listening = [
			vscode.window.onDidEndTerminalShellExecution((ended) => {
				if (ended.execution === execution) void done(ended.exitCode);
			}),
			vscode.window.onDidCloseTerminal((closed) => {
				if (closed === terminal) void done();
			}),
		];
	});
}

async function follow(execution: vscode.TerminalShellExecution, tail: RingBuffer): Promise<void> {
	try {
		for await (const chunk of execution.read()) tail.append(chunk);
	} catch {
		// The terminal was closed; its output so far is kept.
	}
}

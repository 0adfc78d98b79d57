// Types a line at the user's terminal prompt, and follows what they run next to its end.
import * as vscode from "vscode";
import type { TerminalRun, UserTerminal } from "../../core/ports/workspace.ts";
import { t } from "../../shared/l10n.ts";
import { RingBuffer } from "../mentions/terminalLog.ts";

interface Means {
	/** Escape sequences taken out. */
	plain(text: string): string;
	/** It runs a command just now. */
	busy(terminal: vscode.Terminal): boolean;
	/** Milliseconds that a new terminal has to say that it reports what it runs. */
	patience?: number;
}

const PATIENCE = 10_000;
/** Characters of output that are kept. */
const KEPT = 64_000;

export function createUserTerminal({ plain, busy, patience = PATIENCE }: Means): UserTerminal {
	return {
		async type(line, cwd, signal) {
			const terminal = reusable(cwd, busy) ?? (await opened(cwd, patience, signal));
			if (!terminal || signal.aborted) return undefined;
			terminal.show(false);
			const next = nextRun(terminal, plain, signal);
			terminal.sendText(line, false);
			return next;
		},
	};
}

/** The one that is shown, where it waits at a prompt in that folder and is the person's. */
function reusable(cwd: string, busy: Means["busy"]): vscode.Terminal | undefined {
	const terminal = vscode.window.activeTerminal;
	const at = terminal?.shellIntegration?.cwd?.fsPath;
	const own = terminal && !("pty" in terminal.creationOptions) && terminal.exitStatus === undefined;
	return own && at === cwd && !busy(terminal) ? terminal : undefined;
}

async function opened(cwd: string, patience: number, signal: AbortSignal): Promise<vscode.Terminal | undefined> {
	const terminal = vscode.window.createTerminal({ cwd });
	terminal.show(false);
	if (await reports(terminal, patience, signal)) return terminal;
	if (signal.aborted) return undefined;
	throw new Error(
		t(
			"Your terminal doesn't report the commands it runs. Nothing was typed, and the request is still pending. Turn on terminal.integrated.shellIntegration.enabled, or allow the command here.",
		),
	);
}

function reports(terminal: vscode.Terminal, patience: number, signal: AbortSignal): Promise<boolean> {
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
		const timer = setTimeout(() => done(false), patience);
		signal.addEventListener("abort", () => done(false), { once: true });
	});
}

/** Undefined when the terminal is closed or the signal ends the wait first. */
function nextRun(terminal: vscode.Terminal, plain: Means["plain"], signal: AbortSignal): Promise<TerminalRun | undefined> {
	return new Promise((resolve) => {
		const done = (run?: TerminalRun): void => {
			for (const each of listening) each.dispose();
			resolve(run);
		};
		const listening = [
			vscode.window.onDidStartTerminalShellExecution(({ terminal: at, execution }) => {
				// What a program prints may claim to be a line, but not that the shell says so.
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
	const tail = new RingBuffer(KEPT);
	const reading = follow(execution, tail);
	return new Promise((resolve) => {
		const done = async (exitCode?: number): Promise<void> => {
			for (const each of listening) each.dispose();
			// The end is told before the last of the output has come.
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
		// The terminal went away; what it had shown is kept.
	}
}

// Records terminal output from activation on, through shell integration.

// The output is stored raw and truncated; escape sequences are removed on request.
import * as vscode from "vscode";
import { RingBuffer } from "../adapters/ringBuffer.ts";

export interface TerminalLog extends vscode.Disposable {
	/** Name and latest output of each terminal, most recently used last. */
	outputs(): { name: string; text: string }[];
	/** Returns true while the terminal runs a command. */
	isBusy(terminal: vscode.Terminal): boolean;
}

/** Maximum characters per terminal, and maximum terminals. */
const MOST = { kept: 64_000, terminals: 8 };

export function watchTerminalOutput(): TerminalLog {
	const logs = new Map<vscode.Terminal, RingBuffer>();
	const busy = new Set<vscode.Terminal>();
	const following = new WeakMap<vscode.TerminalShellExecution, Promise<void>>();
	const started = vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
		busy.add(terminal);
		const tail = logs.get(terminal) ?? new RingBuffer(MOST.kept);
		logs.delete(terminal);
		logs.set(terminal, tail);
		for (const old of [...logs.keys()].slice(0, -MOST.terminals)) logs.delete(old);
		tail.append(`\n$ ${execution.commandLine.value}\n`);
		following.set(execution, follow(execution, tail));
	});
	// The end is reported before the last output arrives.
	const ended = vscode.window.onDidEndTerminalShellExecution(async ({ terminal, execution, exitCode }) => {
		busy.delete(terminal);
		await following.get(execution);
		if (exitCode) logs.get(terminal)?.append(`\n[exit code ${exitCode}]\n`);
	});
	return {
		outputs: () => [...logs].map(([{ name }, tail]) => ({ name, text: tail.text() })),
		isBusy: (terminal) => busy.has(terminal),
		dispose() {
			started.dispose();
			ended.dispose();
			logs.clear();
		},
	};
}

async function follow(execution: vscode.TerminalShellExecution, tail: RingBuffer): Promise<void> {
	try {
		for await (const chunk of execution.read()) tail.append(chunk);
	} catch {
		// The terminal was closed; its output so far is kept.
	}
}

// Shows the commands that Troupe runs in terminals of their own. The child process is ours; the terminal only displays.
import * as vscode from "vscode";
import { visibleLine, visibleText } from "../shared/safeText.ts";
import { terminalText } from "./terminalText.ts";

export interface CommandTerminals {
	/** Opens (or reuses an ended) terminal and returns where output goes. */
	start(call: string, command: string, cancel: () => void): { write(chunk: string): void; end(line: string): void };
	show(call: string): void;
	dispose(): void;
}

/** Ended terminals that stay open for reading. */
const KEEP = 4;

interface Shown {
	terminal: vscode.Terminal;
	ended: boolean;
}

export function commandTerminals(): CommandTerminals {
	const shown = new Map<string, Shown>();
	const closing = vscode.window.onDidCloseTerminal((closed) => {
		for (const [call, { terminal }] of shown) if (terminal === closed) shown.delete(call);
	});
	return {
		start(call, command, cancel) {
			trim(shown);
			const emitter = new vscode.EventEmitter<string>();
			let early = "";
			let open = false;
			const write = (text: string): void => {
				if (open) emitter.fire(text);
				else early += text;
			};
			const entry: Shown = {
				ended: false,
				terminal: vscode.window.createTerminal({
					name: `Troupe: ${firstWords(command)}`,
					iconPath: new vscode.ThemeIcon("hubot"),
					isTransient: true,
					pty: {
						onDidWrite: emitter.event,
						open() {
							open = true;
							emitter.fire(early);
							early = "";
						},
						close: cancel,
						handleInput(data: string) {
							if (data === "\x03") cancel();
						},
					},
				}),
			};
			shown.set(call, entry);
			entry.terminal.show(true);
			write(`\x1b[2m$ ${visibleText(command).replaceAll("\n", "\r\n  ")}\x1b[0m\r\n`);
			const safe = terminalText();
			return {
				write: (chunk) => write(safe(chunk)),
				end(line) {
					entry.ended = true;
					write(`\r\n\x1b[2m${line}\x1b[0m\r\n`);
				},
			};
		},
		show: (call) => shown.get(call)?.terminal.show(false),
		dispose() {
			closing.dispose();
			for (const { terminal } of shown.values()) terminal.dispose();
		},
	};
}

function trim(shown: Map<string, Shown>): void {
	const ended = [...shown].filter(([, entry]) => entry.ended);
	for (const [call, { terminal }] of ended.slice(0, Math.max(0, ended.length - KEEP + 1))) {
		shown.delete(call);
		terminal.dispose();
	}
}

function firstWords(command: string): string {
	const line = visibleLine(command.trim());
	return line.length > 24 ? `${line.slice(0, 23)}…` : line;
}

// Shows Troupe's commands in one terminal on request; the terminal only displays our child process's output.
import * as vscode from "vscode";
import { t } from "../../shared/l10n.ts";
import { visibleLine, visibleText } from "../../shared/safeText.ts";
import { createTerminalSanitizer } from "./terminalSanitizer.ts";

export interface CommandTerminals {
	/** Returns where to write the output; it is shown in the terminal while the terminal displays this command. */
	start(call: string, command: string, cancel: () => void): { write(chunk: string): void; end(line: string): void };
	/** `past`: the recorded command and output of an earlier window. */
	show(call: string, past?: { command: string; output: string }): void;
	dispose(): void;
}

/** Finished commands that can still be shown, and characters of output per command. */
const MAX_COMMANDS = 8;
const MAX_OUTPUT = 200_000;

interface Shown {
	title: string;
	text: string;
	ended: boolean;
	cancel(): void;
}

/** The single terminal and the command it displays. */
interface Screen {
	terminal: vscode.Terminal;
	of: Shown;
	put(text: string): void;
	name(title: string): void;
}

export function createCommandTerminals(): CommandTerminals {
	const commands = new Map<string, Shown>();
	let screen: Screen | undefined;

	function add(entry: Shown, text: string): void {
		entry.text = `${entry.text}${text}`.slice(-MAX_OUTPUT);
		if (screen?.of === entry) screen.put(text);
	}

	function open(entry: Shown): void {
		if (screen && screen.of !== entry) {
			screen.of = entry;
			screen.name(entry.title);
			screen.put(`${CLEAR}${entry.text}`);
		}
		screen ??= openScreen(entry, () => {
			screen = undefined;
		});
		screen.terminal.show(false);
	}

	return {
		start(call, command, cancel) {
			trim(commands);
			const entry: Shown = { ...opening(command), ended: false, cancel };
			commands.set(call, entry);
			const safe = createTerminalSanitizer();
			return {
				write: (chunk) => add(entry, safe(chunk)),
				end(line) {
					entry.ended = true;
					add(entry, `\r\n\x1b[2m${line}\x1b[0m\r\n`);
				},
			};
		},
		show(call, past) {
			const existing = commands.get(call);
			if (existing) return open(existing);
			if (!past) return;
			const entry: Shown = { ...opening(past.command), ended: true, cancel: () => undefined };
			entry.text += createTerminalSanitizer()(past.output).slice(-MAX_OUTPUT);
			trim(commands);
			commands.set(call, entry);
			open(entry);
		},
		dispose() {
			screen?.terminal.dispose();
		},
	};
}

/** Clears the screen and the scrollback, and moves the cursor home. */
const CLEAR = "\x1b[0m\x1b[2J\x1b[3J\x1b[H";

function openScreen(of: Shown, closed: () => void): Screen {
	const written = new vscode.EventEmitter<string>();
	const named = new vscode.EventEmitter<string>();
	let early: string[] | undefined = [of.text];
	const screen: Screen = {
		of,
		put(text) {
			if (early) early.push(text);
			else written.fire(text);
		},
		name: (title) => named.fire(title),
		terminal: vscode.window.createTerminal({
			name: of.title,
			iconPath: new vscode.ThemeIcon("hubot"),
			isTransient: true,
			pty: {
				onDidWrite: written.event,
				onDidChangeName: named.event,
				open() {
					const texts = early ?? [];
					early = undefined;
					for (const text of texts) written.fire(text);
				},
				// As in any terminal, closing it ends the command.
				close() {
					closed();
					if (!screen.of.ended) screen.of.cancel();
				},
				handleInput(data: string) {
					if (data === "\x03" && !screen.of.ended) screen.of.cancel();
				},
			},
		}),
	};
	return screen;
}

function opening(command: string): Pick<Shown, "title" | "text"> {
	return {
		title: t("Troupe: {0}", firstWords(command)),
		text: `\x1b[2m$ ${visibleText(command).replaceAll("\n", "\r\n  ")}\x1b[0m\r\n`,
	};
}

function trim(commands: Map<string, Shown>): void {
	const ended = [...commands].filter(([, entry]) => entry.ended);
	for (const [call] of ended.slice(0, Math.max(0, ended.length - MAX_COMMANDS + 1))) commands.delete(call);
}

function firstWords(command: string): string {
	const line = visibleLine(command.trim());
	return line.length > 24 ? `${line.slice(0, 23)}…` : line;
}

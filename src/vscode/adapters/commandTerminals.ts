// Shows Troupe's commands in one terminal on request; the terminal only displays our child process's output.
import * as vscode from "vscode";
import { t } from "../../shared/l10n.ts";
import { visibleLine, visibleText } from "../../shared/safeText.ts";
import { createTerminalSanitizer } from "./terminalSanitizer.ts";

export interface CommandTerminals {
	/** Returns where output goes: into the terminal while that shows the command, and to where it can be shown from. */
	start(call: string, command: string, cancel: () => void): { write(chunk: string): void; end(line: string): void };
	/** `past` is what is known of a command that ran in an earlier window. */
	show(call: string, past?: { command: string; output: string }): void;
	dispose(): void;
}

/** Ended commands that can still be shown as they ran, and characters of each. */
const KEEP = 8;
const MOST = 200_000;

interface Shown {
	title: string;
	text: string;
	ended: boolean;
	cancel(): void;
}

/** The one terminal, and what it shows. */
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
		entry.text = `${entry.text}${text}`.slice(-MOST);
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
			const known = commands.get(call);
			if (known) return open(known);
			if (!past) return;
			const entry: Shown = { ...opening(past.command), ended: true, cancel: () => undefined };
			entry.text += createTerminalSanitizer()(past.output).slice(-MOST);
			trim(commands);
			commands.set(call, entry);
			open(entry);
		},
		dispose() {
			screen?.terminal.dispose();
		},
	};
}

/** Clears the screen and what was scrolled away, and goes to its beginning. */
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
				// As with any terminal, what runs in it ends with it.
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
	for (const [call] of ended.slice(0, Math.max(0, ended.length - KEEP + 1))) commands.delete(call);
}

function firstWords(command: string): string {
	const line = visibleLine(command.trim());
	return line.length > 24 ? `${line.slice(0, 23)}…` : line;
}

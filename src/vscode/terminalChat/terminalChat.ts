// Chats with the agent in terminals: each terminal is a channel of the type `cli`.
import * as vscode from "vscode";
import type { Channels } from "../../channels/channels.ts";
import type { ChannelActivity, ChannelAdapter, ChannelInput, OutboundMessage } from "../../core/ports/channel.ts";
import { ExplainedError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import { cleanText } from "../../shared/safeText.ts";
import { LineEditor, LONGEST, MARK_PASTES, type PrintStyle } from "./lineEditor.ts";
import { bold, dim } from "./textRows.ts";

export interface TerminalChat {
	/** Opens another terminal. */
	open(): void;
	dispose(): void;
}

interface OpenTerminal {
	terminal: vscode.Terminal;
	show(text: string, style?: PrintStyle): void;
	setStatus(line: string): void;
}

const STATUS: Record<ChannelActivity, () => string> = {
	working: () => t("Working… Ctrl+C stops the agent."),
	waiting: () => t("Waiting for your approval in the chat. Ctrl+C stops the agent."),
};

/** Messages that a terminal keeps until it is drawn for the first time. */
const EARLY = 100;

export function createTerminalChat(channels: Pick<Channels, "registerAdapter">): TerminalChat {
	/** Terminals by the channel's id. */
	const terminals = new Map<string, OpenTerminal>();
	/** Activities of the agent by the channel's id, also for terminals that are not open now. */
	const activities = new Map<string, ChannelActivity>();
	const statusOf = (id: string): string => {
		const activity = activities.get(id);
		return activity === undefined ? "" : STATUS[activity]();
	};
	let agent: ChannelInput | undefined;
	const adapter: ChannelAdapter = {
		type: "cli",
		// Only the person at this computer types in it.
		sender: { allowed: () => true },
		async start(input) {
			agent = input;
		},
		async deliver({ text, channel, notice }: OutboundMessage) {
			const open = terminals.get(channel.channelId);
			if (!open) throw new ExplainedError("the terminal was closed.");
			const lines = cleanText(text);
			if (notice) open.show(lines, { style: dim });
			else open.show(`${lines}\n`, { first: `${bold("●")} `, indent: "  " });
		},
		setActivity({ channelId }, activity) {
			if (activity === undefined) activities.delete(channelId);
			else activities.set(channelId, activity);
			terminals.get(channelId)?.setStatus(statusOf(channelId));
		},
		async stop() {
			agent = undefined;
			for (const { terminal } of terminals.values()) terminal.dispose();
		},
	};
	const registration = channels.registerAdapter(adapter);
	return {
		open() {
			const id = findFreeId(terminals);
			const opened = openTerminal(id, {
				send: (text) => agent?.send({ text, channel: { channelId: id } }),
				interrupt: () => agent?.stop({ channelId: id }),
				closed: () => terminals.delete(id),
			});
			opened.setStatus(statusOf(id));
			terminals.set(id, opened);
			opened.terminal.show(false);
		},
		dispose: () => registration.dispose(),
	};
}

/** The lowest id that no open terminal has: `main`, `2`, `3`. News for a terminal that was closed comes to the next one with its id. */
function findFreeId(taken: ReadonlyMap<string, unknown>): string {
	let number = 1;
	const name = () => (number === 1 ? "main" : String(number));
	while (taken.has(name())) number += 1;
	return name();
}

function openTerminal(id: string, on: { send(text: string): void; interrupt(): void; closed(): void }): OpenTerminal {
	const written = new vscode.EventEmitter<string>();
	const ended = new vscode.EventEmitter<void>();
	let early: Parameters<LineEditor["print"]>[] | undefined = [];
	let status = "";
	let isClosed = false;
	const close = (): void => {
		if (isClosed) return;
		isClosed = true;
		on.closed();
	};
	const editor = new LineEditor((text) => written.fire(text), 80, {
		submit: on.send,
		interrupt: on.interrupt,
		end() {
			// The editor calls `close` of a terminal that it closes, not of one that ends by itself.
			close();
			ended.fire();
		},
		full: () => show(t("A message has at most {0} characters. The rest was left out.", LONGEST), { style: dim }),
	});
	const show: OpenTerminal["show"] = (text, style) => {
		if (!early) editor.print(text, style);
		else if (early.length < EARLY) early.push([text, style]);
	};
	const title = id === "main" ? t("Troupe Chat") : t("Troupe Chat {0}", id);
	const pty: vscode.Pseudoterminal = {
		onDidWrite: written.event,
		onDidClose: ended.event,
		open(size) {
			written.fire(MARK_PASTES);
			if (size) editor.resize(size.columns);
			const lines = early ?? [];
			early = undefined;
			editor.print(t("This is your main agent. The chat panel shows the same conversation."));
			editor.print(`${t("Enter sends, Alt+Enter adds a line, Ctrl+C stops the agent.")}\n`, { style: dim });
			for (const given of lines) editor.print(...given);
			editor.setStatus(status);
		},
		close,
		handleInput: (data) => editor.handle(data),
		setDimensions: ({ columns }) => editor.resize(columns),
	};
	const terminal = vscode.window.createTerminal({ name: title, iconPath: new vscode.ThemeIcon("comment-discussion"), pty });
	return {
		terminal,
		show,
		setStatus(line) {
			if (early) status = line;
			else editor.setStatus(line);
		},
	};
}

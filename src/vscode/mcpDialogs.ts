// What MCP servers need a person for: to start, to be used again after a change, to sign in, to be given a secret.
import * as vscode from "vscode";
import type { McpToolChange, McpToolDefinition } from "../core/mcp.ts";
import { t } from "../l10n.ts";
import { visibleText } from "../visible.ts";
import { windowFocus } from "./chatWindow.ts";
import type { McpDocuments } from "./mcpDocuments.ts";
import { type Launch, launchText, type StartAnswer, signInHost } from "./mcpShown.ts";

export interface McpDialogs {
	mayStart(launch: Launch): Promise<StartAnswer>;
	useAgain(change: McpToolChange): Promise<boolean>;
	/** Opens the address in a browser where the person agrees. */
	open(address: string): Promise<boolean>;
	missingSecret(name: string): void;
}

interface Clock {
	now(): number;
	/** For how long the window has been in front, in milliseconds. */
	focused(): Promise<number>;
}

/** An answer sooner than this after the dialogue's appearing, or the window's coming to the front, was meant for something else. */
const TOO_EARLY_MS = 500;
/** More than this does not fit a dialogue: it is opened beside it, whole. */
const LONGEST = { characters: 2_500, lines: 36 };

export function mcpDialogs(documents: McpDocuments, { now, focused }: Clock = { now: Date.now, focused: windowFocus }): McpDialogs {
	const missing = new Set<string>();
	return {
		async mayStart(launch) {
			const text = launchText(launch);
			const name = visibleText(launch.config.name);
			const question = launch.before ? t("Start the changed MCP server “{0}”?", name) : t("Start the MCP server “{0}”?", name);
			const lines = text.split("\n");
			const long = text.length > LONGEST.characters || lines.length > LONGEST.lines;
			if (long) await documents.show(question, text);
			const detail = long ? `${both(lines)}\n\n${t("All of it stands in the editor behind this message.")}` : text;
			const [later, start, never] = [t("Not Now"), t("Start Server"), t("Never")];
			for (;;) {
				const shown = now();
				// The first has the focus: it does nothing.
				const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, later, start, never);
				if (answer !== start && answer !== never) return "later";
				if (Math.min(now() - shown, await focused()) >= TOO_EARLY_MS) return answer === start ? "start" : "never";
			}
		},
		async useAgain({ tool, server, before, after }) {
			const [show, again] = [t("Show Changes"), t("Use It Again")];
			const text = t(
				"The MCP server “{0}” has changed its tool {1} since it was allowed. It is switched off in this session, and what was always allowed asks again.",
				plain(server.name),
				plain(tool),
			);
			for (;;) {
				const answer = await vscode.window.showWarningMessage(text, show, again);
				if (answer !== show) return answer === again;
				await documents.compare(t("{0}: then and now", visibleText(tool)), definitionText(before), definitionText(after));
			}
		},
		async open(address) {
			const host = signInHost(address);
			if (host === undefined) return false;
			const go = t("Open in Browser");
			const detail = visibleText(address);
			const answer = await vscode.window.showInformationMessage(t("Sign in at {0}?", host), { modal: true, detail }, go);
			// As a text, since a Uri writes the query anew; whole and parsed it is all the same.
			return answer === go && vscode.env.openExternal(address as unknown as vscode.Uri);
		},
		missingSecret(name) {
			if (missing.has(name)) return;
			missing.add(name);
			const set = t("Set Secret");
			vscode.window
				.showWarningMessage(
					t("An MCP server needs the secret {0}, which is not set. Set it, then send your message again.", plain(name)),
					set,
				)
				.then(
					(answer) => {
						missing.delete(name);
						if (answer === set) void vscode.commands.executeCommand("troupe.setSecret", { secret: name });
					},
					() => missing.delete(name),
				);
		},
	};
}

function definitionText({ description, inputSchema, annotations }: McpToolDefinition): string {
	return [description, inputSchema, annotations].map(visibleText).join("\n\n");
}

function both(lines: readonly string[]): string {
	const half = Math.floor(LONGEST.lines / 2) - 2;
	const cut = (line: string) => (line.length > 160 ? `${line.slice(0, 80)} … ${line.slice(-60)}` : line);
	if (lines.length <= 2 * half) return lines.map(cut).join("\n");
	return [...lines.slice(0, half), "…", ...lines.slice(-half)].map(cut).join("\n");
}

/** In a message nothing of it becomes a link. */
function plain(text: string): string {
	return visibleText(text).replaceAll("[", "(").replaceAll("]", ")");
}

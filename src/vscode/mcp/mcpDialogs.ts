// Dialogs for MCP servers: start, changed tools, sign-in and missing secrets.
import * as vscode from "vscode";
import type { McpDialogs, McpToolChanges, McpToolDefinition } from "../../core/ports/mcp.ts";
import { t } from "../../shared/l10n.ts";
import { formatAddress, visibleLine, visibleText } from "../../shared/safeText.ts";
import { askForConsent, type Clock, isDeliberate, windowClock } from "../consent.ts";
import { showModal } from "../dialogs.ts";
import { showNotification } from "../notifications.ts";
import { showTextDiff } from "../readOnlyText.ts";
import { showElicitationForm } from "./elicitationForm.ts";
import { launchDetails, launchLines, parseSignInHost } from "./launchSummary.ts";

export function createMcpDialogs(clock: Clock = windowClock): McpDialogs {
	const notified = new Set<string>();
	return {
		async confirmStart(launch) {
			const { name } = launch.config;
			const question = launch.approvedLines ? t("Start the changed MCP server “{0}”?", name) : t("Start the MCP server “{0}”?", name);
			const [start, never] = [t("Start Server"), t("Never")];
			const answer = await askForConsent(question, [{ written: launchDetails(launch) }], [start, never], clock);
			return answer === undefined ? "later" : answer === start ? "start" : "never";
		},
		launchLines,
		async confirmChangedTools({ server, tools }) {
			const [first] = tools;
			const single = first && tools.length === 1 ? first : undefined;
			const [show, again] = [t("Show Changes"), single ? t("Use Tool Again") : t("Use Tools Again")];
			const { name } = server;
			const text = single
				? t(
						"The MCP server “{0}” changed its tool {1} after you allowed it. The tool stays turned off, and its saved approvals no longer apply.",
						name,
						single.name,
					)
				: t(
						"The MCP server “{0}” changed {1} of its tools after you allowed them: {2}. The tools stay turned off, and their saved approvals no longer apply.",
						name,
						tools.length,
						namesOf(tools),
					);
			const title = visibleLine(t("{0} (previous ↔ current)", single?.name ?? server.name));
			const [before, after] = (["before", "after"] as const).map((when) =>
				tools.map((tool) => definitionText(tool.name, tool[when])).join("\n\n\n"),
			);
			for (;;) {
				const shown = clock.now();
				const answer = await showNotification("warning", text, show, again);
				if (answer === show) await showTextDiff(title, before ?? "", after ?? "");
				// The server determines when this appears, so an immediate click was meant for something else.
				else if (answer !== again || (await isDeliberate(shown, clock))) return answer === again;
			}
		},
		answer: (question, signal) => showElicitationForm(question, signal),
		async openSignIn(address, unchecked = false) {
			const host = parseSignInHost(address);
			if (host === undefined) return false;
			const go = t("Open in Browser");
			const answer = await showModal(
				"info",
				t("Open {0} to sign in?", host),
				[{ written: formatAddress(address) }, ...(unchecked ? ["", uncheckedWarning()] : [])],
				go,
			);
			// Passed as a string, since a Uri re-encodes the query; the address was parsed and checked.
			return answer === go && vscode.env.openExternal(address as unknown as vscode.Uri);
		},
		async confirmUncheckedOrigin(server, origin) {
			const allow = t("Allow Once");
			const question = t("Allow the MCP server “{0}” to sign you in at {1}?", server, parseSignInHost(origin) ?? origin);
			return (await askForConsent(question, [{ written: formatAddress(origin) }, "", uncheckedWarning()], [allow], clock)) === allow;
		},
		reachedAt: async (url) => (await vscode.env.asExternalUri(vscode.Uri.parse(url))).toString(true),
		notifyMissingSecret(name) {
			if (notified.has(name)) return;
			notified.add(name);
			const set = t("Set MCP Secret");
			showNotification(
				"warning",
				t("An MCP server needs the secret {0}, which is not set. Set the secret, then send your message again.", name),
				set,
			).then(
				(answer) => {
					notified.delete(name);
					if (answer === set) void vscode.commands.executeCommand("troupe.setSecret", { secret: name });
				},
				() => notified.delete(name),
			);
		},
	};
}

function uncheckedWarning(): string {
	return t("Only your proxy can resolve this address, so it was not checked.");
}

function definitionText(name: string, { description, inputSchema, annotations }: McpToolDefinition): string {
	const texts = inputSchema === "" ? [t("The previous definition was too long to store.")] : [description, inputSchema, annotations];
	return [name, ...texts].map(visibleText).join("\n\n");
}

/** The first few; the diff contains all. */
function namesOf(tools: McpToolChanges["tools"]): string {
	const names = tools.slice(0, 5).map(({ name }) => name);
	return tools.length > names.length ? `${names.join(", ")}, …` : names.join(", ");
}

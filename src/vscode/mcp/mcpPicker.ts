// Quick Pick for "Manage MCP Servers": server states, actions, and read-only marks of tools.
import * as vscode from "vscode";
import type { McpActions, McpServerStatus, McpToolStatus } from "../../core/ports/mcp.ts";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import { escapeLabel, escapeMessage, formatAddress, visibleLine } from "../../shared/safeText.ts";
import { showError } from "../errorNotifications.ts";
import { showNotification } from "../notifications.ts";
import { showReadOnlyText } from "../readOnlyText.ts";

interface ServerItem extends vscode.QuickPickItem {
	server?: string;
	add?: true;
}

type Log = (line: string) => void;
type Act = "restart" | "stop" | "log" | "forget" | "signOut";

interface ActButton extends vscode.QuickInputButton {
	act: Act;
}

export async function manageMcpServers(actions: McpActions | undefined, log: Log, given?: string): Promise<void> {
	if (!actions) return void showNotification("info", t("MCP servers cannot run here."));
	const known = actions.list().some(({ config }) => config.id === given);
	let server = known ? given : await pickServer(actions, log);
	while (server !== undefined) {
		await markTools(actions, server, log);
		server = known ? undefined : await pickServer(actions, log);
	}
}

/** Lists the servers and updates the list as they change; resolves with the picked id. */
async function pickServer(actions: McpActions, log: Log): Promise<string | undefined> {
	const list = vscode.window.createQuickPick<ServerItem>();
	list.title = t("Manage MCP Servers");
	list.placeholder = actions.restrictedReason() ?? t("Select a server to see its tools. Agents start the servers that they list.");
	list.matchOnDescription = true;
	list.matchOnDetail = true;
	const draw = async (): Promise<void> => {
		const active = list.activeItems[0]?.server;
		const servers = actions.list();
		const decisions = await Promise.all(servers.map(({ config }) => actions.startDecision(config.id)));
		list.items = [
			...servers.map((status, place) => serverItem(status, decisions[place])),
			{ label: `$(add) ${t("Add MCP Server…")}`, alwaysShow: true, add: true as const },
			{ label: t("$(gear) Configure Servers in Settings…"), alwaysShow: true },
		];
		list.activeItems = list.items.filter(({ server }) => server !== undefined && server === active);
	};
	const listening = actions.onChange(() => void draw());
	await draw();
	return new Promise((resolve) => {
		list.onDidTriggerItemButton(async ({ item, button }) => {
			if (item.server === undefined) return;
			list.busy = true;
			await act(actions, item.server, (button as ActButton).act, log);
			list.busy = false;
			await draw();
		});
		list.onDidAccept(() => {
			const [picked] = list.selectedItems;
			resolve(picked?.server);
			list.hide();
			if (picked?.add) void vscode.commands.executeCommand("troupe.addServer");
			else if (picked && picked.server === undefined)
				void vscode.commands.executeCommand("workbench.action.openSettings", "troupe.mcpServers");
		});
		list.onDidHide(() => {
			listening.dispose();
			resolve(undefined);
			list.dispose();
		});
		list.show();
	});
}

async function act(actions: McpActions, server: string, what: Act, log: Log): Promise<void> {
	try {
		if (what === "restart") await restart(actions, server);
		else if (what === "stop") await actions.stop(server);
		else if (what === "forget") await actions.resetApprovals(server);
		else if (what === "signOut") await actions.signOut(server);
		else await showReadOnlyText(t("Log for {0}", server), actions.output(server).map(visibleLine).join("\n") || t("No output yet."));
	} catch (error) {
		void showError(error, log);
	}
}

async function restart(actions: McpActions, server: string): Promise<McpServerStatus | undefined> {
	const restricted = actions.restrictedReason();
	if (restricted !== undefined) return void showNotification("warning", restricted);
	await actions.stop(server);
	const title = escapeMessage(t("Starting {0}…", server));
	return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, async (_, token) => {
		const stop = new AbortController();
		token.onCancellationRequested(() => stop.abort(new UserError(t("Stopped"))));
		const status = await actions.try(server, stop.signal);
		if (status.state === "failed") void showNotification("warning", status.why ?? serverStateLabel(status));
		return status;
	});
}

function serverItem(status: McpServerStatus, decision: "approved" | "never" | undefined): ServerItem {
	const { config, sessions, tools } = status;
	const changed = tools.filter((tool) => tool.changed).length;
	const facts = [
		serverStateLabel(status),
		decision === "never" ? t("set to never start") : decision === undefined ? t("asks before starting") : "",
		sessions === 1 ? t("in 1 session") : sessions > 1 ? t("in {0} sessions", sessions) : "",
		tools.length === 1 ? t("1 tool") : tools.length > 1 ? t("{0} tools", tools.length) : "",
		changed > 0 ? t("{0} changed", changed) : "",
	];
	const icon = /^[a-z-]{1,40}$/.test(config.icon ?? "") ? config.icon : "server";
	return {
		server: config.id,
		label: `$(${icon}) ${escapeLabel(config.name)}`,
		description: facts.filter((fact) => fact !== "").join(" · "),
		detail: detailOf(status),
		buttons: buttonsOf(status, decision),
	};
}

function detailOf({ config, why }: McpServerStatus): string {
	const text = why ?? config.description;
	if (text !== undefined) return escapeLabel(text);
	return "url" in config ? formatAddress(config.url) : escapeLabel(config.command);
}

function buttonsOf({ config, sessions }: McpServerStatus, decision: "approved" | "never" | undefined): ActButton[] {
	const button = (act: Act, icon: string, tooltip: string): ActButton => ({ act, iconPath: new vscode.ThemeIcon(icon), tooltip });
	return [
		button("restart", "debug-restart", t("Restart and List Tools")),
		...(sessions > 0 ? [button("stop", "debug-stop", t("Stop Server"))] : []),
		button("log", "output", t("Show Output")),
		...(decision === undefined ? [] : [button("forget", "discard", t("Reset Approvals"))]),
		...("url" in config ? [button("signOut", "sign-out", t("Sign Out"))] : []),
	];
}

export function serverStateLabel({ state }: Pick<McpServerStatus, "state">): string {
	return {
		stopped: t("stopped"),
		approval: t("needs your approval"),
		signIn: t("sign-in required"),
		starting: t("starting"),
		ready: t("running"),
		failed: t("failed"),
	}[state];
}

interface ToolItem extends vscode.QuickPickItem {
	tool: string;
}

/** Lets the user mark read-only tools. A server whose tools are unknown is started if the user agrees. */
async function markTools(actions: McpActions, server: string, log: Log): Promise<void> {
	const statusOf = () => actions.list().find(({ config }) => config.id === server);
	let status = statusOf();
	if (status && status.tools.length === 0) {
		await restart(actions, server).catch((error: unknown) => void showError(error, log));
		status = statusOf();
	}
	if (!status) return;
	const { tools, refused, config } = status;
	if (tools.length === 0) {
		if (status.state !== "failed") void showNotification("info", t("{0} offers no tools.", config.name));
		return;
	}
	const picked = await vscode.window.showQuickPick<ToolItem>(
		tools.map((tool) => toolItem(tool, actions.readOnlyMarkHash(server, tool.tool))),
		{
			title: visibleLine(t("Tools from {0}", config.name)),
			placeHolder:
				refused.length > 0
					? t("Select the read-only tools that Planner may use. {0} more tools were rejected. See the log for details.", refused.length)
					: t("Select the read-only tools that Planner may use."),
			canPickMany: true,
			matchOnDetail: true,
		},
	);
	if (!picked) return;
	await actions.markReadOnlyTools(
		server,
		picked.map(({ tool }) => tool),
	);
	void showNotification(
		"info",
		t("Tools from {2} marked read-only: {0} of {1}. Planner may use them.", picked.length, tools.length, config.name),
	);
}

function toolItem({ tool, description, readOnly, claims, changed, hash }: McpToolStatus, mark: string | undefined): ToolItem {
	const facts = [
		changed ? t("$(warning) changed and turned off") : "",
		mark !== undefined && mark !== hash ? t("$(warning) definition changed, no longer marked read-only") : "",
		claimLabel(claims),
	];
	return {
		tool,
		label: escapeLabel(tool),
		description: facts.filter((fact) => fact !== "").join(" · "),
		detail: escapeLabel(description.replace(/\s+/g, " ").trim().slice(0, 300)),
		picked: readOnly,
	};
}

/** The server's own claim about a tool, unverified; the protocol's default is the least safe. */
function claimLabel(claims: readonly string[]): string {
	if (claims.length === 0) return "";
	if (claims.includes("readOnlyHint: true")) return t("declared read-only by the server");
	if (claims.includes("destructiveHint: false")) return t("declared non-destructive by the server");
	return t("declared as making changes by the server");
}

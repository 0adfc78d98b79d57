// Commands that make, change and review agents, by name. What they do is loaded with the first of them.

import * as vscode from "vscode";
import type { LazyEngine } from "../engine.ts";
import type { AgentTarget } from "./agentActions.ts";
import { AGENT_COMMANDS } from "./agentCommandNames.ts";
import type { AgentsPage } from "./agentsPage.ts";

interface Doors {
	engine: LazyEngine;
	page: AgentsPage;
	log: vscode.LogOutputChannel;
}

export function registerAgentCommands({ engine, page, log }: Doors): vscode.Disposable[] {
	return AGENT_COMMANDS.map((name) =>
		vscode.commands.registerCommand(`troupe.${name}`, async (target?: AgentTarget) => {
			try {
				const [{ agentActions }, { sessions }] = await Promise.all([import("./agentActions.ts"), engine.load()]);
				return await agentActions[name](sessions.services.registry, page, target ?? {});
			} catch (error) {
				return (await import("../errorNotifications.ts")).showError(error, log);
			}
		}),
	);
}

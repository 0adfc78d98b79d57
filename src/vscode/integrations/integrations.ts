// Registers the editor integrations: code actions and VS Code's chat; each loads on first use.

import * as vscode from "vscode";
import { createProblemActionProvider, type Destination } from "./codeActions.ts";
import type { IntegrationContext } from "./integrationContext.ts";

/** Id in the manifest. */
const PARTICIPANT = "troupe.chatParticipant";

export function registerIntegrations(ctx: IntegrationContext): vscode.Disposable[] {
	return [
		vscode.languages.registerCodeActionsProvider("*", createProblemActionProvider(goesTo(ctx)), {
			providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
		}),
		...participant(ctx),
		...askTool(ctx),
	];
}

/** Loads nothing to answer. */
function goesTo(ctx: IntegrationContext): (readsOnly: boolean) => Promise<Destination> {
	return async (readsOnly) => {
		const engine = ctx.engine.current();
		if (!engine) return undefined;
		const shown = (await ctx.views.active())?.sessionId;
		return shown === undefined ? undefined : (await import("./sendToChat.ts")).findDestination(engine, shown, readsOnly);
	};
}

/** Registers `@troupe` if the editor has a chat. */
function participant(ctx: IntegrationContext): vscode.Disposable[] {
	if (typeof vscode.chat?.createChatParticipant !== "function") return [];
	const created = vscode.chat.createChatParticipant(PARTICIPANT, async (request, context, stream, token) =>
		(await import("./chatParticipant.ts")).handleChatRequest(ctx, { request, context, stream, token }),
	);
	created.iconPath = new vscode.ThemeIcon("comment-discussion");
	return [created];
}

/** Registers `troupe_ask` if the editor supports language model tools. */
function askTool(ctx: IntegrationContext): vscode.Disposable[] {
	if (typeof vscode.lm?.registerTool !== "function") return [];
	const tool: vscode.LanguageModelTool<unknown> = {
		prepareInvocation: async ({ input }) => (await import("./askTool.ts")).prepareAskInvocation(input),
		invoke: async (options, token) => (await import("./askTool.ts")).invokeAskTool(ctx, options, token),
	};
	return [vscode.lm.registerTool("troupe_ask", tool)];
}

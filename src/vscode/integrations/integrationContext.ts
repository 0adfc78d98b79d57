// What every integration with the editor is handed.
import type * as vscode from "vscode";
import type { ChatViews } from "../chat/chatViews.ts";
import type { LazyEngine } from "../engine.ts";

export interface IntegrationContext {
	engine: LazyEngine;
	views: ChatViews;
	log: vscode.LogOutputChannel;
}

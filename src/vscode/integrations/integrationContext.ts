// The context passed to every editor integration.
import type * as vscode from "vscode";
import type { ChatViews } from "../chat/chatViews.ts";
import type { LazyEngine } from "../engine.ts";

export interface IntegrationContext {
	engine: LazyEngine;
	views: ChatViews;
	log: vscode.LogOutputChannel;
}

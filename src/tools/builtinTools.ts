// The built-in tools, in the order in which models see them.
import type { Tool } from "../core/ports/tool.ts";
import { applyPatch } from "./applyPatch.ts";
import { getFileInfo, listDirectory } from "./directoryTools.ts";
import { executeCommand, readCommandOutput } from "./executeCommand.ts";
import { createFile, deleteFile, renameFile } from "./fileTools.ts";
import { findFiles } from "./findFiles.ts";
import { getDiagnostics, searchSymbol } from "./languageTools.ts";
import { askQuestion, presentPlan, proposeRoleSwitch, updateStep } from "./planTools.ts";
import { readFile } from "./readFile.ts";
import { searchCode } from "./searchCode.ts";
import { updateFile } from "./updateFile.ts";
import { createWebFetch, webFetch } from "./web/webFetch.ts";
import { publicWebAccess, type WebAccess } from "./web/webRequest.ts";

/** `agentFor`: the HTTP agent for hosts that only a proxy can resolve. */
export function builtinTools({ agentFor }: Pick<WebAccess, "agentFor"> = {}): Tool[] {
	return [
		readFile,
		listDirectory,
		findFiles,
		getFileInfo,
		searchCode,
		searchSymbol,
		getDiagnostics,
		updateFile,
		createFile,
		deleteFile,
		renameFile,
		applyPatch,
		executeCommand,
		readCommandOutput,
		agentFor ? createWebFetch({ reach: { ...publicWebAccess, agentFor } }) : webFetch,
		presentPlan,
		askQuestion,
		proposeRoleSwitch,
		updateStep,
	];
}

/** Common tool names that models use, and the tools they mean. */
export const toolAliases: Readonly<Record<string, string>> = { grep: "search_code" };

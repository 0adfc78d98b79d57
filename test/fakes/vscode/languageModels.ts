// Language model tools of the fake `vscode` API: the test lists them and answers their calls.
import type * as vscode from "vscode";

export class LanguageModelTextPart implements vscode.LanguageModelTextPart {
	value: string;
	constructor(value: string) {
		this.value = value;
	}
}

export class LanguageModelToolResult implements vscode.LanguageModelToolResult {
	content: vscode.LanguageModelToolResult["content"];
	constructor(content: vscode.LanguageModelToolResult["content"]) {
		this.content = content;
	}
}

/** A test sets the tools that other extensions contribute. */
export const lm = {
	tools: [] as vscode.LanguageModelToolInformation[],
	invokeTool: async (name: string): Promise<LanguageModelToolResult> => {
		throw new Error(`No tool ${name} runs here.`);
	},
};

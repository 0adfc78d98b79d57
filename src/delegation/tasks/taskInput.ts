// Cleans what a model writes about a task that it starts or continues.
import { ToolError } from "../../core/ports/tool.ts";
import { sanitizeForPrompt } from "../../shared/safeText.ts";

/** Throws ToolError if nothing of it is visible. */
export function requireText(input: string): string {
	const text = sanitizeForPrompt(input);
	if (text.trim() === "") throw new ToolError("The input has no visible text. Nothing was sent. Write what the task is to do.");
	return text;
}

export function nameTask(description: string): string {
	const [line = ""] = sanitizeForPrompt(description).trim().split("\n");
	const characters = [...line.slice(0, 200)];
	return characters.length > 60 ? `${characters.slice(0, 59).join("").trimEnd()}…` : line;
}

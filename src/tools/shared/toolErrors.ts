// Failures below a tool, put into words a model can act on.
import { ToolError } from "../../core/ports/tool.ts";

/** Runs a step whose errors are sentences for the model; a cancel stays a cancel. */
export async function withToolProblem<T>(signal: AbortSignal, brief: string, step: () => Promise<T>): Promise<T> {
	try {
		return await step();
	} catch (error) {
		if (signal.aborted || error instanceof ToolError) throw error;
		throw new ToolError(error instanceof Error ? error.message : String(error), brief);
	}
}

export function fileNotFound(name: string): ToolError {
	return new ToolError(`There is no ${name}. Look for it with find_files or list_directory.`);
}

// Failures below a tool, put into words a model can act on.
import { ToolProblem } from "../../core/ports/tool.ts";

/** Runs a step whose errors are sentences for the model; a cancel stays a cancel. */
export async function orProblem<T>(signal: AbortSignal, brief: string, step: () => Promise<T>): Promise<T> {
	try {
		return await step();
	} catch (error) {
		if (signal.aborted || error instanceof ToolProblem) throw error;
		throw new ToolProblem(error instanceof Error ? error.message : String(error), brief);
	}
}

export function missing(name: string): ToolProblem {
	return new ToolProblem(`There is no ${name}. Look for it with find_files or list_directory.`);
}

// Paths as tools take and show them. Whether one may be touched is the gate's to say; nothing here checks.
import * as z from "zod";
import { formatDisplayPath as shownIn } from "../../core/paths.ts";
import { type PathFacts, type ToolContext, ToolError } from "../../core/ports/tool.ts";
import type { Workspace } from "../../core/ports/workspace.ts";

export const WorkspacePath = z.string().describe("Relative to the workspace folder");

/** What the gate found a path of this call to be. A path it never judged is never touched. */
export function pathFactOf(context: Pick<ToolContext, "paths">, given: string): PathFacts {
	const fact = context.paths.get(given);
	if (!fact) throw new ToolError(`The path ${given} was not judged, so it was not touched. Name it as an argument of its own.`);
	if (fact.refused !== undefined) throw new ToolError(`The path ${given} is refused: ${fact.refused}`);
	return fact;
}

/** An absolute path as people and models see it. */
export function displayPath(path: string, workspace: Pick<Workspace, "folders">): string {
	return shownIn(path, workspace.folders());
}

/** The one file or folder below a folder. */
export function childPath(folder: string, name: string): string {
	return withSlash(folder) + name;
}

function withSlash(path: string): string {
	return path.endsWith("/") ? path : `${path}/`;
}

// Starts the programs that MCP servers are, with an environment of their own.
import { isExecutable } from "../programs/lookup.ts";
import type { Programs } from "../programs/programs.ts";
import { type ProgramLaunch, startProgram } from "../programs/startProgram.ts";
import { MARKER_VARIABLE, terminateProcessTree } from "./processTree.ts";

export function createServerProcesses(programs: Pick<Programs, "environment" | "findOutsideWorkspace">) {
	return {
		environment: (own: Readonly<Record<string, string>>) => programs.environment("server", own),
		findProgram: programs.findOutsideWorkspace,
		isExecutable,
		start: (launch: ProgramLaunch) => startProgram(launch, "all"),
		markerVariable: MARKER_VARIABLE,
		terminateProcessTree,
	};
}

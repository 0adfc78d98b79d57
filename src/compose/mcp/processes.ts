// Hands MCP servers to the one place where programs are started.

import type { ProcessHost } from "../../mcp/stdioTransport.ts";
import { MARKER_VARIABLE, terminateProcessTree } from "../../platform/processes/processTree.ts";
import { isExecutable } from "../../platform/programs/lookup.ts";
import type { Programs } from "../../platform/programs/programs.ts";
import { startProgram } from "../../platform/programs/startProgram.ts";

export function createMcpProcesses(programs: Pick<Programs, "environment" | "findOutsideWorkspace">): ProcessHost {
	return {
		environment: (own) => programs.environment("server", own),
		findProgram: programs.findOutsideWorkspace,
		isExecutable,
		start: (launch) => startProgram(launch, "all"),
		markerVariable: MARKER_VARIABLE,
		terminateProcessTree,
	};
}

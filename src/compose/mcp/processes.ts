// Hands MCP servers to the one place where programs are started.

import type { Processes } from "../../mcp/stdioTransport.ts";
import { endTree, MARKER } from "../../platform/processes/processTree.ts";
import { isProgram } from "../../platform/programs/lookup.ts";
import type { Programs } from "../../platform/programs/programs.ts";
import { startProgram } from "../../platform/programs/startProgram.ts";

export function mcpProcesses(programs: Pick<Programs, "environment" | "outside">): Processes {
	return {
		environment: (own) => programs.environment("server", own),
		find: programs.outside,
		isProgram,
		start: (launch) => startProgram(launch, "all"),
		marker: MARKER,
		endTree,
	};
}

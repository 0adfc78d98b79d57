// Hands MCP servers to the one place where programs are started.
import { endTree, MARKER } from "../machine/processTree.ts";
import { isProgram } from "../machine/programs/lookup.ts";
import type { Programs } from "../machine/programs/programs.ts";
import { startProgram } from "../machine/programs/startProgram.ts";
import type { Processes } from "../mcp/program.ts";

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

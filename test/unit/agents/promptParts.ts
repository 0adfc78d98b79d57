// Test fixture: what the system prompt of a planner is made of.
import { builtinRoles } from "../../../src/agents/builtinRoles.ts";
import type { PromptParts } from "../../../src/core/prompt.ts";
import type { Role } from "../../../src/core/role.ts";

const [planner] = builtinRoles as [Role];

/** Of an agent in an empty workspace. */
export function parts(over: Partial<PromptParts>): PromptParts {
	return {
		agent: { agentId: "a", displayName: "A" },
		role: planner,
		permissions: planner.permissions,
		folders: ["shop"],
		tools: [],
		taskPermissions: planner.ceiling ?? planner.permissions,
		taskTypes: [],
		cliSkills: [],
		artifacts: [],
		messageContext: false,
		channels: [],
		panels: [],
		peers: [],
		instructions: [],
		...over,
	};
}

// Builds the work of agents in other sessions: calls and background tasks, with the tools for them.

import type { Tool } from "../core/ports/tool.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { createAgentTools } from "./calls/agentTools.ts";
import { Calls } from "./calls/calls.ts";
import { abandonCopies, removeCopies } from "./oldCopies.ts";
import { createAgentSwitchTool } from "./switch/agentSwitchTool.ts";
import { createOwnTaskTools } from "./tasks/ownTaskTools.ts";
import { Tasks } from "./tasks/tasks.ts";
import { createTaskTools } from "./tasks/taskTools.ts";

export interface Delegation {
	/** Calls between agents. */
	readonly calls: Calls;
	/** Background tasks that this window runs. */
	readonly tasks: Tasks;
	readonly tools: readonly Tool[];
	/** A setting has changed: more of them may work now. */
	wake(): void;
}

/** Takes part in the lifecycle of the sessions. */
export function createDelegation(sessions: Sessions): Delegation {
	const { services, policy } = sessions;
	const calls = new Calls(sessions);
	const tasks = new Tasks(sessions);
	sessions.onLifecycle({
		opening: async ({ task, ...summary }) => task && tasks.open({ ...summary, task }),
		recovering: () => tasks.recover(),
		taken: (session) => calls.recover(session),
		async losing(id, loss) {
			calls.lost(id, loss);
			await tasks.lost(id);
			if (loss === "deleted") await abandonCopies(services, [id]);
		},
		deleted: (ids) => removeCopies(services, ids),
		async closing() {
			await tasks.close();
			await calls.close();
		},
		closed: () => tasks.whenSettled(),
	});
	return {
		calls,
		tasks,
		tools: [...createAgentTools(sessions, calls), createAgentSwitchTool(policy), ...createTaskTools(tasks), ...createOwnTaskTools(tasks)],
		wake() {
			policy.limits.wake();
			tasks.places.wake();
		},
	};
}

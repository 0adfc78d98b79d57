// The policy of a task: its own agent, the permissions of its caller, and the limits that all tasks share.
import type { AgentDefinition } from "../../core/role.ts";
import type { TaskRecord, TaskType } from "../../core/task.ts";
import type { SessionPolicy, SessionSetup } from "../../session/services.ts";
import type { TurnLimits } from "../../session/state/turnLimits.ts";

/** `record`: the task's record as it is now. */
export function createTaskPolicy({ services, policy }: SessionSetup, record: () => TaskRecord, limits: TurnLimits): SessionPolicy {
	let known: { type: TaskType; caller: AgentDefinition; agents: readonly AgentDefinition[] } | undefined;
	return {
		limits,
		prompt: (parts) => policy.prompt({ ...parts, brief: true }),
		/** Applies also to turns that the user begins, which bring no limits. */
		settings() {
			const { budget, spent } = record();
			return { ...policy.settings(), maxSteps: Math.max(0, budget.steps - spent.steps) };
		},
		roles() {
			const { ceiling } = record();
			return policy.roles().map((role) => {
				const limited = role.ceiling && { ceiling: role.ceiling.filter((permission) => ceiling.includes(permission)) };
				return { ...role, permissions: role.permissions.filter((permission) => ceiling.includes(permission)), ...limited };
			});
		},
		agents() {
			const all = policy.agents();
			const { type: name, caller: made } = record();
			const type = services.taskTypes?.find(name);
			const caller = all.find(({ agentId }) => agentId === made.agent);
			// The task's agent is not defined then, and its turns fail with that reason.
			if (!services.taskTypes || !type || !caller) return all;
			if (known?.type !== type || known.caller !== caller) known = { type, caller, agents: [services.taskTypes.agent(type, caller)] };
			return known.agents;
		},
	};
}

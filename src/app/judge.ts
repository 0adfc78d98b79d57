// Gathers what the gate needs to know of a call and puts the question to it.
import type { CommandFact, Gate, PathFact, Verdict } from "../core/gate.ts";
import type { Tool } from "../core/tool.ts";
import { namedByStep } from "./planFlow.ts";
import type { TurnContext } from "./turnContext.ts";

export interface CallFacts {
	paths: PathFact[];
	command?: CommandFact;
	url?: string;
	skill?: string;
	peer?: string;
}

export async function gatherFacts(gate: Gate, tool: Tool, input: unknown): Promise<CallFacts> {
	const paths = await Promise.all((tool.paths?.(input) ?? []).map(({ path, use }) => gate.path(path, use)));
	const line = tool.command?.(input);
	const url = tool.url?.(input);
	const skill = tool.skill?.(input);
	const peer = tool.peer?.(input);
	return {
		paths,
		...(line && { command: await gate.command(line.command, line.cwd) }),
		...(url !== undefined && { url }),
		...(skill !== undefined && { skill }),
		...(peer !== undefined && { peer }),
	};
}

export async function judge(turn: TurnContext, tool: Tool, facts: CallFacts): Promise<Verdict> {
	const { services, agent, role, ceiling, state } = turn;
	const settings = services.settings();
	return services.gate.authorize({
		agent,
		role,
		...(ceiling && { ceiling }),
		tool,
		...facts,
		rules: settings.rules,
		grants: await services.grants.counting(agent.agentId, services.gate.grantable({ tool, ...facts })),
		workspace: services.workspace.identity(),
		mode: settings.approval,
		planRuns: state.run !== undefined,
		planNames: namedByStep(state, services.workspace),
		canAsk: turn.canAsk,
	});
}

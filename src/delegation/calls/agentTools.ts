// The tools with which agents call other agents.
import * as z from "zod";
import { defineTool, type Tool, type ToolContext, ToolError } from "../../core/ports/tool.ts";
import { type AgentDefinition, isCallable } from "../../core/role.ts";
import { runtimeOf } from "../../core/runtimeKind.ts";
import type { SessionPolicy } from "../../session/services.ts";
import type { SessionDirectory } from "../../sessions/directory.ts";
import { summaryAndDone } from "../../shared/toolWords.ts";
import { CALLING_TOOL } from "./callAudit.ts";
import { createView, RESULT_BYTES } from "./callResult.ts";
import type { Calls } from "./calls.ts";
import { STRATEGIES } from "./findTarget.ts";

const MessageSchema = z.object({
	agentId: z.string().min(1).max(200).describe("Id of the agent"),
	content: z.string().min(1).max(100_000).describe("What you ask, with all that it needs to know"),
	session: z
		.string()
		.min(1)
		.max(128)
		.optional()
		.describe(`${STRATEGIES.join(", ")} (default), or a session id`),
	mode: z.enum(["sync", "async"]).optional().describe("sync (default) waits; async returns at once, and the answer comes as a message"),
	timeout: z.number().positive().max(86_400).optional().describe("Seconds, for sync"),
});

export function createAgentTools({ policy }: Pick<SessionDirectory, "policy">, calls: Calls): Tool[] {
	const idle = ({ agentId }: AgentDefinition) => !policy.agents().some((other) => other.agentId !== agentId && isCallable(other));
	const message = defineTool<z.infer<typeof MessageSchema>>({
		name: CALLING_TOOL,
		plugin: "agents",
		description:
			"Send a message to another agent, which answers with its own tools and history. Calls next to each other run at the same time.",
		permissions: ["Delegate"],
		capabilities: ["agents.message"],
		input: MessageSchema,
		parallel: true,
		outputLimit: RESULT_BYTES,
		isIdle: idle,
		peer: ({ agentId }) => agentId,
		url: ({ agentId }) => externalUrl(policy, agentId),
		...summaryAndDone(CALLING_TOOL),
		async run({ agentId, content, session = "latest-or-create", mode = "sync", timeout }, context) {
			const { caller, signal, delegated } = requireCaller(context);
			const seconds = timeout ?? policy.settings().delegation.timeout;
			const request = { agentId, content, session, mode, timeout: seconds };
			const { result, followed, waits } = await calls.call(request, { caller, signal, delegated });
			return {
				output: JSON.stringify(result),
				status: result.status === "error" ? "error" : "ok",
				view: followed
					? createView(result, followed, waits)
					: { kind: "agent", agent: agentId, session: result.sessionId, turn: result.responseId, mode, status: result.status },
			};
		},
	});
	const list = defineTool<Record<string, never>>({
		name: "agents_list",
		plugin: "agents",
		description: "List the agents that you can send messages to: whether each is busy, and how many more may run.",
		permissions: [],
		capabilities: ["agents.list"],
		input: z.object({}),
		isIdle: idle,
		...summaryAndDone("agents_list"),
		async run(_, context) {
			const { caller, peers } = requireCaller(context);
			return { output: JSON.stringify(await calls.list(caller, peers())) };
		},
	});
	return [message, list];
}

function requireCaller(context: ToolContext) {
	const { caller } = context;
	if (caller) return { ...context, caller };
	throw new ToolError("Only an agent's own turn can call other agents.");
}

/** Returns the URL for messages to an agent that is reached over HTTP. */
function externalUrl({ agents }: SessionPolicy, agentId: string): string | undefined {
	const agent = agents().find((candidate) => candidate.agentId === agentId);
	return agent && runtimeOf(agent) === "external" ? agent.external?.inputUrl : undefined;
}

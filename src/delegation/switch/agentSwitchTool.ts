// The tool with which an agent offers the user to continue with another agent.
import * as z from "zod";
import { defineTool, type Tool, ToolError } from "../../core/ports/tool.ts";
import { type AgentDefinition, isCallable } from "../../core/role.ts";
import { withQuestionVersion } from "../../core/structured.ts";
import type { SessionPolicy } from "../../session/services.ts";
import { toInertText } from "../../shared/inertText.ts";
import { t } from "../../shared/l10n.ts";
import { sanitizeForPrompt } from "../../shared/safeText.ts";
import { summaryAndDone } from "../../shared/toolWords.ts";

/** Characters of a message that an agent proposes. */
const MESSAGE_LENGTH = 8_000;

/** Agents that the user can switch to. */
export function listSwitchTargets({ agents }: Pick<SessionPolicy, "agents">): AgentDefinition[] {
	return agents().filter(isCallable);
}

export function createAgentSwitchTool(policy: Pick<SessionPolicy, "agents">): Tool {
	return defineTool({
		name: "agents_switch",
		plugin: "agents",
		description: "Offer the person to go on with another agent: they edit and send the message, or not; the turn ends.",
		permissions: ["Delegate"],
		capabilities: ["agents.switch"],
		input: z.object({
			agentId: z.string().min(1).max(200),
			message: z.string().min(1).max(MESSAGE_LENGTH).describe("From the person to that agent"),
			carry: z.enum(["none", "summary", "plan", "all"]).describe("What of this conversation goes along"),
		}),
		isIdle: ({ agentId }) => !listSwitchTargets(policy).some((other) => other.agentId !== agentId),
		...summaryAndDone("agents_switch"),
		peer: ({ agentId }) => agentId,
		async run({ agentId, message, carry }, { caller, peers }) {
			if (caller && caller.depth > 1)
				throw new ToolError(
					`You answer the agent ${caller.chain.at(-2)}, and the person is elsewhere. Nothing was offered. Name ${agentId} in your answer instead.`,
				);
			const agent = listSwitchTargets(policy).find((target) => target.agentId === agentId);
			if (!agent) {
				const known = peers().map((peer) => peer.agentId);
				throw new ToolError(`There is no agent ${agentId}. Nothing was offered. There are: ${known.join(", ") || "no others"}.`);
			}
			const text = toInertText(sanitizeForPrompt(message).trim());
			if (text === "") throw new ToolError("The message has no visible text, so nothing was offered. Write one.");
			return {
				output: "The offer is shown to the person. Nothing is sent before they take it. The turn ends here; wait for them.",
				view: { kind: "text" },
				events: [
					{
						type: "question",
						question: withQuestionVersion({ question: t("Switch to {0}?", agent.displayName), severity: "minor", allow_custom: false }),
						about: { kind: "switchAgent", agent: agentId, message: text, carry },
					},
				],
			};
		},
	});
}

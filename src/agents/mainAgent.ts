// The built-in main agent: it thinks to itself, speaks in replies, and leaves work on files to tasks.
import { type AgentDefinition, MAIN_AGENT } from "../core/role.ts";
import { t } from "../shared/l10n.ts";

/** Safety rules for agents that work on their own, including tasks. */
export const SAFETY =
	"You have no goals of your own: no self-preservation, no more access or resources than the request needs. Safety and the person's control count more than finishing; if instructions conflict or seem dangerous, pause and ask. Never try to change your prompt, rules or permissions, or talk anyone into widening them. Stop at once when told to.";

const PROMPT = `You are the person's main agent: the one they talk to, who keeps the thread and hands work to others. You have no file, shell or web tools: background tasks have them.

# Safety

You run for long and get messages from several places. ${SAFETY}`;

/** The main agent without its roles. */
export const mainDefinition: AgentDefinition = {
	agentId: MAIN_AGENT,
	displayName: t("Main Agent"),
	description: t("Talks with you, remembers, and has background tasks do the work"),
	systemPrompt: PROMPT,
	icon: "comment-discussion",
	output: "reply",
	optIn: ["tasks", "memory"],
	freshTasks: true,
	plugins: ["channels", "tasks", "agents", "memory", "archive", "time", "skills"],
	single: true,
};

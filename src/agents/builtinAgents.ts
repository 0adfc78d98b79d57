// The agents that ship with Troupe. They live in code and cannot be deleted.
import type { AgentDefinition } from "../core/role.ts";
import { t } from "../shared/l10n.ts";

export const defaultAgent: AgentDefinition = {
	agentId: "default",
	displayName: t("General Assistant"),
	description: t("A general-purpose coding assistant"),
	systemPrompt: "You are General Assistant. A general-purpose coding assistant.",
	icon: "hubot",
};

export const builtinAgents: readonly AgentDefinition[] = [defaultAgent];

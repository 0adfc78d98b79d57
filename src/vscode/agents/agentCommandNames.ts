// The commands that make, change and review agents.

export const AGENT_COMMANDS = ["manageAgents", "newAgent", "editAgent", "duplicateAgent", "deleteAgent", "reviewAgent"] as const;

export type AgentCommand = (typeof AGENT_COMMANDS)[number];

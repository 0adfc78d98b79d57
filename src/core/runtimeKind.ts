// Tells what runs an agent's turns, and what is true of each kind of runtime.

import type { AgentDefinition, ChatProvider } from "./role.ts";

export type RuntimeKind = "loop" | "claude" | "codex" | "pi" | "acp" | "external";

export interface RuntimeTraits {
	/** Answers with a model of its own instead of one of ours. */
	ownModel: boolean;
	/** Runs its own tools, which the gate judges as ours with the same effect. */
	runsOwnTools: boolean;
	/** Asks before every call; the calls of others may run without a question. */
	asksEveryCall: boolean;
	/** Takes messages while its turn runs. */
	steers: boolean;
	/** Starts a program on this computer. */
	startsProgram: boolean;
	/** Limit that holds it in a role that changes nothing: the gate, a sandbox around its program, or it never gets such a role. */
	planner: "gate" | "sandbox" | "never";
}

export const runtimeTraits: Readonly<Record<RuntimeKind, RuntimeTraits>> = {
	loop: { ownModel: false, runsOwnTools: false, asksEveryCall: true, steers: true, startsProgram: false, planner: "gate" },
	claude: { ownModel: true, runsOwnTools: true, asksEveryCall: true, steers: true, startsProgram: true, planner: "gate" },
	codex: { ownModel: true, runsOwnTools: true, asksEveryCall: true, steers: true, startsProgram: true, planner: "gate" },
	pi: { ownModel: true, runsOwnTools: true, asksEveryCall: true, steers: true, startsProgram: true, planner: "gate" },
	acp: { ownModel: true, runsOwnTools: true, asksEveryCall: false, steers: false, startsProgram: true, planner: "sandbox" },
	external: { ownModel: true, runsOwnTools: true, asksEveryCall: false, steers: false, startsProgram: false, planner: "never" },
};

/** Providers that are programs. All others are models that our loop asks. */
const programs: Readonly<Partial<Record<ChatProvider, RuntimeKind>>> = { "claude-cli": "claude", "codex-cli": "codex", "pi-cli": "pi" };

export function runtimeOf({ type, chat }: Pick<AgentDefinition, "type" | "chat">): RuntimeKind {
	if (type === "external") return "external";
	return (chat?.provider && programs[chat.provider]) ?? "loop";
}

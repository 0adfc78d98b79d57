// The person as the gate judges them: no agent's lists and no role narrow what they do themselves.
import { type AgentDefinition, PERMISSIONS, type Role } from "../../core/role.ts";

export const PERSON: AgentDefinition = { agentId: "person", displayName: "Person" };
export const EVERYTHING: Role = { id: "person", label: "Person", permissions: PERMISSIONS, prompt: "" };

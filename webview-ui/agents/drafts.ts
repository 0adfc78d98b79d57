// Drafts as they are compared and sent: lists without empty lines, fields in one order. Pure.
import type { AgentDraft } from "../../src/core/agent.ts";

export type DraftField = keyof AgentDraft;

/** The lists of a definition whose entries a person types, one a line. */
const TYPED = [
	"toolAllowlist",
	"toolDenylist",
	"capabilityAllowlist",
	"capabilityDenylist",
	"skillAllowlist",
	"skillDenylist",
	"agentAllowlist",
	"agentDenylist",
	"allowedTools",
] as const;

/**
 * As it is kept: what was left empty is not there, but for an allow list, which then lets nothing through. Null clears a list
 * that a parent has, as an empty deny list does, and means nothing without a parent.
 */
export function normalizeDraft(draft: AgentDraft): AgentDraft {
	const clean: Record<string, unknown> = {};
	const inherits = draft.extends !== undefined;
	for (const [field, value] of Object.entries(draft)) {
		const typed = (TYPED as readonly string[]).includes(field) && Array.isArray(value);
		const kept = typed ? (value as string[]).map((line) => line.trim()).filter((line) => line !== "") : value;
		const empty = Array.isArray(kept) && kept.length === 0 && field !== "roles" && !field.endsWith("Allowlist");
		const clears = inherits && (kept === null || (empty && field.endsWith("Denylist")));
		if (clears) clean[field] = null;
		else if (kept !== undefined && kept !== null && kept !== "" && !empty) clean[field] = kept;
	}
	clean["displayName"] = draft.displayName.trim();
	return clean as unknown as AgentDraft;
}

/** The same content gives the same text. */
export function serializeDraft(draft: AgentDraft): string {
	return JSON.stringify(normalizeDraft(draft), (_, part: unknown) =>
		typeof part === "object" && part !== null && !Array.isArray(part)
			? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
			: part,
	);
}

/** Undefined takes a field away. */
export type DraftChange = { [F in DraftField]?: AgentDraft[F] | undefined };

export function applyDraftChange(draft: AgentDraft, change: DraftChange): AgentDraft {
	const next = Object.fromEntries(Object.entries({ ...draft, ...change }).filter(([, value]) => value !== undefined));
	return { ...next, displayName: (change.displayName ?? draft.displayName) as string } as AgentDraft;
}

/** Fields in which two drafts differ. */
export function differingFields(left: AgentDraft, right: AgentDraft): Set<string> {
	const [one, other] = [normalizeDraft(left), normalizeDraft(right)] as [Partial<AgentDraft>, Partial<AgentDraft>];
	const fields = new Set([...Object.keys(one), ...Object.keys(other)] as DraftField[]);
	return new Set([...fields].filter((field) => JSON.stringify(one[field]) !== JSON.stringify(other[field])));
}

// Normalizes and compares drafts: no empty lines, fields in a fixed order. Pure.
import type { AgentDraft } from "../../src/core/agent.ts";

export type DraftField = keyof AgentDraft;

/** Lists that the user types, one entry per line. */
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
	"optIn",
] as const;

/**
 * The form that is saved: empty fields are omitted, except an empty allow list, which allows nothing. Null clears a parent's
 * list, as an empty deny list does; without a parent it is omitted.
 */
export function normalizeDraft(draft: AgentDraft): AgentDraft {
	const clean: Record<string, unknown> = {};
	const inherits = draft.extends !== undefined;
	for (const [field, value] of Object.entries(draft)) {
		const typed = (TYPED as readonly string[]).includes(field) && Array.isArray(value);
		const normalized = typed ? (value as string[]).map((line) => line.trim()).filter((line) => line !== "") : value;
		const empty = Array.isArray(normalized) && normalized.length === 0 && field !== "roles" && !field.endsWith("Allowlist");
		const clears = inherits && (normalized === null || (empty && field.endsWith("Denylist")));
		if (clears) clean[field] = null;
		else if (normalized !== undefined && normalized !== null && normalized !== "" && !empty) clean[field] = normalized;
	}
	clean["displayName"] = draft.displayName.trim();
	return clean as unknown as AgentDraft;
}

/** Equal content yields equal text. */
export function serializeDraft(draft: AgentDraft): string {
	return JSON.stringify(normalizeDraft(draft), (_, part: unknown) =>
		typeof part === "object" && part !== null && !Array.isArray(part)
			? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
			: part,
	);
}

/** Undefined removes a field. */
export type DraftChange = { [F in DraftField]?: AgentDraft[F] | undefined };

export function applyDraftChange(draft: AgentDraft, change: DraftChange): AgentDraft {
	const next = Object.fromEntries(Object.entries({ ...draft, ...change }).filter(([, value]) => value !== undefined));
	return { ...next, displayName: (change.displayName ?? draft.displayName) as string } as AgentDraft;
}

/** Fields that differ between two drafts. */
export function differingFields(left: AgentDraft, right: AgentDraft): Set<string> {
	const [first, second] = [normalizeDraft(left), normalizeDraft(right)] as [Partial<AgentDraft>, Partial<AgentDraft>];
	const fields = new Set([...Object.keys(first), ...Object.keys(second)] as DraftField[]);
	return new Set([...fields].filter((field) => JSON.stringify(first[field]) !== JSON.stringify(second[field])));
}

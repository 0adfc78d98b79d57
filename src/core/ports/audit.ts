// The audit log's interface: who called whom, for what, and what was decided.

/** Its newest file; the older ones are `audit.1.jsonl` to `audit.3.jsonl`. */
export const AUDIT_FILE = "audit.jsonl";

export interface AuditLog {
	/** Resolves once the entry is on disk, or was counted with an equal one. Never rejects: a failing disk is reported in the log. */
	record(entry: AuditEntry): Promise<void>;
}

export interface AuditEntry {
	/** ISO 8601. */
	at: string;
	kind: "call" | "refusal" | "answer" | "approval" | "widening";
	/** `call` is the id of the tool call. */
	caller: { session: string; agent: string; call?: string; role?: string };
	target: { agent: string; session?: string };
	/** Ids of the agents from the first caller to the target. */
	chain?: readonly string[];
	/** Permissions that limit the target's turn. */
	ceiling?: readonly string[];
	/** Its purpose. The first 500 characters are recorded. */
	summary: string;
	decision: "allowed" | "refused";
	/** Reason why it was refused. */
	reason?: string;
	/** Status with which it ended. */
	status?: string;
	tokens?: number;
	/** Number of equal refusals that this entry stands for; one if absent. */
	count?: number;
}

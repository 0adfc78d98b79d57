// The errors for what cannot be done with a session here and now.
import type { SessionSummary } from "../../core/events.ts";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";

/** The session cannot continue here and now; the message says why and what to do. */
export class SessionBlockedError extends UserError {
	override readonly name = "SessionBlockedError";
	readonly code: SessionBlockCode;
	constructor(code: SessionBlockCode, message: string) {
		super(message);
		this.code = code;
	}
}

export type SessionBlockCode =
	| "files-gone"
	| "message-to-itself"
	| "no-acting-agent"
	| "no-acting-role"
	| "no-plan"
	| "not-last-message"
	| "nothing-to-compact"
	| "other-window"
	| "outdated-plan"
	| "own-history"
	| "plan-approval"
	| "queue-full"
	| "restricted"
	| "turn-running"
	| "turn-stopped"
	| "unknown-message";

export function createRunningError(): SessionBlockedError {
	return new SessionBlockedError("turn-running", t("A turn is running. Stop the turn or wait until it ends, then try again."));
}

/** Creates the error for what waited for the end of a turn that was then stopped. */
export function createStoppedError(): SessionBlockedError {
	return new SessionBlockedError("turn-stopped", t("The turn was stopped before this began. Nothing was started. Try again."));
}

/** The id belongs to a session of another agent, or to a task. */
export class SessionExistsError extends UserError {
	override readonly name = "SessionExistsError";
	readonly code = "exists";
	readonly session: SessionSummary;
	constructor(session: SessionSummary) {
		super(
			session.kind === "task"
				? t("The ID {0} already belongs to a background task. Nothing was changed. Choose another ID.", session.sessionId)
				: t(
						"The session {0} already exists and belongs to the agent {1}. Nothing was changed. Choose that agent or another ID.",
						session.sessionId,
						session.agentId,
					),
		);
		this.session = session;
	}
}

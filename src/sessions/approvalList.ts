// Lists approvals for display and revokes them.

import { type GrantRow, listGrantRows, listOutdatedRows, revokeGrantRow } from "../session/approvals/grantRows.ts";
import type { Sessions } from "./sessions.ts";

export interface ApprovalList {
	rows(): Promise<GrantRow[]>;
	/** Approvals that today's rules no longer offer in the same form, and unreadable records. */
	outdated(): Promise<GrantRow[]>;
	/** Rejects with a displayable message; the approval then still applies. */
	revoke(row: GrantRow): Promise<void>;
	/** Revokes all approvals of an agent. */
	forget(agentId: string): Promise<void>;
	/** A sentence on whether a sandbox works here; undefined if no sandbox is available. */
	sandbox(): string | undefined;
}

export function createApprovalList(sessions: Sessions): ApprovalList {
	const { services, policy } = sessions;
	const { grants, tools } = services;
	const { gate, workspace } = services.window;
	const command = tools.find((tool) => tool.command);
	const narrowed = () => {
		const { rules } = policy.settings();
		const allow = "invalid" in rules ? [] : rules.allow;
		return allow.flatMap((rule) => {
			const reason = gate.narrowed(rule, tools);
			return reason === undefined ? [] : [{ rule, reason }];
		});
	};
	const parts = { grants, workspace: () => workspace.identity(), narrowed };
	return {
		rows: () =>
			listGrantRows({
				...parts,
				offered: async (line, cwd) => (command ? gate.grantable({ tool: command, paths: [], command: await gate.command(line, cwd) }) : []),
				sessions: () => sessions.approvedInSessions(),
			}),
		outdated: () => listOutdatedRows(parts),
		revoke: (row) => revokeGrantRow(grants, (session, agentId, entry) => sessions.revokeInSession(session, agentId, entry), row),
		forget: (agentId) => grants.forget(agentId),
		sandbox: () => services.sandbox?.why(),
	};
}

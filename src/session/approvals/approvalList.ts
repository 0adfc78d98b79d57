// The list of approvals, ready for whoever shows it and revokes what is in it.
import type { Sessions } from "../sessions.ts";
import { type GrantRow, listGrantRows, listOutdatedRows, revokeGrantRow } from "./grantRows.ts";

export interface ApprovalList {
	rows(): Promise<GrantRow[]>;
	/** Those that the rules of today do not offer alike, and what cannot be read. */
	outdated(): Promise<GrantRow[]>;
	/** Rejects with a sentence; what the row names then still counts. */
	revoke(row: GrantRow): Promise<void>;
	/** Takes everything back that an agent has. */
	forget(agentId: string): Promise<void>;
	/** Whether a sandbox works here: a sentence; undefined where none is known of. */
	sandbox(): string | undefined;
}

export function createApprovalList(sessions: Sessions): ApprovalList {
	const { services } = sessions;
	const { grants, gate, tools, workspace } = services;
	const command = tools.find((tool) => tool.command);
	const narrowed = () => {
		const { rules } = services.settings();
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

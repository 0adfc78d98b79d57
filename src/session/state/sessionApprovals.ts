// One session's approvals in memory, with the names the user has approved and how often.

import type { EventOf } from "../../core/events.ts";
import { formatGrantEntry } from "../../core/grant.ts";
import type { Grant, Grantable } from "../../core/ports/gate.ts";
import type { AgentDefinition, ApprovalMode } from "../../core/role.ts";
import { t } from "../../shared/l10n.ts";
import { contentHash } from "../../shared/node/hash.ts";
import { approvalModeName } from "../../shared/permissionLabels.ts";

interface Given {
	grant: Grant;
	/** Hash of the agent's definition at that time. */
	definition: string;
}

export class SessionApprovals {
	private given: Given[] = [];
	private readonly known = new Set<string>();
	private readonly times = new Map<string, number>();

	/** All approvals, oldest first. */
	get grants(): readonly Grant[] {
		return this.given.map(({ grant }) => grant);
	}

	/** Origins and definition hashes that the user has allowed at least once. */
	get destinations(): readonly string[] {
		return [...this.known];
	}

	/** This agent's approvals, as long as its definition has not changed since. */
	of(agent: AgentDefinition): readonly Grant[] {
		const definition = definitionHash(agent);
		return this.given.flatMap(({ grant, definition: then }) => (grant.agent === agent.agentId && then === definition ? [grant] : []));
	}

	give(
		agent: AgentDefinition,
		{ tool, class: covered, scriptsHash, bound, line, external }: Grantable,
		workspace: string,
		at: string,
	): void {
		const grant: Grant = {
			agent: agent.agentId,
			tool,
			class: covered,
			workspace,
			at,
			...(scriptsHash !== undefined && { scriptsHash }),
			...(bound && { bound }),
			...(line && { line }),
			...(external && { external }),
		};
		this.given = [
			...this.given.filter((other) => !(coversSame(other.grant, grant) && other.grant.workspace === workspace)),
			{ grant, definition: definitionHash(agent) },
		];
	}

	/** Revokes an entry in all workspaces. */
	revoke(agentId: string, entry: string): void {
		this.given = this.given.filter(({ grant }) => grant.agent !== agentId || formatGrantEntry(grant) !== entry);
	}

	/** Marks names as approved before. */
	meet(names: readonly string[]): void {
		for (const name of names) this.known.add(name);
	}

	/** Returns how often the user has allowed this name. */
	allowed(name: string): number {
		return this.times.get(name) ?? 0;
	}

	count(names: readonly string[]): void {
		for (const name of new Set(names)) this.times.set(name, this.allowed(name) + 1);
	}

	/** Called when another agent or another window takes over: the approvals were not meant for it. */
	end(): void {
		this.given = [];
		this.known.clear();
		this.times.clear();
	}
}

function coversSame(one: Grant, other: Grant): boolean {
	return one.agent === other.agent && formatGrantEntry(one) === formatGrantEntry(other);
}

/** Excludes `allowedTools`, which may change without making it a different agent. */
function definitionHash({ allowedTools: _, ...definition }: AgentDefinition): string {
	return contentHash(definition);
}

type Chosen = Pick<EventOf<"status">, "type" | "level" | "text" | "approval"> & { by: "person" };

export function createApprovalModeEvent(mode: ApprovalMode | "default"): Chosen {
	const text =
		mode === "default"
			? t("This session uses the default approval mode.")
			: t("Approval mode for this session: {0}.", approvalModeName(mode));
	return { type: "status", level: "info", text, approval: mode, by: "person" };
}

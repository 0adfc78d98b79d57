// Holds one session's approvals in memory, with what was allowed before and how often.

import type { EventOf } from "../../core/events.ts";
import { formatGrantEntry } from "../../core/grant.ts";
import type { Grant, Grantable } from "../../core/ports/gate.ts";
import type { AgentDefinition, ApprovalMode } from "../../core/role.ts";
import { t } from "../../shared/l10n.ts";
import { contentHash } from "../../shared/node/hash.ts";
import { approvalModeName } from "../../shared/permissionLabels.ts";

interface Given {
	grant: Grant;
	/** Hash of the agent's definition when it was given. */
	definition: string;
}

export class SessionApprovals {
	private given: Given[] = [];
	private readonly known = new Set<string>();
	private readonly times = new Map<string, number>();

	/** All that were given, the oldest first. */
	get grants(): readonly Grant[] {
		return this.given.map(({ grant }) => grant);
	}

	/** Origins and definition hashes that the person has allowed at least once. */
	get met(): readonly string[] {
		return [...this.known];
	}

	/** Those of this agent, as long as its definition is the one they were given to. */
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
			...this.given.filter((other) => !(isOf(other.grant, grant) && other.grant.workspace === workspace)),
			{ grant, definition: definitionHash(agent) },
		];
	}

	/** Takes an entry back wherever it was given. */
	revoke(agentId: string, entry: string): void {
		this.given = this.given.filter(({ grant }) => grant.agent !== agentId || formatGrantEntry(grant) !== entry);
	}

	/** Where the person has let it go, it may go again. */
	meet(names: readonly string[]): void {
		for (const name of names) this.known.add(name);
	}

	/** How often the person has allowed what goes by that name. */
	allowed(name: string): number {
		return this.times.get(name) ?? 0;
	}

	count(names: readonly string[]): void {
		for (const name of new Set(names)) this.times.set(name, this.allowed(name) + 1);
	}

	/** Another agent takes over, or another window: nothing of it is meant for them. */
	end(): void {
		this.given = [];
		this.known.clear();
		this.times.clear();
	}
}

function isOf(one: Grant, other: Grant): boolean {
	return one.agent === other.agent && formatGrantEntry(one) === formatGrantEntry(other);
}

/** What is always allowed may come and go without making it another agent. */
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

// Shows an agent's details, and tracks how long a definition that needs approval has been displayed.
import { structuredPatch } from "diff";
import type { AgentDraft, ListedAgent, UnapprovedAgent } from "../../core/agent.ts";
import type { McpServerStatus } from "../../core/ports/mcp.ts";
import { AGENT_SCOPE_LISTS, type AgentDefinition } from "../../core/role.ts";
import { listAllowedRoles } from "../../session/agent/sessionAgent.ts";
import type { SessionSetup } from "../../session/services.ts";
import { AnswerRefusedError, MIN_ANSWER_DELAY } from "../../session/state/pendingApprovals.ts";
import { formatList, t } from "../../shared/l10n.ts";
import { permissionLabels } from "../../shared/permissionLabels.ts";
import type { AgentDetail, AgentsUpdate } from "../../shared/protocol/agents.ts";
import { findEntry } from "./agentsView.ts";
import { computeScope } from "./scope.ts";

interface AgentDetails {
	/** Sends the details of that entry, if it has any. */
	send(key: string): void;
	/** Throws AnswerRefusedError for a click on a definition that has only just appeared. */
	requireShown(key: string, hash: string): void;
	/** Nothing is displayed any more. */
	forget(): void;
}

interface DetailsOptions {
	setup: SessionSetup;
	servers(): readonly McpServerStatus[];
	now(): number;
	post(update: AgentsUpdate): void;
}

export function createAgentDetails({ setup, servers, now, post }: DetailsOptions): AgentDetails {
	const { registry } = setup.services;
	/** The displayed definition that needs approval, and when it was first displayed. */
	let shows: { key: string; hash: string; since: number } | undefined;

	function agentDetail({ definition, source, own }: ListedAgent): AgentDetail {
		const draft = own ?? draftOf(definition);
		return {
			kind: "agent",
			draft,
			problems: source.kind === "file" ? registry.check(draft, definition.agentId) : [],
			scope: computeScope(setup, definition, servers()),
		};
	}

	function waitingDetail({ definition, hash, text, approved, notes }: UnapprovedAgent): AgentDetail {
		const roles = listAllowedRoles(setup.policy, definition);
		const known = servers();
		return {
			kind: "waiting",
			hash,
			text,
			...(approved !== undefined && { diff: difference(approved, text) }),
			scope: computeScope(setup, definition, known),
			roles: definition.roles ? roles.map(({ label }) => label).join(", ") || t("None available") : t("Every role"),
			may: formatList([...new Set(roles.flatMap(({ permissions }) => permissions))].map((one) => permissionLabels[one])) || t("nothing"),
			servers: (definition.mcpServers ?? []).map((id) => known.find(({ config }) => config.id === id)?.config.name ?? id),
			ignored: notes,
		};
	}

	return {
		send(key) {
			const entry = findEntry(registry.catalog(), key);
			if (entry?.kind === "agent") post({ type: "detail", key, detail: agentDetail(entry.agent) });
			if (entry?.kind !== "waiting") {
				shows = undefined;
				return;
			}
			const { hash } = entry.agent;
			post({ type: "detail", key, detail: waitingDetail(entry.agent) });
			// A definition that reappears counts as newly displayed.
			if (shows?.key !== key || shows.hash !== hash) shows = { key, hash, since: now() };
		},
		requireShown(key, hash) {
			if (shows?.key !== key || shows.hash !== hash || now() - shows.since < MIN_ANSWER_DELAY)
				throw new AnswerRefusedError("early", t("The answer came too early: the definition was just displayed."));
		},
		forget() {
			shows = undefined;
		},
	};
}

/** The definition is resolved, so a missing list was cleared, or the parent has none either. */
function draftOf({ agentId: _, ...draft }: AgentDefinition): AgentDraft {
	if (draft.extends === undefined) return draft;
	return { ...Object.fromEntries(AGENT_SCOPE_LISTS.map((list) => [list, null])), ...draft };
}

/** Returns unified hunks; "" if the texts have too little in common. */
function difference(before: string, after: string): string {
	const hunks = structuredPatch("", "", before, after, "", "", { context: 3, timeout: 50 })?.hunks ?? [];
	return hunks
		.map(({ oldStart, oldLines, newStart, newLines, lines }) =>
			[`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines].join("\n"),
		)
		.join("\n");
}

// What the page "Manage Agents" shows of the registry: one row for each agent, broken and waiting ones among them.

import type { AgentCatalog, AgentSource, BrokenAgent, ListedAgent, UnapprovedAgent } from "../../core/agent.ts";
import type { McpServerStatus } from "../../core/ports/mcp.ts";
import type { Permission, Role } from "../../core/role.ts";
import { t } from "../../shared/l10n.ts";
import { permissionLabels } from "../../shared/permissionLabels.ts";
import type { AgentListRow, AgentOrigin, AgentsView, ModelGroup, ServerOption } from "../../shared/protocol/agents.ts";

export interface AgentsViewOptions {
	catalog: AgentCatalog;
	roles: readonly Role[];
	servers: readonly McpServerStatus[];
	/** Standing approvals by agent. */
	approvalCounts: ReadonlyMap<string, number>;
	models: { groups: readonly ModelGroup[]; auto: string } | undefined;
	/** A path as the person knows it. */
	displayPath(path: string): string;
}

export function buildAgentsView({
	catalog,
	roles,
	servers,
	approvalCounts: grants,
	models,
	displayPath: shown,
}: AgentsViewOptions): AgentsView {
	const rows: AgentListRow[] = [
		...catalog.agents.map((listed): AgentListRow => {
			const { agentId, displayName, description, icon, color, uiVisible } = listed.definition;
			return {
				kind: "agent",
				key: agentKey(agentId),
				agentId,
				label: displayName,
				...(description !== undefined && { description }),
				...(icon !== undefined && { icon }),
				...(color !== undefined && { color }),
				...whence(listed.source, shown),
				hidden: uiVisible === false,
				editable: listed.source.kind === "file",
				notes: listed.notes,
				grants: grants.get(agentId) ?? 0,
			};
		}),
		...catalog.waiting.map((waiting): AgentListRow => {
			const { icon, color } = waiting.definition;
			return {
				kind: "waiting",
				key: waitingKey(waiting),
				label: waiting.label,
				...(icon !== undefined && { icon }),
				...(color !== undefined && { color }),
				...whence(waiting.source, shown),
				changed: waiting.changed,
			};
		}),
		...catalog.broken.map(
			(broken): AgentListRow => ({
				kind: "broken",
				key: brokenKey(broken),
				label: broken.label,
				...whence(broken.source, shown),
				problem: broken.problem,
			}),
		),
	];
	const [first, ...others] = rows;
	return {
		rows: first ? [first, ...others.sort((left, right) => ORIGINS.indexOf(left.origin) - ORIGINS.indexOf(right.origin))] : [],
		roles: roles.map(({ id, label, icon, permissions }) => ({ id, label, ...(icon && { icon }), may: mayWords(permissions) })),
		servers: servers.map(serverOption),
		...(models && { models: models.groups, auto: models.auto }),
	};
}

const ORIGINS: readonly AgentOrigin[] = ["builtin", "settings", "own", "workspace"];

function mayWords(permissions: readonly Permission[]): string {
	return permissions.length > 0
		? t("May: {0}", permissions.map((one) => permissionLabels[one]).join(", "))
		: t("May not use the workspace");
}

export function agentKey(agentId: string): string {
	return `agent:${agentId}`;
}

/** One file can have several. */
export function waitingKey({ definition, source }: UnapprovedAgent): string {
	return `waiting:${definition.agentId}:${source.path}`;
}

function brokenKey({ source, label }: BrokenAgent): string {
	const where = source.kind === "file" || source.kind === "workspace" ? source.path : source.kind === "settings" ? source.index : "";
	return `broken:${source.kind}:${where}:${label}`;
}

export type AgentsViewEntry =
	| { kind: "agent"; agent: ListedAgent }
	| { kind: "waiting"; agent: UnapprovedAgent }
	| { kind: "broken"; agent: BrokenAgent };

/** What a key names now. */
export function findEntry(catalog: AgentCatalog, key: string): AgentsViewEntry | undefined {
	const listed = catalog.agents.find(({ definition }) => agentKey(definition.agentId) === key);
	if (listed) return { kind: "agent", agent: listed };
	const waiting = catalog.waiting.find((candidate) => waitingKey(candidate) === key);
	if (waiting) return { kind: "waiting", agent: waiting };
	const broken = catalog.broken.find((candidate) => brokenKey(candidate) === key);
	return broken && { kind: "broken", agent: broken };
}

function whence(source: AgentSource, shown: (path: string) => string): { origin: AgentOrigin; place?: string } {
	switch (source.kind) {
		case "builtin":
			return { origin: "builtin" };
		case "settings":
			return { origin: "settings", place: t("Entry {0} of troupe.agents", source.index + 1) };
		case "file":
			return { origin: "own", place: source.path };
		case "workspace":
			return { origin: "workspace", place: shown(source.path) };
	}
}

function serverOption({ config, state, why }: McpServerStatus): ServerOption {
	return {
		id: config.id,
		name: config.name,
		...(config.description !== undefined && { description: config.description }),
		...(config.icon !== undefined && { icon: config.icon }),
		...(state === "failed" && why !== undefined && { problem: why }),
	};
}

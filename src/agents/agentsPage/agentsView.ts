// Builds the rows of the "Manage Agents" page from the registry, including broken and unapproved agents.
import { basename } from "node:path";
import type { AgentCatalog, AgentDraft, AgentSource, BrokenAgent, ListedAgent, UnapprovedAgent } from "../../core/agent.ts";
import type { McpServerStatus } from "../../core/ports/mcp.ts";
import type { Permission, Role } from "../../core/role.ts";
import type { Services } from "../../session/services.ts";
import { formatList, t } from "../../shared/l10n.ts";
import { permissionLabels } from "../../shared/permissionLabels.ts";
import type { AgentListRow, AgentOrigin, AgentsView, ModelGroup, ServerOption } from "../../shared/protocol/agents.ts";
import { createTaskAgent } from "../subagents/taskAgent.ts";
import { TASK_TYPE_FILE } from "../subagents/taskTypes.ts";

interface AgentsViewOptions {
	catalog: AgentCatalog;
	roles: readonly Role[];
	servers: readonly McpServerStatus[];
	/** Standing approvals by agent. */
	approvalCounts: ReadonlyMap<string, number>;
	models: { groups: readonly ModelGroup[]; auto: string } | undefined;
	/** Returns the path as displayed to the user. */
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
		...[...catalog.agents, ...listTaskTypes(catalog)].map((listed: ListedAgent & { task?: true }): AgentListRow => {
			const { agentId, displayName, description, icon, color, uiVisible } = listed.definition;
			return {
				kind: "agent",
				key: listed.task ? taskKey(agentId) : agentKey(agentId),
				agentId,
				label: listed.task ? t("Task type “{0}”", displayName) : displayName,
				...(listed.task && { task: true as const }),
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
				...(isTaskType(waiting.source) && { task: true as const }),
				changed: waiting.changed,
			};
		}),
		...catalog.broken.map(
			(broken): AgentListRow => ({
				kind: "broken",
				key: brokenKey(broken),
				label: broken.label,
				...whence(broken.source, shown),
				...(isTaskType(broken.source) && { task: true as const }),
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
		? t("Permissions: {0}", formatList(permissions.map((one) => permissionLabels[one])))
		: t("No access to the workspace");
}

export function agentKey(agentId: string): string {
	return `agent:${agentId}`;
}

function taskKey(agentId: string): string {
	return `task:${agentId}`;
}

/** The key of a definition once it is approved. */
export function approvedKey(waiting: UnapprovedAgent): string {
	const { agentId } = waiting.definition;
	return isTaskType(waiting.source) ? taskKey(agentId) : agentKey(agentId);
}

/** The workspace's approved task types, so that their approvals can be revoked, each as the agent of its tasks. */
function listTaskTypes({ tasks }: AgentCatalog): (ListedAgent & { task: true })[] {
	return tasks.flatMap(({ type, source, notes }) =>
		source.kind === "workspace" ? [{ definition: createTaskAgent(type, {}), source, notes, task: true as const }] : [],
	);
}

/** A file can define several agents. */
export function waitingKey({ definition, source }: UnapprovedAgent): string {
	return `waiting:${definition.agentId}:${source.path}`;
}

function brokenKey({ source, label }: BrokenAgent): string {
	const where = source.kind === "file" || source.kind === "workspace" ? source.path : source.kind === "settings" ? source.index : "";
	return `broken:${source.kind}:${where}:${label}`;
}

type AgentsViewEntry =
	| { kind: "agent"; agent: ListedAgent }
	| { kind: "waiting"; agent: UnapprovedAgent }
	| { kind: "broken"; agent: BrokenAgent };

/** Returns the current entry for a key. */
export function findEntry(catalog: AgentCatalog, key: string): AgentsViewEntry | undefined {
	const listed = catalog.agents.find(({ definition }) => agentKey(definition.agentId) === key);
	if (listed) return { kind: "agent", agent: listed };
	const task = listTaskTypes(catalog).find(({ definition }) => taskKey(definition.agentId) === key);
	if (task) return { kind: "agent", agent: task };
	const waiting = catalog.waiting.find((candidate) => waitingKey(candidate) === key);
	if (waiting) return { kind: "waiting", agent: waiting };
	const broken = catalog.broken.find((candidate) => brokenKey(candidate) === key);
	return broken && { kind: "broken", agent: broken };
}

function isTaskType(source: AgentSource): boolean {
	if (source.kind === "file") return basename(source.path) === TASK_TYPE_FILE;
	return source.kind === "workspace" && source.format === "subagent";
}

function whence(source: AgentSource, shown: (path: string) => string): { origin: AgentOrigin; place?: string } {
	switch (source.kind) {
		case "builtin":
			return { origin: "builtin" };
		case "settings":
			return { origin: "settings", place: t("Entry {0} in troupe.agents", source.index + 1) };
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

type Problem = { field: string; problem: string };

interface AgentApprovalsContext {
	services: Pick<Services, "registry" | "grants">;
	/** A native dialog, which the page cannot answer. */
	confirm(question: string, lines: readonly string[], button: string): Promise<boolean>;
}

export function createAgentApprovals({ services: { registry, grants }, confirm }: AgentApprovalsContext) {
	function kept(agentId: string | undefined): readonly string[] {
		return registry.catalog().agents.find(({ definition }) => definition.agentId === agentId)?.definition.allowedTools ?? [];
	}

	return {
		/** Entries already in the file are not reported here, since the agent's notes cover invalid ones. */
		problems(draft: AgentDraft, agentId: string | undefined): Problem[] {
			const known = kept(agentId);
			return (draft.allowedTools ?? []).flatMap((entry, index): Problem[] => {
				const problem = known.includes(entry) ? undefined : grants.problem(entry);
				return problem === undefined ? [] : [{ field: `allowedTools.${index}`, problem }];
			});
		},
		/** Resolves to false if the draft adds approvals that the user does not confirm. */
		async wanted(draft: AgentDraft, agentId: string | undefined): Promise<boolean> {
			const known = kept(agentId);
			const added = (draft.allowedTools ?? []).filter((entry) => !known.includes(entry));
			if (added.length === 0) return true;
			return confirm(t("Allow “{0}” to use these without approval?", draft.displayName), added, t("Save"));
		},
		/** The registry does not change standing approvals: removed entries are revoked with everything they covered. */
		async change(agentId: string, wanted: readonly string[]): Promise<void> {
			const known = kept(agentId);
			for (const entry of known.filter((one) => !wanted.includes(one))) await grants.revoke(agentId, entry);
			const added = wanted.filter((one) => !known.includes(one));
			if (added.length > 0) await grants.write(agentId, added);
		},
	};
}

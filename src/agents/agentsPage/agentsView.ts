// Builds the rows of the "Manage Agents" page from the registry, including broken and unapproved agents.
import type { AgentCatalog, AgentDraft, AgentSource, BrokenAgent, ListedAgent, UnapprovedAgent } from "../../core/agent.ts";
import type { McpServerStatus } from "../../core/ports/mcp.ts";
import type { Permission, Role } from "../../core/role.ts";
import type { Services } from "../../session/context.ts";
import { formatList, t } from "../../shared/l10n.ts";
import { permissionLabels } from "../../shared/permissionLabels.ts";
import type { AgentListRow, AgentOrigin, AgentsView, ModelGroup, ServerOption } from "../../shared/protocol/agents.ts";

interface AgentsViewOptions {
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
		? t("Permissions: {0}", formatList(permissions.map((one) => permissionLabels[one])))
		: t("No access to the workspace");
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

type AgentsViewEntry =
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

interface Doors {
	services: Pick<Services, "registry" | "grants">;
	/** A dialog of the editor's own: nothing on the page can answer it. */
	confirm(question: string, lines: readonly string[], button: string): Promise<boolean>;
}

export function createAgentApprovals({ services: { registry, grants }, confirm }: Doors) {
	function kept(agentId: string | undefined): readonly string[] {
		return registry.catalog().agents.find(({ definition }) => definition.agentId === agentId)?.definition.allowedTools ?? [];
	}

	return {
		/** What stands in its file already is the person's own affair: its notes say what of that does not count. */
		problems(draft: AgentDraft, agentId: string | undefined): Problem[] {
			const known = kept(agentId);
			return (draft.allowedTools ?? []).flatMap((entry, index): Problem[] => {
				const problem = known.includes(entry) ? undefined : grants.problem(entry);
				return problem === undefined ? [] : [{ field: `allowedTools.${index}`, problem }];
			});
		},
		/** False where the draft has new ones and the person does not want them after all. */
		async wanted(draft: AgentDraft, agentId: string | undefined): Promise<boolean> {
			const known = kept(agentId);
			const added = (draft.allowedTools ?? []).filter((entry) => !known.includes(entry));
			if (added.length === 0) return true;
			return confirm(t("Allow “{0}” to use these without approval?", draft.displayName), added, t("Save"));
		},
		/** The registry leaves standing approvals as they are: what is taken out takes with it what it covered. */
		async change(agentId: string, wanted: readonly string[]): Promise<void> {
			const known = kept(agentId);
			for (const entry of known.filter((one) => !wanted.includes(one))) await grants.revoke(agentId, entry);
			const added = wanted.filter((one) => !known.includes(one));
			if (added.length > 0) await grants.write(agentId, added);
		},
	};
}

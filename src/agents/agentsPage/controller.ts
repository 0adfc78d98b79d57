// Handles Intents of the "Manage Agents" page and posts registry changes as Updates.
import type { AgentDraft, AgentSource, ListedAgent } from "../../core/agent.ts";
import type { McpServerStatus } from "../../core/ports/mcp.ts";
import type { AgentDefinition } from "../../core/role.ts";
import { UserError } from "../../core/userError.ts";
import { createAnswerToken } from "../../session/approvals/answerToken.ts";
import type { SessionSetup } from "../../session/services.ts";
import { AnswerRefusedError } from "../../session/state/pendingApprovals.ts";
import { t } from "../../shared/l10n.ts";
import {
	type AgentsCommand,
	type AgentsIntent,
	AgentsIntentSchema,
	type AgentsUpdate,
	type AgentsView,
	type DraftProblem,
	type ModelGroup,
	type StoredDrafts,
} from "../../shared/protocol/agents.ts";
import { reasonOf } from "../../shared/reasonOf.ts";
import { createUpdateTracker } from "../../shared/updateTracker.ts";
import { createAgentDetails } from "./agentDetails.ts";
import { agentKey, approvedKey, buildAgentsView, createAgentApprovals, findEntry } from "./agentsView.ts";
import { computeScope } from "./scope.ts";

/** The page's interface to its window. */
export interface AgentsPageHost {
	post(update: AgentsUpdate): void;
	/** Milliseconds since the window gained focus, after waiting for pending focus events. */
	windowFocusedFor(): Promise<number>;
	notify(level: "info" | "warning" | "error", text: string): void;
	confirm(question: string, lines: readonly string[], button: string): Promise<boolean>;
	models(): Promise<{ groups: readonly ModelGroup[]; auto: string }>;
	/** Configured servers and those in the catalog. */
	servers(): readonly McpServerStatus[];
	approvals(): Promise<readonly { agentId: string }[]>;
	/** Opens the defining file or settings. */
	openSource(source: AgentSource, line?: number): Promise<void>;
	/** `agent`: the agent shown. */
	runCommand(command: AgentsCommand, agent?: string): void;
	/** Returns the path as displayed to the user. */
	displayPath(path: string): string;
	/** Unsaved drafts; they outlive the page, but not the window. */
	drafts: { get(): StoredDrafts; set(drafts: StoredDrafts): void };
	now(): number;
}

export interface AgentsPageController {
	/** Handles any message from the page; drops invalid Intents. Resolves once the updates that it caused are posted. Never rejects. */
	handleMessage(message: unknown): Promise<void>;
	/** Selects an entry, or a new agent ("new"). */
	select(key: string): void;
	/** Call when anything other than the registry has changed: approvals, servers, settings. */
	refresh(): void;
	/** Call when the page unloads; updates are withheld until it is ready again. */
	handlePageUnload(): void;
	dispose(): void;
}

/** Larger messages, as JSON, are dropped. */
const MESSAGE_LIMIT = 2_000_000;

type Acts = { [T in AgentsIntent["type"]]: (intent: Extract<AgentsIntent, { type: T }>) => unknown };

export function createAgentsPageController(setup: SessionSetup, host: AgentsPageHost): AgentsPageController {
	const { services, policy } = setup;
	const { registry } = services;
	const approvals = createAgentApprovals({ services, confirm: (...asked) => host.confirm(...asked) });
	const updates = createUpdateTracker();
	let ready = false;
	/** Suppresses updates while an agent is being stored, since both its draft and the result would be listed. */
	let storing = false;
	let models: { groups: readonly ModelGroup[]; auto: string } | undefined;
	let chosen: string | undefined;
	/** Selection requested before the page was ready. */
	let wish: string | undefined;
	const post = (update: AgentsUpdate): void => {
		if (ready) host.post(update);
	};
	const details = createAgentDetails({ setup, servers: () => host.servers(), now: () => host.now(), post });

	async function view(): Promise<AgentsView> {
		const grants = new Map<string, number>();
		for (const { agentId } of await host.approvals()) grants.set(agentId, (grants.get(agentId) ?? 0) + 1);
		return buildAgentsView({
			catalog: registry.catalog(),
			roles: policy.roles(),
			servers: host.servers(),
			approvalCounts: grants,
			models,
			displayPath: host.displayPath,
		});
	}

	const refresh = (): Promise<void> => updates.track(postView());

	async function postView(): Promise<void> {
		if (!ready) return;
		const now = await view();
		if (storing) return;
		post({ type: "view", view: now });
		if (chosen !== undefined) details.send(chosen);
	}

	/** Returns the draft merged with its parent. */
	function whole(draft: AgentDraft, agentId: string): AgentDefinition {
		const parent = registry.catalog().agents.find(({ definition }) => definition.agentId === draft.extends)?.definition;
		return { ...parent, ...draft, agentId };
	}

	const token = createAnswerToken({
		post,
		focusedFor: () => host.windowFocusedFor(),
		forged: t("The answer didn't come from the page's buttons."),
	});

	function ownAgent(key: string): ListedAgent {
		const entry = findEntry(registry.catalog(), key);
		if (entry?.kind !== "agent") throw new UserError(t("This agent no longer exists."));
		return entry.agent;
	}

	const check = (draft: AgentDraft, agentId: string | undefined): DraftProblem[] => [
		...registry.check(draft, agentId),
		...approvals.problems(draft, agentId),
	];

	async function store(agentId: string | undefined, draft: AgentDraft): Promise<AgentDefinition> {
		if (agentId === undefined) return registry.create(draft);
		const { source } = ownAgent(agentKey(agentId));
		if (source.kind === "file") await approvals.change(agentId, draft.allowedTools ?? []);
		return registry.update(agentId, draft);
	}

	function select(key: string): void {
		if (ready) post({ type: "select", key });
		else wish = key;
	}

	const acts: Acts = {
		async ready() {
			ready = true;
			const all = await view();
			post({ type: "snapshot", view: all, drafts: host.drafts.get(), token: token.current });
			if (wish !== undefined) post({ type: "select", key: wish });
			wish = undefined;
			if (models) return;
			models = await host.models();
			post({ type: "view", view: await view() });
		},
		choose({ key }) {
			chosen = key;
			details.send(key);
		},
		check({ ask, key, draft }) {
			const agentId = idIn(key);
			const scope = computeScope(setup, whole(draft, agentId ?? "new"), host.servers());
			post({ type: "checked", ask, key, problems: check(draft, agentId), scope });
		},
		keep: ({ drafts }) => host.drafts.set(drafts),
		async save({ key, draft }) {
			const agentId = idIn(key);
			const problems = check(draft, agentId);
			if (problems.length > 0) return post({ type: "refused", key, problems });
			if (!(await approvals.wanted(draft, agentId))) {
				return post({ type: "refused", key, problems: [{ field: "allowedTools", problem: t("Nothing was saved.") }] });
			}
			storing = true;
			try {
				const kept = await store(agentId, draft);
				chosen = agentKey(kept.agentId);
				details.send(chosen);
				post({ type: "saved", key, as: chosen, view: await view() });
			} catch (error) {
				post({ type: "refused", key, problems: [{ field: "", problem: reasonOf(error, services.log) }] });
			} finally {
				storing = false;
			}
		},
		async duplicate({ key }) {
			const { agentId } = await registry.duplicate(ownAgent(key).definition.agentId);
			await refresh();
			select(agentKey(agentId));
		},
		async remove({ key }) {
			const { displayName, agentId } = ownAgent(key).definition;
			const lost = t("This permanently deletes the agent. Its sessions are kept; assign another agent to continue them.");
			if (await host.confirm(t("Delete the agent “{0}”?", displayName), [lost], t("Delete"))) await registry.remove(agentId);
		},
		async open({ key }) {
			const entry = findEntry(registry.catalog(), key);
			if (!entry) throw new UserError(t("This agent no longer exists."));
			await host.openSource(entry.agent.source, entry.kind === "broken" ? entry.agent.line : undefined);
		},
		async approve({ key, hash, token: given }) {
			await token.use(given);
			details.requireShown(key, hash);
			const entry = findEntry(registry.catalog(), key);
			if (entry?.kind !== "waiting") throw new UserError(t("This definition no longer needs approval."));
			await registry.approve(entry.agent.source.path, hash);
			chosen = approvedKey(entry.agent);
			await refresh();
			select(chosen);
		},
		async disapprove({ key }) {
			const { source } = ownAgent(key);
			if (source.kind === "workspace") await registry.disapprove(source.path);
		},
		command: ({ command }) => host.runCommand(command, chosen === undefined ? undefined : idIn(chosen)),
	};

	const listening = registry.onChange(() => void refresh());

	return {
		async handleMessage(message) {
			const size = JSON.stringify(message)?.length ?? 0;
			const parsed = size <= MESSAGE_LIMIT ? AgentsIntentSchema.safeParse(message) : undefined;
			if (!parsed?.success) return services.log("a message of the agents page was not understood and dropped");
			try {
				await (acts[parsed.data.type] as (intent: AgentsIntent) => unknown)(parsed.data);
			} catch (error) {
				if (error instanceof AnswerRefusedError) services.log(`answer dropped: ${error.message}`);
				else host.notify("error", reasonOf(error, services.log));
				await refresh();
			}
			await updates.waitUntilPosted();
		},
		select,
		refresh: () => void refresh(),
		handlePageUnload() {
			ready = false;
			details.forget();
		},
		dispose() {
			ready = false;
			listening.dispose();
		},
	};
}

function idIn(key: string): string | undefined {
	return key.startsWith("agent:") ? key.slice("agent:".length) : undefined;
}

/** Bytes of JSON; the session index and tree rows use another 48 KB. */
const LIMIT = 16 * 1024;

/** Keeps the drafts that fit, smallest first so that one long prompt does not evict others; `over` lists the keys of the rest. */
export function limitDrafts(drafts: StoredDrafts): { kept: StoredDrafts; over: string[] } {
	const sized = Object.entries(drafts)
		.map(([key, draft]) => ({ key, draft, bytes: Buffer.byteLength(JSON.stringify({ [key]: draft })) }))
		.sort((left, right) => left.bytes - right.bytes);
	let size = 0;
	const fits = new Set<string>();
	for (const { key, bytes } of sized) {
		size += bytes;
		if (size <= LIMIT) fits.add(key);
	}
	const entries = Object.entries(drafts);
	return {
		kept: Object.fromEntries(entries.filter(([key]) => fits.has(key))),
		over: entries.flatMap(([key]) => (fits.has(key) ? [] : [key])),
	};
}

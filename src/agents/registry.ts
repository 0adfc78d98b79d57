// Holds the current agent catalog and implements changes to the user's own agents.

// The catalog is replaced as a whole on every change. Sources and readers are passed in.
import { isDeepStrictEqual } from "node:util";
import type { AgentCatalog, AgentDraft, AgentRegistry, ListedAgent } from "../core/agent.ts";
import { AGENT_SCOPE_LISTS, type AgentDefinition } from "../core/role.ts";
import { UserError } from "../core/userError.ts";
import { t } from "../shared/l10n.ts";
import { createListeners } from "../shared/listeners.ts";

export interface AgentRegistryOptions {
	/** Reads every source. Never rejects for an error in one of them. */
	load(): Promise<AgentCatalog>;
	/** Returns the errors of a definition, without inheritance. */
	validateEntry(entry: Entry): { field: string; problem: string }[];
	/** The user's own files; all methods reject with StorageError. */
	files: {
		create(agentId: string, entry: Entry): Promise<void>;
		/** Resolves to false if no file defines that agent; same for `remove`. */
		change(agentId: string, change: (entry: Readonly<Entry>) => Entry): Promise<boolean>;
		remove(agentId: string): Promise<boolean>;
	};
	approvals: Pick<AgentRegistry, "approve" | "disapprove">;
	preferences: { lastUsed(): Promise<string | undefined>; used(agentId: string): Promise<void> };
	/** Creates a unique ID. */
	newId(): string;
	now(): Date;
	log(line: string): void;
}

type Entry = Record<string, unknown>;

export interface LoadedAgentRegistry extends AgentRegistry {
	/** The catalog's definitions; the same array until it changes. */
	definitions(): readonly AgentDefinition[];
}

/** Resolves after the first read. */
export async function createAgentRegistry(parts: AgentRegistryOptions): Promise<LoadedAgentRegistry> {
	const { load, files, approvals, preferences, log } = parts;
	const listeners = createListeners<() => void>();
	const empty: AgentCatalog = { agents: [], tasks: [], broken: [], waiting: [] };
	let current = empty;
	let definitions: readonly AgentDefinition[] = [];
	let last = DEFAULT;
	/** The current and the next read: callers get a read that started after their call. */
	let reading: Promise<void> | undefined;
	let next: Promise<void> | undefined;

	async function read(): Promise<void> {
		try {
			const catalog = await load();
			if (isDeepStrictEqual(catalog, current)) return;
			current = catalog;
			definitions = catalog.agents.map(({ definition }) => definition);
		} catch (error) {
			log(`agents could not be read, and stay as they were: ${String(error)}`);
			return;
		}
		listeners.tell((listener) => listener());
	}

	function begin(): Promise<void> {
		reading = read().finally(() => {
			reading = undefined;
		});
		return reading;
	}

	function refresh(): Promise<void> {
		if (next !== undefined) return next;
		if (reading === undefined) return begin();
		next = reading.then(() => {
			next = undefined;
			return begin();
		});
		return next;
	}

	const listed = (agentId: string): ListedAgent | undefined => current.agents.find(({ definition }) => definition.agentId === agentId);

	/** Throws an error that says what the user can do instead. */
	function own(agentId: string): ListedAgent {
		const found = listed(agentId);
		if (!found) throw new UserError(t("The agent “{0}” doesn't exist.", agentId));
		const { displayName } = found.definition;
		if (found.source.kind === "builtin")
			throw new UserError(t("{0} is a built-in agent. Duplicate the agent and edit the copy.", displayName));
		if (found.source.kind === "settings")
			throw new UserError(t("{0} is defined in the setting troupe.agents. Edit that setting instead.", displayName));
		if (found.source.kind === "workspace")
			throw new UserError(t("{0} is defined in a workspace file. Edit that file instead.", displayName));
		return found;
	}

	/** Returns the agent after a change. Throws if it is unusable. */
	async function after(agentId: string): Promise<AgentDefinition> {
		await refresh();
		const found = listed(agentId);
		if (found) return found.definition;
		throw new UserError(current.broken.find(({ label }) => label === agentId)?.problem ?? t("The agent “{0}” doesn't exist.", agentId));
	}

	function check(draft: AgentDraft, agentId?: string): { field: string; problem: string }[] {
		const problems = parts.validateEntry({ ...draft, agentId: agentId ?? "new" });
		const parent = draft.extends === undefined ? undefined : listed(draft.extends);
		if (draft.extends !== undefined && !problems.some(({ field }) => field === "extends")) {
			const problem = parent ? wrongParent(parent, agentId) : t("The parent agent “{0}” doesn't exist", draft.extends);
			if (problem) problems.push({ field: "extends", problem });
		}
		return problems;
	}

	function wrongParent(parent: ListedAgent, agentId: string | undefined): string | undefined {
		if (parent.source.kind === "workspace")
			return t("Can't extend a workspace agent; your agents can only extend built-in agents and your own");
		const line = [agentId ?? ""];
		for (let at: ListedAgent | undefined = parent; at; at = listed(at.definition.extends ?? "")) {
			const id = at.definition.agentId;
			line.push(id);
			if (id === agentId) return t("Circular inheritance: {0}", line.join(" → "));
		}
		return undefined;
	}

	function insist(draft: AgentDraft, agentId?: string): void {
		const [problem] = check(draft, agentId);
		if (problem) throw new UserError(problem.field ? `${problem.field}: ${problem.problem}` : problem.problem);
	}

	async function create(draft: AgentDraft): Promise<AgentDefinition> {
		insist(draft);
		const agentId = parts.newId();
		const at = parts.now().toISOString();
		await files.create(agentId, { agentId, ...filled(draft), createdAt: at, updatedAt: at });
		return after(agentId);
	}

	await begin();
	last = (await preferences.lastUsed()) ?? DEFAULT;
	return {
		catalog: () => current,
		definitions: () => definitions,
		refresh,
		onChange: listeners.add,
		check,
		create,
		async update(agentId, draft) {
			own(agentId);
			insist(draft, agentId);
			const updatedAt = parts.now().toISOString();
			if (!(await files.change(agentId, (entry) => changed(entry, draft, updatedAt)))) throw gone(agentId);
			return after(agentId);
		},
		async remove(agentId) {
			own(agentId);
			if (!(await files.remove(agentId))) throw gone(agentId);
			await refresh();
		},
		async duplicate(agentId) {
			const found = listed(agentId);
			if (!found) throw new UserError(t("The agent “{0}” doesn't exist.", agentId));
			// Approvals belong to one agent and are not copied.
			const { agentId: _, allowedTools: __, extends: ___, ...whole } = found.definition;
			const { allowedTools: ____, ...draft }: AgentDraft = found.own ?? whole;
			const names = [...current.agents.map(({ definition }) => definition.displayName), ...current.waiting.map(({ label }) => label)];
			return create({ ...draft, displayName: copyName(whole.displayName, names) });
		},
		async approve(path, hash) {
			try {
				await approvals.approve(path, hash);
			} finally {
				await refresh();
			}
		},
		async disapprove(path) {
			try {
				await approvals.disapprove(path);
			} finally {
				await refresh();
			}
		},
		lastUsed: () => listed(last)?.definition.agentId ?? DEFAULT,
		async used(agentId) {
			if (agentId === last || listed(agentId)?.definition.single) return;
			last = agentId;
			await preferences.used(agentId).catch((error: unknown) => log(`the agent last used was not kept: ${String(error)}`));
		},
	};
}

const DEFAULT = "default";

/** Fields of the draft replace those of the entry; unknown fields and standing approvals are preserved. */
function changed(entry: Readonly<Entry>, draft: AgentDraft, updatedAt: string): Entry {
	const { allowedTools: _, ...wanted } = filled(draft) as Entry & { allowedTools?: unknown };
	const next: Entry = { ...entry, updatedAt };
	for (const field of DRAFTED) {
		// Null clears an inherited value; a draft can contain it only for lists.
		const stays = entry[field] === null && draft.extends !== undefined && !field.endsWith("list");
		if (!(field in wanted) && !stays) delete next[field];
	}
	const renamed = "name" in entry && !("displayName" in entry);
	const { displayName, ...rest } = wanted;
	return { ...next, ...rest, ...(renamed ? { name: displayName } : { displayName }) };
}

/** Null has a meaning only with inheritance. */
function filled(draft: AgentDraft): Entry {
	const inherits = draft.extends !== undefined;
	return Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined && (value !== null || inherits)));
}

/** All draft fields except those handled individually. */
const DRAFTED: readonly (keyof AgentDraft)[] = [
	"description",
	"systemPrompt",
	"type",
	"chat",
	"external",
	"model",
	"toolExposure",
	"uiVisible",
	"apiExposed",
	"mcpServers",
	"optIn",
	"extends",
	"roles",
	"defaultRole",
	"output",
	"icon",
	"color",
	...AGENT_SCOPE_LISTS,
];

/** "X copy", "X copy 2", …, also for copies of copies. */
function copyName(name: string, taken: readonly string[]): string {
	const [first, again] = [(base: string) => t("{0} copy", base), (base: string, number: number) => t("{0} copy {1}", base, number)];
	const base = original(name).slice(0, 80);
	let copy = first(base);
	for (let number = 2; taken.includes(copy); number++) copy = again(base, number);
	return copy;
}

/** Returns the name without the localized or English copy suffix or prefix. */
function original(name: string): string {
	for (const copy of [t("{0} copy", "\0"), "\0 copy"]) {
		const [start = "", end = ""] = copy.split("\0");
		if (name.length > start.length + end.length && name.startsWith(start) && name.endsWith(end))
			return name.slice(start.length, name.length - end.length);
	}
	return name;
}

function gone(agentId: string): Error {
	return new UserError(t("Can't find the file of the agent “{0}”. Nothing was changed.", agentId));
}

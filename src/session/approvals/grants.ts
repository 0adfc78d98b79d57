// Manages the standing approvals of every agent: finds those that apply to a call, stores and revokes them.

// The list that the user can read says which approvals exist; the record next to it says exactly what each entry
// covers.
import type { AgentCatalog, AgentRegistry, ListedAgent } from "../../core/agent.ts";
import {
	ANY_WORKSPACE,
	formatGrantEntry,
	type GrantListLocation,
	type GrantListStore,
	type GrantRecord,
	type GrantRecordStore,
	parseGrantEntry,
} from "../../core/grant.ts";
import type { Gate, Grant, Grantable } from "../../core/ports/gate.ts";
import type { Tool } from "../../core/ports/tool.ts";
import { t } from "../../shared/l10n.ts";
import { contentHash } from "../../shared/node/hash.ts";

export interface GrantsOptions {
	records: GrantRecordStore;
	lists: GrantListStore;
	registry: Pick<AgentRegistry, "catalog">;
	gate: Pick<Gate, "neverGranted" | "outdated">;
	/** Those that are built in. */
	tools: readonly Tool[];
	workspace: { identity(): string; folders(): readonly { name: string }[] };
	now(): Date;
	log(line: string): void;
}

export interface Grants {
	/** What of this counts here and now for that agent; the gate compares what it is bound to. */
	counting(agent: string, wanted: readonly Grantable[]): Promise<readonly Grant[]>;
	/** The agent has met these tools: entries of the person's are bound to what they are now. */
	see(agent: string, tools: readonly Tool[]): Promise<void>;
	/** Keeps it where the person can read it, if the agent has such a list. Rejects with StorageError; then it does not count. */
	add(grant: Grant): Promise<void>;
	/** Puts into the agent's list what the person writes there. Rejects where it has none that can be changed. */
	write(agent: string, entries: readonly string[]): Promise<void>;
	/** Whatever is kept for that agent, whether it counts or not. */
	list(agent: string): Promise<readonly GrantRecord[]>;
	/** Takes an entry back with all that belongs to it; only what was given in one workspace where one is named. */
	revoke(agent: string, entry: string, workspace?: string): Promise<void>;
	/** Takes out what cannot be read: a record, or an entry of that agent's list. */
	discard(unreadable: string, agent?: string): Promise<void>;
	/** Takes everything back that an agent has. */
	forget(agent: string): Promise<void>;
	/** All there is of every agent, those that are not defined any more included. */
	kept(): Promise<AgentGrants[]>;
	/** Whether records may be lost: entries without one then count for nothing. With those that cannot be read. */
	lost(): Promise<{ lost: boolean; unreadable: readonly string[] }>;
	/** The definition hash of an outside tool when it was last seen in this window. */
	seen(tool: string): string | undefined;
	/** Why an entry of a list never counts; undefined where it may. */
	problem(entry: string): string | undefined;
	/** Why a record that was kept earlier does not count under the rules of today; undefined while it does. */
	outdated(record: GrantRecord): string | undefined;
}

export interface AgentGrants {
	agent: string;
	/** Absent where the agent is not defined any more. */
	listed?: ListedAgent;
	/** What its grants are bound to beside. */
	definition?: string;
	records: readonly GrantRecord[];
	/** What stands in the agent's list, as it is written. */
	entries: readonly string[];
	/** What stands there beside and is no text, as JSON. */
	unreadable: readonly string[];
	/** Where the list is; absent where it cannot be changed here. */
	list?: GrantListLocation;
}

/** Where an agent's list is, and what its grants are bound to beside. */
interface Home {
	list?: GrantListLocation;
	/** Entries that are read and cannot be changed here. */
	entries?: readonly string[];
	definition?: string;
}

export function createGrants(parts: GrantsOptions): Grants {
	const { records, lists, registry, workspace } = parts;
	const definitions = new Map<string, string>();

	function homeOf(agent: string): Home | undefined {
		const listed = registry.catalog().agents.find(({ definition }) => definition.agentId === agent);
		return listed && homeIn(listed);
	}

	async function entriesOf({ list, entries }: Home): Promise<Set<string>> {
		const texts = list ? await lists.read(list) : (entries ?? []);
		return new Set(texts.flatMap((text) => parseGrantEntry(text)?.entry ?? []));
	}

	async function counting(agent: string, wanted: readonly Grantable[]): Promise<Grant[]> {
		const home = wanted.length > 0 ? homeOf(agent) : undefined;
		if (!home) return [];
		// Records are read before the list and once more after it: what was just given, or is just being taken back, has one in either.
		const before = await records.read();
		const entries = await entriesOf(home);
		const after = await records.read();
		const found: Grant[] = [];
		for (const one of wanted) {
			if (one.external) definitions.set(one.tool, one.class);
			const entry = formatGrantEntry(one);
			const own = after.grants.filter((record) => record.agent === agent && formatGrantEntry(record) === entry);
			const refused = entries.has(entry) && problem(entry) !== undefined;
			const usable = own.filter(
				(record) =>
					isHere(record) &&
					record.definition === home.definition &&
					isListed(record, entries) &&
					!(record.written && refused) &&
					!outdated(record),
			);
			if (usable.length > 0) found.push(...usable.map((record) => ({ ...record, workspace: workspace.identity() })));
			else if (entries.has(entry) && !refused && after.whole && before.whole && ![...before.grants, ...own].some(given(agent, entry))) {
				const bound = await meets(agent, home, one);
				if (bound) found.push({ ...bound, workspace: workspace.identity() });
			}
		}
		return found;
	}

	function problem(text: string): string | undefined {
		const entry = parseGrantEntry(text);
		if (!entry) return t("Entries use the format tool or tool(class).");
		const tool = parts.tools.find(({ name }) => name === entry.tool);
		return tool && parts.gate.neverGranted(tool, entry.covers);
	}

	const outdated = (record: GrantRecord): string | undefined => parts.gate.outdated(record);

	function isHere(record: GrantRecord): boolean {
		return record.workspace === workspace.identity() || record.workspace === ANY_WORKSPACE;
	}

	/** An entry that the person wrote means what it stands for when it is first met. Undefined where that cannot be kept. */
	async function meets(agent: string, home: Home, one: Grantable): Promise<GrantRecord | undefined> {
		const entry = formatGrantEntry(one);
		const where = one.external ? ANY_WORKSPACE : workspace.identity();
		const record: GrantRecord = { ...one, agent, workspace: where, at: parts.now().toISOString(), written: true };
		if (!one.external && one.scriptsHash === undefined) return record;
		let bound: GrantRecord | undefined = record;
		try {
			await records.change(t("Could not save what your entry {0} refers to.", entry), (all) => {
				const own = all.filter((other) => other.agent === agent && formatGrantEntry(other) === entry);
				bound = own.some(given(agent, entry)) ? undefined : (own.find((other) => other.workspace === where) ?? record);
				return bound === record ? [...all, record] : [...all];
			});
		} catch (error) {
			parts.log(String(error));
			return undefined;
		}
		return (await entriesOf(home)).has(entry) ? bound : undefined;
	}

	return {
		counting,
		async see(agent, tools) {
			const outside = tools.flatMap(({ name, external }) =>
				external ? [{ tool: name, class: external.definitionHash, external: true }] : [],
			);
			for (const { tool, class: hash } of outside) definitions.set(tool, hash);
			const home = outside.length > 0 ? homeOf(agent) : undefined;
			if (!home) return;
			const entries = await entriesOf(home);
			await counting(
				agent,
				outside.filter(({ tool }) => entries.has(tool)),
			);
		},
		async add(grant) {
			const home = homeOf(grant.agent);
			if (!home) throw new Error(t("The agent {0} is no longer defined, so nothing can be approved for it.", grant.agent));
			const entry = formatGrantEntry(grant);
			// What is too long for an entry, or has line ends, is kept in its record alone.
			const list = parseGrantEntry(entry)?.entry === entry ? home.list : undefined;
			const entries = await entriesOf(home);
			const place = workspace
				.folders()
				.map(({ name }) => name)
				.join(", ");
			await records.change(t("Could not save the approval."), (all) => {
				const own = all.filter((other) => other.agent === grant.agent && formatGrantEntry(other) === entry);
				const written = entries.has(entry) && problem(entry) === undefined && !own.some(given(grant.agent, entry));
				const record: GrantRecord = {
					...grant,
					...(place && { place }),
					...(home.definition !== undefined && { definition: home.definition }),
					...(written ? { written, workspace: grant.external ? ANY_WORKSPACE : grant.workspace } : list && { listed: true }),
				};
				// An entry that the person has taken out of the list took its records with it.
				const gone = (other: GrantRecord) => (other.listed || other.written) && !entries.has(entry);
				return [...all.filter((other) => !own.includes(other) || !(other.workspace === record.workspace || gone(other))), record];
			});
			if (list && !entries.has(entry)) await lists.change(list, (texts) => (texts.includes(entry) ? texts : [...texts, entry]));
		},
		async write(agent, entries) {
			const list = homeOf(agent)?.list;
			if (!list) throw new Error(t("The agent {0} is no longer defined, so nothing can be approved for it.", agent));
			await lists.change(list, (texts) => [...texts, ...entries.filter((entry) => !texts.includes(entry))]);
		},
		async list(agent) {
			return (await records.read()).grants.filter((record) => record.agent === agent);
		},
		async revoke(agent, entry, place) {
			const home = homeOf(agent);
			if (place === undefined && home?.entries?.some((text) => parseGrantEntry(text)?.entry === entry)) {
				throw new Error(t("“{0}” is defined in troupe.agents in your settings. Remove the entry there.", entry));
			}
			const belongs = (record: GrantRecord) => record.agent === agent && formatGrantEntry(record) === entry;
			const stays = (record: GrantRecord) => belongs(record) && place !== undefined && record.workspace !== place;
			const others = (await records.read()).grants.some(stays);
			if (home?.list && !others)
				await lists.change(home.list, (texts) => texts.filter((text) => (parseGrantEntry(text)?.entry ?? text) !== entry));
			await records.change(t("Could not revoke the approval."), (all) => all.filter((record) => !belongs(record) || stays(record)));
		},
		async discard(unreadable, agent) {
			const what = t("Could not remove the entry.");
			if (agent === undefined) return records.discard(what, unreadable);
			const list = homeOf(agent)?.list;
			if (list) await lists.discard(list, unreadable);
		},
		async forget(agent) {
			const list = homeOf(agent)?.list;
			if (list && (await lists.read(list)).length > 0) await lists.change(list, () => []);
			await records.change(t("Could not revoke the approvals."), (all) => all.filter((record) => record.agent !== agent));
		},
		async kept() {
			const { grants } = await records.read();
			const { agents } = registry.catalog();
			const ids = new Set([...agents.map(({ definition }) => definition.agentId), ...grants.map(({ agent }) => agent)]);
			return Promise.all(
				[...ids].map(async (agent): Promise<AgentGrants> => {
					const listed = agents.find(({ definition }) => definition.agentId === agent);
					const { list, entries = [], definition } = listed ? homeIn(listed) : {};
					return {
						agent,
						...(listed && { listed }),
						...(definition !== undefined && { definition }),
						records: grants.filter((record) => record.agent === agent),
						entries: list ? await lists.read(list) : entries,
						unreadable: list ? await lists.unreadable(list) : [],
						...(list && { list }),
					};
				}),
			);
		},
		async lost() {
			const { whole, unreadable } = await records.read();
			return { lost: !whole, unreadable };
		},
		outdated,
		seen: (tool) => definitions.get(tool),
		problem,
	};
}

/** Whether a record says that the entry came from "Always allow", and so counts where that was said and nowhere else. */
function given(agent: string, entry: string) {
	return (record: GrantRecord): boolean => record.agent === agent && formatGrantEntry(record) === entry && record.listed === true;
}

function isListed(record: GrantRecord, entries: ReadonlySet<string>): boolean {
	return (!record.listed && !record.written) || entries.has(formatGrantEntry(record));
}

/** In the person's own files the list can be changed; in settings it is read; what a workspace says of itself counts for nothing. */
function homeIn({ source, definition }: ListedAgent): Home {
	if (source.kind === "file") return { list: { kind: "file", agentId: definition.agentId, path: source.path } };
	if (source.kind === "settings") return { entries: definition.allowedTools ?? [] };
	if (source.kind === "workspace") return { definition: contentHash(definition) };
	return definition.agentId === DEFAULT_AGENT ? { list: { kind: "preferences" } } : {};
}

/** The one whose list is in the preferences. */
const DEFAULT_AGENT = "default";

/** A registry whose agents take their grants along when they go, and that says which of their entries never count. */
export function withGrantCleanup(registry: AgentRegistry, grants: Pick<Grants, "forget" | "problem">): AgentRegistry {
	const noted = new WeakMap<AgentCatalog, AgentCatalog>();
	const note = (listed: ListedAgent): ListedAgent => {
		const { kind } = listed.source;
		const own = kind === "file" || kind === "settings" ? (listed.definition.allowedTools ?? []) : [];
		const notes = own.flatMap((entry) => {
			const problem = grants.problem(entry);
			return problem === undefined ? [] : [t("“{0}” in allowedTools is ignored. {1}", entry.slice(0, 200), problem)];
		});
		return notes.length === 0 ? listed : { ...listed, notes: [...listed.notes, ...notes] };
	};
	const catalog = (): AgentCatalog => {
		const plain = registry.catalog();
		const known = noted.get(plain) ?? { ...plain, agents: plain.agents.map(note) };
		noted.set(plain, known);
		return known;
	};
	const remove = async (agentId: string): Promise<void> => {
		await registry.remove(agentId);
		await grants.forget(agentId);
	};
	return Object.create(registry, { catalog: { value: catalog }, remove: { value: remove } }) as AgentRegistry;
}

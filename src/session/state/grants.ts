// Manages every agent's stored approvals: finds those that apply to a call, adds and revokes them.

// The list that the user can read says which approvals exist. The record of each entry says exactly what it covers.
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
import { taskAgentId } from "../../core/task.ts";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import { contentHash } from "../../shared/node/hash.ts";

export interface GrantsOptions {
	records: GrantRecordStore;
	lists: GrantListStore;
	registry: Pick<AgentRegistry, "catalog">;
	gate: Pick<Gate, "neverGranted" | "outdated">;
	/** Built-in tools. */
	tools: readonly Tool[];
	workspace: { identity(): string; folders(): readonly { name: string }[] };
	now(): Date;
	log(line: string): void;
}

export interface Grants {
	/** The wanted approvals that apply here and now for that agent; the gate checks what they are bound to. */
	counting(agent: string, wanted: readonly Grantable[]): Promise<readonly Grant[]>;
	/** The agent has been offered these tools: binds entries that the user wrote to the tools' current definitions. */
	see(agent: string, tools: readonly Tool[]): Promise<void>;
	/** Adds the grant, and also adds it to the agent's readable list, if there is one. Rejects with StorageError; then it does not apply. */
	add(grant: Grant): Promise<void>;
	/** Adds entries that the user wrote to the agent's list. Rejects if the agent has no editable list. */
	write(agent: string, entries: readonly string[]): Promise<void>;
	/** All records of that agent, whether they apply or not. */
	list(agent: string): Promise<readonly GrantRecord[]>;
	/** Revokes an entry and its records; with `workspace`, only the approval given in that workspace. */
	revoke(agent: string, entry: string, workspace?: string): Promise<void>;
	/** Removes something unreadable: a record, or an entry of that agent's list. */
	discard(unreadable: string, agent?: string): Promise<void>;
	/** Revokes all approvals of an agent. */
	forget(agent: string): Promise<void>;
	/** The approvals of every agent, including agents that are no longer defined. */
	kept(): Promise<AgentGrants[]>;
	/** `lost`: records may be missing, so entries without a record don't apply. Includes the unreadable records. */
	lost(): Promise<{ lost: boolean; unreadable: readonly string[] }>;
	/** The definition hash of an external tool when it was last seen in this window. */
	seen(tool: string): string | undefined;
	/** Returns why a list entry never applies; undefined if it can. */
	problem(entry: string): string | undefined;
	/** Returns why a record from an earlier version does not apply under today's rules; undefined if it does. */
	outdated(record: GrantRecord): string | undefined;
}

export interface AgentGrants {
	agent: string;
	/** Absent if the agent is no longer defined. */
	listed?: ListedAgent;
	/** Definition hash that the agent's approvals are also bound to. */
	definition?: string;
	records: readonly GrantRecord[];
	/** The entries of the agent's list, as written. */
	entries: readonly string[];
	/** List entries that are not strings, as JSON. */
	unreadable: readonly string[];
	/** Location of the list; absent if it cannot be changed here. */
	list?: GrantListLocation;
}

/** The location of an agent's list, and the definition hash its approvals are also bound to. */
interface ListInfo {
	list?: GrantListLocation;
	/** Entries that can be read but not changed here. */
	entries?: readonly string[];
	definition?: string;
}

export function createGrants(parts: GrantsOptions): Grants {
	const { records, lists, registry, workspace } = parts;
	const definitions = new Map<string, string>();

	function listInfoOf(agent: string): ListInfo | undefined {
		const { agents, tasks } = registry.catalog();
		const listed = agents.find(({ definition }) => definition.agentId === agent);
		if (listed) return createListInfo(listed);
		const task = tasks.find(({ type }) => taskAgentId(type.name) === agent);
		return task && (task.source.kind === "builtin" ? {} : { definition: contentHash(task.type) });
	}

	async function entriesOf({ list, entries }: ListInfo): Promise<Set<string>> {
		const texts = list ? await lists.read(list) : (entries ?? []);
		return new Set(texts.flatMap((text) => parseGrantEntry(text)?.entry ?? []));
	}

	async function counting(agent: string, wanted: readonly Grantable[]): Promise<Grant[]> {
		const listInfo = wanted.length > 0 ? listInfoOf(agent) : undefined;
		if (!listInfo) return [];
		let entries = await entriesOf(listInfo);
		let before: Awaited<ReturnType<GrantRecordStore["read"]>> | undefined;
		if (wanted.some((grantable) => entries.has(formatGrantEntry(grantable)))) {
			// Records are read before and after the list: an approval that is being added or revoked has a record in one of the reads.
			before = await records.read();
			entries = await entriesOf(listInfo);
		}
		const after = await records.read();
		const found: Grant[] = [];
		for (const grantable of wanted) {
			if (grantable.external) definitions.set(grantable.tool, grantable.class);
			const entry = formatGrantEntry(grantable);
			const matching = after.grants.filter((record) => record.agent === agent && formatGrantEntry(record) === entry);
			const refused = entries.has(entry) && problem(entry) !== undefined;
			const usable = matching.filter(
				(record) =>
					isHere(record) &&
					record.definition === listInfo.definition &&
					isListed(record, entries) &&
					!(record.written && refused) &&
					!outdated(record),
			);
			if (usable.length > 0) found.push(...usable.map((record) => ({ ...record, workspace: workspace.identity() })));
			else if (
				before &&
				entries.has(entry) &&
				!refused &&
				![...before.grants, ...matching].some(given(agent, entry)) &&
				(await after.isWhole()) &&
				(await before.isWhole())
			) {
				const bound = await bindWritten(agent, listInfo, grantable);
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

	/** An entry that the user wrote is bound to the tool's definition when first used. Undefined if that cannot be saved. */
	async function bindWritten(agent: string, listInfo: ListInfo, grantable: Grantable): Promise<GrantRecord | undefined> {
		const entry = formatGrantEntry(grantable);
		const where = grantable.external ? ANY_WORKSPACE : workspace.identity();
		const record: GrantRecord = { ...grantable, agent, workspace: where, at: parts.now().toISOString(), written: true };
		if (!grantable.external && grantable.scriptsHash === undefined) return record;
		let bound: GrantRecord | undefined = record;
		try {
			await records.change(t("Could not save what your entry {0} refers to.", entry), (all) => {
				const matching = all.filter((other) => other.agent === agent && formatGrantEntry(other) === entry);
				bound = matching.some(given(agent, entry)) ? undefined : (matching.find((other) => other.workspace === where) ?? record);
				return bound === record ? [...all, record] : [...all];
			});
		} catch (error) {
			parts.log(String(error));
			return undefined;
		}
		return (await entriesOf(listInfo)).has(entry) ? bound : undefined;
	}

	return {
		counting,
		async see(agent, tools) {
			const outside = tools.flatMap(({ name, external }) =>
				external ? [{ tool: name, class: external.definitionHash, external: true }] : [],
			);
			for (const { tool, class: hash } of outside) definitions.set(tool, hash);
			const listInfo = outside.length > 0 ? listInfoOf(agent) : undefined;
			if (!listInfo) return;
			const entries = await entriesOf(listInfo);
			await counting(
				agent,
				outside.filter(({ tool }) => entries.has(tool)),
			);
		},
		async add(grant) {
			const listInfo = listInfoOf(grant.agent);
			if (!listInfo) throw new UserError(t("The agent {0} is no longer defined, so nothing can be approved for it.", grant.agent));
			const entry = formatGrantEntry(grant);
			// An entry that is too long or contains line breaks is kept only in its record.
			const list = parseGrantEntry(entry)?.entry === entry ? listInfo.list : undefined;
			const entries = await entriesOf(listInfo);
			const place = workspace
				.folders()
				.map(({ name }) => name)
				.join(", ");
			await records.change(t("Could not save the approval."), (all) => {
				const matching = all.filter((other) => other.agent === grant.agent && formatGrantEntry(other) === entry);
				const written = entries.has(entry) && problem(entry) === undefined && !matching.some(given(grant.agent, entry));
				const record: GrantRecord = {
					...grant,
					...(place && { place }),
					...(listInfo.definition !== undefined && { definition: listInfo.definition }),
					...(written ? { written, workspace: grant.external ? ANY_WORKSPACE : grant.workspace } : list && { listed: true }),
				};
				// Removing an entry from the list also removed its records.
				const gone = (other: GrantRecord) => (other.listed || other.written) && !entries.has(entry);
				return [...all.filter((other) => !matching.includes(other) || !(other.workspace === record.workspace || gone(other))), record];
			});
			if (list && !entries.has(entry)) await lists.change(list, (texts) => (texts.includes(entry) ? texts : [...texts, entry]));
		},
		async write(agent, entries) {
			const list = listInfoOf(agent)?.list;
			if (!list) throw new UserError(t("The agent {0} is no longer defined, so nothing can be approved for it.", agent));
			await lists.change(list, (texts) => [...texts, ...entries.filter((entry) => !texts.includes(entry))]);
		},
		async list(agent) {
			return (await records.read()).grants.filter((record) => record.agent === agent);
		},
		async revoke(agent, entry, place) {
			const listInfo = listInfoOf(agent);
			if (place === undefined && listInfo?.entries?.some((text) => parseGrantEntry(text)?.entry === entry)) {
				throw new UserError(t("“{0}” is defined in troupe.agents in your settings. Remove the entry there.", entry));
			}
			const belongs = (record: GrantRecord) => record.agent === agent && formatGrantEntry(record) === entry;
			const stays = (record: GrantRecord) => belongs(record) && place !== undefined && record.workspace !== place;
			const others = (await records.read()).grants.some(stays);
			if (listInfo?.list && !others)
				await lists.change(listInfo.list, (texts) => texts.filter((text) => (parseGrantEntry(text)?.entry ?? text) !== entry));
			await records.change(t("Could not revoke the approval."), (all) => all.filter((record) => !belongs(record) || stays(record)));
		},
		async discard(unreadable, agent) {
			const what = t("Could not remove the entry.");
			if (agent === undefined) return records.discard(what, unreadable);
			const list = listInfoOf(agent)?.list;
			if (list) await lists.discard(list, unreadable);
		},
		async forget(agent) {
			const list = listInfoOf(agent)?.list;
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
					const { list, entries = [], definition } = listed ? createListInfo(listed) : {};
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
			const { unreadable, isWhole } = await records.read();
			return { lost: !(await isWhole()), unreadable };
		},
		outdated,
		seen: (tool) => definitions.get(tool),
		problem,
	};
}

/** Returns a test for records that were created by "Always allow"; the entry of one then applies only where the user chose that. */
function given(agent: string, entry: string) {
	return (record: GrantRecord): boolean => record.agent === agent && formatGrantEntry(record) === entry && record.listed === true;
}

function isListed(record: GrantRecord, entries: ReadonlySet<string>): boolean {
	return (!record.listed && !record.written) || entries.has(formatGrantEntry(record));
}

/** Users' own files can be changed, settings are read-only, and workspace definitions have no effect. */
function createListInfo({ source, definition }: ListedAgent): ListInfo {
	if (source.kind === "file") return { list: { kind: "file", agentId: definition.agentId, path: source.path } };
	if (source.kind === "settings") return { entries: definition.allowedTools ?? [] };
	if (source.kind === "workspace") return { definition: contentHash(definition) };
	return definition.agentId === DEFAULT_AGENT ? { list: { kind: "preferences" } } : {};
}

/** Id of the agent whose list is in the preferences. */
const DEFAULT_AGENT = "default";

/** Wraps a registry: deleting an agent also deletes its approvals, and entries that never apply get a note. */
export function withGrantCleanup(registry: AgentRegistry, grants: Pick<Grants, "forget" | "problem">): AgentRegistry {
	const noted = new WeakMap<AgentCatalog, AgentCatalog>();
	const note = (listed: ListedAgent): ListedAgent => {
		const { kind } = listed.source;
		const listedEntries = kind === "file" || kind === "settings" ? (listed.definition.allowedTools ?? []) : [];
		const notes = listedEntries.flatMap((entry) => {
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

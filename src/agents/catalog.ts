// Merges agents from all sources into one catalog; the first definition of an ID wins.

// A broken definition is listed with its reason and affects only the agents that extend it.

import { basename } from "node:path";
import type { AgentCatalog, AgentSource, BrokenAgent, ListedAgent, UnapprovedAgent } from "../core/agent.ts";
import { isRecord } from "../core/isRecord.ts";
import type { ScopeLists } from "../core/ports/gate.ts";
import { isTaskAgentId } from "../core/task.ts";
import { t } from "../shared/l10n.ts";
import { decodeUtf8 } from "../shared/utf8.ts";
import { builtinAgents } from "./builtinRoles.ts";
import type { DefinitionFile, WorkspaceDefinitionFile } from "./definitionFile.ts";
import { type FieldProblem, findUnsupportedRuntime, parseDefinition, toAgentDraft, truncateForDisplay } from "./definitions.ts";
import { createInheritanceResolver, type DefinitionTrust, type InheritingDefinition, type ResolveResult } from "./inherit.ts";
import { type DefinitionEntry, type ParsedDefinitionFile, parseDefinitionJson } from "./jsonDefinitions.ts";
import { parseDefinitionMarkdown } from "./markdownDefinitions.ts";
import { createTaskAgent } from "./subagents/taskAgent.ts";
import { collectTaskTypes } from "./subagents/taskTypes.ts";

export interface AgentSources {
	/** Entries of `troupe.agents`. */
	settings: readonly unknown[];
	files: readonly DefinitionFile[];
	workspace: readonly WorkspaceDefinitionFile[];
	/** The user's task types. Those of the workspace are in `workspace`. */
	subagents: readonly DefinitionFile[];
	/** Returns a file's path as displayed to the user. */
	displayPath(path: string): string;
	/** IDs of existing roles. */
	roles: readonly string[];
	scopeLists: ScopeLists;
}

/** Maximum definitions in a workspace, across all files. */
const MOST_BROUGHT = 500;
/** Maximum fields in a definition, including unknown ones. */
const MOST_FIELDS = 100;

/** Formats of files that define agents. */
type Format = Exclude<WorkspaceDefinitionFile["format"], "subagent">;

interface Known {
	bytes: Uint8Array;
	format: Format;
	read: ParsedDefinitionFile;
}

/** Cache for live entries; each belongs to one source. */
const parsed = new WeakMap<DefinitionEntry, ReturnType<typeof parseDefinition>>();

function parsedOnce(entry: DefinitionEntry, scopeLists: ScopeLists, trust: DefinitionTrust): ReturnType<typeof parseDefinition> {
	const known = parsed.get(entry) ?? parseDefinition(entry.value, scopeLists, trust === "own");
	parsed.set(entry, known);
	return known;
}

interface Candidate extends InheritingDefinition {
	source: AgentSource;
	label: string;
	lineOf: DefinitionEntry["lineOf"];
	from?: WorkspaceDefinitionFile;
}

/** Creates a function that builds a catalog, parsing only files that have changed since the last call. */
export function createCatalogBuilder(): typeof buildCatalog {
	let before = new Map<string, Known>();
	return (sources) => {
		const now = new Map<string, Known>();
		const read = async (file: DefinitionFile, format: Format): Promise<ParsedDefinitionFile> => {
			if ("problem" in file) return { problem: file.problem };
			const old = before.get(file.path);
			const same = old?.format === format && Buffer.compare(old.bytes, file.bytes) === 0;
			const known = same ? old : { bytes: file.bytes, format, read: await readFile(file, format) };
			now.set(file.path, known);
			return known.read;
		};
		return buildCatalog(sources, read).finally(() => {
			before = now;
		});
	};
}

export async function buildCatalog(sources: AgentSources, read = readFile): Promise<AgentCatalog> {
	const broken: BrokenAgent[] = [];
	/** IDs of the user's invalid definitions, reserved so that no other agent takes them and their approvals. */
	const reserved = new Set<string>();
	const candidates: Candidate[] = builtinAgents.map((definition) => ({
		unresolved: { definition, clearedFields: [], notes: [] },
		trust: "builtin",
		awaitsApproval: false,
		source: { kind: "builtin" },
		label: definition.agentId,
		lineOf: () => undefined,
	}));

	const place = (source: AgentSource): string =>
		source.kind === "settings"
			? t("Entry {0} in troupe.agents", source.index + 1)
			: "path" in source
				? sources.displayPath(source.path)
				: "";
	const refuse = (label: string, source: AgentSource, problem: string, line?: number, field: FieldProblem["field"] = []): void => {
		const where = line === undefined ? place(source) : t("{0}, line {1}", place(source), line);
		const located = field.length > 0 ? t("{0}, {1}: {2}", where, pathOf(field), problem) : t("{0}: {1}", where, problem);
		broken.push({ label, source, problem: located, ...(line !== undefined && { line }) });
	};
	const take = (
		entry: DefinitionEntry,
		source: AgentSource,
		fallback: string,
		trust: DefinitionTrust,
		from?: WorkspaceDefinitionFile,
	): void => {
		const id = idOf(entry.value);
		const few = !isRecord(entry.value) || Object.keys(entry.value).length <= MOST_FIELDS;
		const parsed = few
			? parsedOnce(entry, sources.scopeLists, trust)
			: { problems: [{ field: [], problem: t("Must have {0} fields or fewer", MOST_FIELDS) }] };
		if ("problems" in parsed) {
			const [first] = parsed.problems as [FieldProblem, ...FieldProblem[]];
			refuse(id ?? fallback, source, withFurther(first.problem, parsed.problems.length - 1), entry.lineOf(first.field), first.field);
			if (id !== undefined && trust === "own") reserved.add(id);
			return;
		}
		const { agentId } = parsed.own.definition;
		if (isTaskAgentId(agentId)) {
			refuse(agentId, source, t("IDs that begin with “task-” belong to background tasks"), entry.lineOf(["agentId"]), ["agentId"]);
			return;
		}
		const notes = [...entry.notes, ...parsed.own.notes, ...unknownRoles(parsed.own.definition, sources.roles)];
		const own = { ...parsed.own, notes };
		const waits = from !== undefined && from.state !== "approved";
		const { lineOf } = entry;
		candidates.push({
			unresolved: trust === "workspace" ? withoutGrants(own) : own,
			trust,
			awaitsApproval: waits,
			source,
			label: own.definition.agentId,
			lineOf,
			...(from && { from }),
		});
	};
	const takeFile = (
		file: DefinitionFile,
		read: ParsedDefinitionFile,
		source: AgentSource,
		trust: DefinitionTrust,
		from?: WorkspaceDefinitionFile,
	): void => {
		const label = basename(file.path);
		if ("problem" in read) refuse(label, source, read.problem, read.line);
		else for (const entry of read.entries) take(entry, source, label, trust, from);
	};

	for (const [index, value] of sources.settings.entries()) {
		take({ value, lineOf: () => undefined, notes: [] }, { kind: "settings", index }, t("Entry {0}", index + 1), "own");
	}
	for (const file of sources.files) takeFile(file, await read(file, "troupe"), { kind: "file", path: file.path }, "own");
	let left = MOST_BROUGHT;
	for (const file of sources.workspace) {
		const { format } = file;
		if (format === "subagent") continue;
		const source: AgentSource = { kind: "workspace", path: file.path, format };
		const found = await read(file, format);
		left -= "entries" in found ? found.entries.length : 1;
		if (left < 0) {
			refuse(basename(file.path), source, t("The workspace has more than {0} agents; this file and later files are ignored", MOST_BROUGHT));
			break;
		}
		takeFile(file, found, source, "workspace", file);
	}
	const types = await collectTaskTypes(sources);
	for (const { label, source, problem, line } of types.broken) refuse(label, source, problem, line);
	const { agents, waiting } = merge(candidates, reserved, refuse, sources.scopeLists);
	const unapproved = types.waiting.map(({ type, source, file, notes }) =>
		waitingOf(source, t("Task type “{0}”", type.name), file, { definition: createTaskAgent(type, {}), notes }),
	);
	return { agents, tasks: types.tasks, broken, waiting: [...waiting, ...unapproved] };
}

function merge(
	candidates: readonly Candidate[],
	reserved: ReadonlySet<string>,
	refuse: Refuse,
	scopeLists: ScopeLists,
): Pick<AgentCatalog, "agents" | "waiting"> {
	const taken = new Map<string, Candidate>();
	// Approved definitions take precedence over unapproved ones; the sort is stable.
	for (const candidate of [...candidates].sort((one, other) => Number(one.awaitsApproval) - Number(other.awaitsApproval))) {
		const { agentId } = candidate.unresolved.definition;
		const first = taken.get(agentId);
		const clash = first ?? (candidate.trust === "workspace" && reserved.has(agentId));
		if (!clash) taken.set(agentId, candidate);
		else refuse(candidate.label, candidate.source, duplicate(first), candidate.lineOf(["agentId"]), ["agentId"]);
	}
	const resolve = createInheritanceResolver<Candidate>((agentId, child) => {
		const parent = taken.get(agentId);
		if (parent?.awaitsApproval && !child.awaitsApproval) return { problem: t("The parent agent “{0}” needs your approval", agentId) };
		if (parent) return parent;
		return {
			problem: reserved.has(agentId) ? t("The parent agent “{0}” has errors", agentId) : t("The parent agent “{0}” doesn't exist", agentId),
		};
	}, scopeLists);
	const agents: ListedAgent[] = [];
	const waiting: UnapprovedAgent[] = [];
	for (const candidate of candidates) {
		if (taken.get(candidate.unresolved.definition.agentId) !== candidate) continue;
		const { source, label, lineOf, from } = candidate;
		const whole: ResolveResult = resolve(candidate);
		const unsupported = "problem" in whole ? undefined : findUnsupportedRuntime(whole.definition);
		if ("problem" in whole) refuse(label, source, whole.problem, lineOf(["extends"]), ["extends"]);
		else if (unsupported) refuse(label, source, unsupported.problem, lineOf(unsupported.field), unsupported.field);
		else if (source.kind === "workspace" && from && candidate.awaitsApproval) waiting.push(waitingOf(source, label, from, whole));
		else
			agents.push({
				definition: whole.definition,
				source,
				notes: whole.notes,
				...(source.kind === "file" && { own: toAgentDraft(candidate.unresolved) }),
			});
	}
	return { agents, waiting };
}

type Refuse = (label: string, source: AgentSource, problem: string, line?: number, field?: FieldProblem["field"]) => void;

function duplicate(first: Candidate | undefined): string {
	if (first?.trust === "builtin") return t("This ID is used by a built-in agent");
	if (!first) return t("This ID is already used by another definition, which has errors");
	return t("This ID is already used by the agent “{0}”", truncateForDisplay(first.unresolved.definition.displayName));
}

function waitingOf(
	source: UnapprovedAgent["source"],
	label: string,
	from: WorkspaceDefinitionFile,
	{ definition, notes }: Pick<UnapprovedAgent, "definition" | "notes">,
): UnapprovedAgent {
	const text = "bytes" in from ? (decodeUtf8(from.bytes) ?? "") : "";
	const changed = from.state === "changed";
	return {
		label,
		source,
		hash: from.hash,
		text,
		definition,
		notes,
		changed,
		...(from.approvedText !== undefined && { approved: from.approvedText }),
	};
}

async function readFile(file: DefinitionFile, format: Format): Promise<ParsedDefinitionFile> {
	if ("problem" in file) return { problem: file.problem };
	const text = decodeUtf8(file.bytes);
	if (text === undefined) return { problem: t("The file isn't valid UTF-8") };
	return format === "troupe" ? parseDefinitionJson(text) : parseDefinitionMarkdown(text, file.path, format);
}

function withoutGrants(own: InheritingDefinition["unresolved"]): InheritingDefinition["unresolved"] {
	const { allowedTools, ...definition } = own.definition;
	if (!allowedTools) return own;
	return {
		...own,
		definition,
		notes: [...own.notes, t("allowedTools is ignored in workspace agents. Only your own agents can list approved tools.")],
	};
}

function unknownRoles({ roles = [], defaultRole }: InheritingDefinition["unresolved"]["definition"], known: readonly string[]): string[] {
	const missing = [...new Set([...roles, ...(defaultRole === undefined ? [] : [defaultRole])])].filter((role) => !known.includes(role));
	return missing.length > 0 ? [t("Role not found: {0}.", missing.map(truncateForDisplay).join(", "))] : [];
}

function idOf(entry: unknown): string | undefined {
	const id = isRecord(entry) ? (entry["agentId"] ?? entry["id"]) : undefined;
	return typeof id === "string" && id !== "" ? truncateForDisplay(id) : undefined;
}

/** `toolAllowlist[0]` */
function pathOf(field: FieldProblem["field"]): string {
	return field
		.map((part, index) => (typeof part === "number" ? `[${part}]` : `${index > 0 ? "." : ""}${truncateForDisplay(part)}`))
		.join("");
}

function withFurther(problem: string, count: number): string {
	if (count === 0) return problem;
	return count === 1 ? t("{0} (1 more problem)", problem) : t("{0} ({1} more problems)", problem, count);
}

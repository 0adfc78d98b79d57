// Collects task types: built-in ones, the user's, and the workspace's once approved.
import { basename, dirname } from "node:path";
import type { AgentRegistry, AgentSource, ListedTaskType, UnapprovedAgent } from "../../core/agent.ts";
import type { ScopeLists } from "../../core/ports/gate.ts";
import type { TaskType, TaskTypes } from "../../core/task.ts";
import { t } from "../../shared/l10n.ts";
import type { DefinitionFile, WorkspaceDefinitionFile } from "../definitionFile.ts";
import { builtinTaskTypes } from "./builtinTypes.ts";
import { type ParsedTaskType, parseTaskType } from "./parseTaskType.ts";
import { createTaskAgent } from "./taskAgent.ts";

interface TaskTypeSources {
	/** The user's definition files. */
	subagents: readonly DefinitionFile[];
	/** All definition files of the workspace. */
	workspace: readonly WorkspaceDefinitionFile[];
	scopeLists: ScopeLists;
}

interface CollectedTaskTypes {
	tasks: readonly ListedTaskType[];
	/** Types of the workspace that the user has to approve. */
	waiting: readonly { type: TaskType; notes: readonly string[]; source: UnapprovedAgent["source"]; file: WorkspaceDefinitionFile }[];
	broken: readonly { label: string; source: AgentSource; problem: string; line?: number }[];
}

/** The user's type replaces a built-in one; one of the workspace replaces neither, nor does it take the name of a broken one. */
export async function collectTaskTypes({ subagents, workspace, scopeLists }: TaskTypeSources): Promise<CollectedTaskTypes> {
	const broken: CollectedTaskTypes["broken"][number][] = [];
	const waiting: CollectedTaskTypes["waiting"][number][] = [];
	const tasks = new Map<string, ListedTaskType>();
	for (const type of builtinTaskTypes) tasks.set(type.name, { type, source: { kind: "builtin" }, notes: [] });
	const reserved = new Set(tasks.keys());
	const parse = async (file: DefinitionFile, from: TaskType["source"]): Promise<ParsedTaskType> =>
		"problem" in file ? file : parseTaskType(file.bytes, nameOf(file), from, scopeLists);

	for (const file of subagents) {
		const source: AgentSource = { kind: "file", path: file.path };
		const parsed = await parse(file, "person");
		reserved.add(nameOf(file));
		if ("problem" in parsed) broken.push({ ...parsed, label: nameOf(file), source });
		else tasks.set(parsed.type.name, { ...parsed, source });
	}
	// Approved ones take precedence over unapproved ones; the sort is stable.
	const brought = workspace.filter(({ format }) => format === "subagent");
	for (const file of brought.sort((one, other) => Number(one.state !== "approved") - Number(other.state !== "approved"))) {
		const source: UnapprovedAgent["source"] = { kind: "workspace", path: file.path, format: file.format };
		const parsed = await parse(file, "workspace");
		const name = nameOf(file);
		if ("problem" in parsed) broken.push({ ...parsed, label: name, source });
		else if (reserved.has(name)) broken.push({ label: name, source, problem: t("This name is already used by another task type") });
		else if (file.state === "approved") tasks.set(name, { ...parsed, source });
		else waiting.push({ ...parsed, source, file });
		reserved.add(name);
	}
	return { tasks: [...tasks.values()], waiting, broken };
}

export const TASK_TYPE_FILE = "SUBAGENT.md";

/** Name of the folder of a SUBAGENT.md. */
function nameOf({ path }: { path: string }): string {
	return basename(basename(path) === TASK_TYPE_FILE ? dirname(path) : path);
}

export function createTaskTypes(registry: Pick<AgentRegistry, "catalog" | "refresh" | "onChange">): TaskTypes {
	return {
		list() {
			const types = registry.catalog().tasks.map(({ type }) => type);
			return types.sort((left, right) => (left.name < right.name ? -1 : 1));
		},
		find: (name) => registry.catalog().tasks.find(({ type }) => type.name === name)?.type,
		agent: createTaskAgent,
		refresh: () => registry.refresh(),
		onChange: (listener) => registry.onChange(listener),
	};
}

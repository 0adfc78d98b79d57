// Types of background tasks: their states, their records, and their news to the session that started them.

import type { Caller } from "./caller.ts";
import type { AgentDefinition, Permission } from "./role.ts";
import type { UsageTotals } from "./usage.ts";

/** `waiting`: it has asked for information. `interrupted`: the window that ran it is gone, and nothing of it runs. */
export const TASK_STATES = ["queued", "running", "waiting", "done", "failed", "interrupted", "cancelled"] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** Limits of all turns of a task together. */
export interface TaskBudget {
	/** Model answers. */
	steps: number;
	/** Uncached input plus output; cached input counts one tenth. */
	tokens: number;
	/** Minutes of work, without the time that it waits for a place or a user. */
	minutes: number;
}

/** Figures of what a task has used, as its card shows them. */
export interface TaskFigures {
	/** Model answers. */
	steps: number;
	/** Input, whether or not it was cached, plus output. */
	tokens: number;
}

/** Settings for when a task works in its own copy of the workspace. `auto`: when others that may change the workspace run at its start. */
export const TASK_ISOLATIONS = ["auto", "always", "never"] as const;
export type TaskIsolation = (typeof TASK_ISOLATIONS)[number];

/** The setting `troupe.tasks`. */
export interface TaskLimits {
	/** Maximum number of tasks that run at the same time; those that wait for a user do not count. */
	maxConcurrent: number;
	/** The budget of each task: `steps`, `tokens`, and `minutes` of `TaskBudget`. */
	maxSteps: number;
	maxTokens: number;
	maxMinutes: number;
	isolation: TaskIsolation;
	/** Globs of ignored files and folders that a copy of the workspace includes. */
	copyIgnored: readonly string[];
}

/** A task as its metadata record it. Its name is in the session's metadata. */
export interface TaskRecord {
	state: TaskState;
	/** The call that started it. Its agent's lists apply to all of its turns. */
	caller: Caller;
	/** The last call that continued it, if any; its session hears the news. */
	resumed?: Caller;
	/** Name of its type. */
	type: string;
	/** Maximum permissions of all of its turns. */
	ceiling: readonly Permission[];
	budget: TaskBudget;
	/** The part of the budget that its turns have used so far. */
	spent: TaskBudget;
	/** Decides whether it works in its own copy of the workspace; `always` or `never` once that is decided. */
	isolation: TaskIsolation;
	/** It works in its own copy of the workspace, which has the task's id. */
	copied?: true;
	/** A copy in which it had worked was removed because nothing differed any more; its files are not those of the workspace. */
	released?: true;
	/** Its answer was checked once. */
	reflected?: true;
	/** Calls that it was denied for its ceiling since it was last started or continued; absent if there are none. */
	denied?: TaskDenials;
}

/** Calls of a task that lacked permissions. */
export interface TaskDenials {
	/** The permissions that they lacked. */
	permissions: readonly Permission[];
	/** The first of them, one sentence each. */
	calls: readonly string[];
	/** There were more calls. */
	more?: true;
}

/** Describes what a kind of task is for, and what it may do: built in, or from a SUBAGENT.md. */
export interface TaskType {
	/** 1 to 59 of a-z, 0-9, and `-`. */
	name: string;
	/** One line that says when to use it. */
	description: string;
	source: "builtin" | "person" | "workspace";
	/** Instructions for the model. */
	prompt: string;
	/** Id of the role that its turns have. */
	role: string;
	/** Maximum permissions; those of the role if absent. */
	permissions?: readonly Permission[];
	/** Globs of the only tools that it may use, if any; they only narrow. */
	tools?: readonly string[];
	/** `provider/model`; the caller's if absent. */
	model?: string;
	/** Maximum number of model answers, if lower than in the settings. */
	maxSteps?: number;
	/** It checks its first answer once. */
	reflects?: true;
}

export interface TaskTypes {
	/** The usable types, sorted by name. */
	list(): readonly TaskType[];
	find(name: string): TaskType | undefined;
	/** Reads all sources again; an unusable type affects no other. */
	refresh(): Promise<void>;
	onChange(listener: () => void): { dispose(): void };
	/** The agent of a task of that type; `caller` is the agent that started it. */
	agent(type: TaskType, caller: AgentDefinition): AgentDefinition;
}

/** A message of a task to the session that started it. */
export interface TaskNews {
	kind: "task";
	/** Id of the task, and of its transcript. */
	session: string;
	/** The call that started it, and the turn that made that call. */
	call: string;
	turn: string;
	/** Id of the task's agent. */
	agent: string;
	state: TaskState;
	/** Usage of its turns since its last news. */
	usage?: UsageTotals;
	/** Characters at the message's beginning that introduce the news to the model and are not displayed. */
	intro?: number;
}

/** The call that started a task, as its result displays it. */
export interface TaskView {
	kind: "task";
	figure?: string;
	task: string;
	name: string;
	/** Name of its type. */
	type: string;
}

/** Id of the agent of tasks of that type. No other agent has such an id, so that their approvals stay apart. */
export function taskAgentId(type: string): string {
	return `${TASK_AGENT}${type}`;
}

export function isTaskAgentId(agentId: string): boolean {
	return agentId.startsWith(TASK_AGENT);
}

const TASK_AGENT = "task-";

/** Returns true if what a task has changed is, or was, in a copy of the workspace, and so in no file of the user. */
export function hasChangedCopy({ copied, released }: Pick<TaskRecord, "copied" | "released">): boolean {
	return copied === true || released === true;
}

/** Returns true if a task has ended, so that only a new message continues it. */
export function isTaskOver(state: TaskState): boolean {
	return OVER.has(state);
}

/** Returns true if nothing of it runs. */
export function isTaskIdle(state: TaskState): boolean {
	return isTaskOver(state) || state === "waiting";
}

/** Returns true if it has come to an end of its own: an interrupted one only waits to go on, in its copy too. */
export function isTaskFinished(state: TaskState): boolean {
	return isTaskOver(state) && state !== "interrupted";
}

const OVER: ReadonlySet<TaskState> = new Set<TaskState>(["done", "failed", "interrupted", "cancelled"]);

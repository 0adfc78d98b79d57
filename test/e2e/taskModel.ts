// A scripted model whose agent starts background tasks, and which works as these tasks.
import type { AskedRequest, ScriptedAnswer, ScriptedCall } from "../fakes/modelServer/script.ts";
import { createGate, type Gate } from "./gate.ts";

export interface ScriptedTask {
	/** The person names it, and the agent starts it. */
	name: string;
	input: string;
	/** One for each result that it has got so far; the last one again when its answer is checked. */
	answers: readonly ScriptedAnswer[];
}

export class TaskModel {
	private readonly tasks: readonly ScriptedTask[];

	constructor(tasks: readonly ScriptedTask[]) {
		this.tasks = tasks;
	}

	readonly answer = (request: AskedRequest): ScriptedAnswer => (isTask(request) ? this.work(request) : this.call(request));

	private work({ messages }: AskedRequest): ScriptedAnswer {
		const [first] = messages.filter(({ role }) => role === "user");
		const task = this.tasks.find(({ input }) => first?.text.includes(input));
		const results = messages.filter(({ role }) => role === "tool").length;
		return task?.answers.at(Math.min(results, task.answers.length - 1)) ?? { text: "There is nothing to do." };
	}

	private call({ messages }: AskedRequest): ScriptedAnswer {
		const last = messages.at(-1);
		if (last?.role === "tool") return { text: "It works in the background." };
		const [, name, state] = NEWS.exec(last?.text ?? "") ?? [];
		if (name !== undefined) return { text: `I heard that “${name}” ${state}.` };
		const named = this.tasks.filter((task) => last?.text.includes(task.name));
		const calls = named.map((task) => ({
			name: "spawn_subagent",
			input: { description: task.name, input: task.input, type: "general", isolation: "always" },
		}));
		return calls.length > 0 ? { text: "I start that in the background.", calls } : { text: "I am here." };
	}
}

/** Messages of tasks that the agent has got, such as "Slow tests is done". */
export function listNews({ messages }: AskedRequest): string[] {
	return messages.flatMap(({ role, text }) => {
		const [, name, state] = (role === "user" && NEWS.exec(text)) || [];
		return name === undefined ? [] : [`${name} ${state}`];
	});
}

/** Only tasks can ask for information. */
export function isTask({ tools }: AskedRequest): boolean {
	return tools.includes("need_more_info");
}

/** An answer that is sent once the gate is open. */
export function gated(answer: ScriptedAnswer): { gate: Gate; answer: ScriptedAnswer } {
	const gate = createGate();
	return { gate, answer: { ...answer, pace: () => gate.opened } };
}

export function updating(path: string, old: string, replacement: string): ScriptedCall {
	return { name: "update_file", input: { path, old, new: replacement } };
}

const NEWS = /Background task \S+ \((.+?)\) (is done|needs information|was interrupted|failed)/;

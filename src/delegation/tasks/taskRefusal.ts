// Refuses to start, stop or continue a task, in words for a model and for the person.
import { ToolError } from "../../core/ports/tool.ts";
import type { TaskState } from "../../core/task.ts";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import { sanitizeForPrompt } from "../../shared/safeText.ts";

/** `open`: it runs or waits for its place already. `elsewhere`: another window has it. */
type Reason = "closing" | "unknown" | "open" | "elsewhere";

/** The message is for the model. */
export class TaskRefusal extends ToolError {
	readonly reason: Reason;
	constructor(reason: Reason, message: string) {
		super(message);
		this.reason = reason;
	}
}

/** Rejects with a sentence for the person in place of a refusal. */
export async function toShownRefusal<T>(act: "stop" | "continue", work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		throw error instanceof TaskRefusal ? new UserError(SENTENCES[act][error.reason]()) : error;
	}
}

const unknown = () => t("This task no longer exists.");

const SENTENCES: Record<"stop" | "continue", Record<Reason, () => string>> = {
	stop: {
		closing: () => t("The window is closing. The task wasn't stopped."),
		unknown,
		open: () => t("The task wasn't stopped. Try again."),
		elsewhere: () => t("Another window has this task open. The task wasn't stopped. Stop it there."),
	},
	continue: {
		closing: () => t("The window is closing. The task wasn't continued."),
		unknown,
		open: () => t("The task is already running or waits for its turn. Nothing was changed."),
		elsewhere: () => t("Another window has this task open. The task wasn't continued. Continue it there."),
	},
};

/** Nothing of a task that is queued or runs can be continued. */
export function createRunsError(state: TaskState): TaskRefusal {
	return new TaskRefusal(
		"open",
		`The task is ${state}. Nothing was sent. What it finds reaches you as a message; to end it, call task_stop.`,
	);
}

/** Throws ToolError if nothing of it is visible. */
export function requireText(input: string): string {
	const text = sanitizeForPrompt(input);
	if (text.trim() === "") throw new ToolError("The input has no visible text. Nothing was sent. Write what the task is to do.");
	return text;
}

export function nameTask(description: string): string {
	const [line = ""] = sanitizeForPrompt(description).trim().split("\n");
	const characters = [...line.slice(0, 200)];
	return characters.length > 60 ? `${characters.slice(0, 59).join("").trimEnd()}…` : line;
}

// The built-in task types and their prompts.
import type { TaskType } from "../../core/task.ts";
import { taskRole } from "../builtinRoles.ts";

const ALONE =
	"You work alone on one task for an agent that sees only your last message. It can't see what you read, so say all that it needs.";

const READING = "You read and change nothing.";

const ASKING = "If you can't go on without something that only your caller knows, call need_more_info with one clear question.";

/** Tools of types that only read. Those of servers are subject to the permissions. */
const READING_TOOLS = [
	"read_*",
	"list_directory",
	"find_files",
	"get_*",
	"search_*",
	"use_skill",
	"web_fetch",
	"session_archive_read",
	"mcp__*",
];

const types: readonly Omit<TaskType, "role" | "source">[] = [
	{
		name: "general",
		reflects: true,
		description: "Does a task from start to end, and checks it. For work that stands on its own.",
		prompt: `${ALONE} Read what the task touches before you change it, make the smallest change that does it, and check it with the tests or programs that the workspace has. Decide small things yourself; say which. ${ASKING} Call notify only for something that your caller should know before you end. End with: what you changed, by file; how you checked it and what came out; what is left or uncertain.`,
	},
	{
		name: "explore",
		description: "Answers a question about the workspace, with file and line. Changes nothing. For questions that take reading.",
		permissions: ["ReadFiles"],
		tools: READING_TOOLS,
		prompt: `${ALONE} ${READING} Search broadly first, by several names for the same thing, then read the places that matter; follow calls and data rather than names. Stop when more reading would not change the answer. Report the answer first, in one or two sentences, then the findings behind it, the most important first, each as \`path:line\` and what is there. Keep what you saw apart from what you conclude, and say what you looked for and did not find. No plan, and no advice that was not asked for.`,
	},
	{
		name: "plan",
		reflects: true,
		description: "Thinks a task through, and ends with a plan. Changes nothing. For work that needs thought before anyone starts.",
		permissions: ["ReadFiles"],
		tools: READING_TOOLS,
		prompt: `${ALONE} ${READING} Read the code that the task touches, its callers, and its tests before you decide. ${ASKING} Write the plan as text in your last message; don't call present_plan. The plan: the goal in a sentence; numbered steps, each with the files it changes, what changes there, and why; how to check the result; risks, and questions that are open. Prefer the smallest plan that does the task, and name an alternative only where the choice matters.`,
	},
];

export const builtinTaskTypes: readonly TaskType[] = types.map((type) => ({
	...type,
	source: "builtin",
	role: taskRole(type.permissions),
}));

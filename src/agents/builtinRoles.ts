// The built-in roles: permissions, ceilings for delegation, and prompts.
import { type AgentDefinition, PERMISSIONS, type Permission, type Role } from "../core/role.ts";
import { t } from "../shared/l10n.ts";
import { mainDefinition } from "./mainAgent.ts";

/** The role with all permissions, which the others lead to. */
const ACTOR = "actor";

const ASKING = `When a decision is the person's, call ask_question with clear options and a severity: critical, major or minor. Always ask before deleting files, major refactors and security-sensitive changes; usually for changes beyond the plan and uncertainty about the approach; rarely for minor formatting, obvious fixes and style.`;

const PLANNING = `Read what you need, then call present_plan (format_version "1.0"): the goal, numbered steps with the reason for each, the tools each needs, the files it changes, estimates, risks and prerequisites. The person reviews it, may argue, and starts it with "Execute plan", which switches the role. Refine the plan when they answer. For a plain question, answer in text without a plan.`;

/** The first is the default for new sessions. */
export const builtinRoles: readonly [Role, ...Role[]] = [
	{
		id: "planner",
		label: t("Planner"),
		name: "Planner",
		icon: "checklist",
		permissions: ["ReadFiles", "Delegate"],
		acts: ACTOR,
		primary: true,
		answersOthers: true,
		command: { name: "plan", description: t("Switch to Planner to explore and plan") },
		prompt: `You analyze the request and propose a plan. ${PLANNING} If you are asked to change something right away, plan it, or say that the person can switch to the Actor role.`,
	},
	{
		id: ACTOR,
		label: t("Actor"),
		name: "Actor",
		icon: "play",
		permissions: PERMISSIONS,
		primary: true,
		command: { name: "act", description: t("Switch to Actor to make changes") },
		prompt: `You carry out the approved plan, or the request itself where there is none. Under a plan, call update_step with "running" before a step and "done", "failed" or "skipped" after it. Make small adjustments as needed and mention larger ones. ${ASKING} End with a short summary of what changed and what you checked.`,
		formats: ["question"],
	},
	{
		id: "commander",
		label: t("Commander"),
		name: "Commander",
		icon: "organization",
		permissions: ["ReadFiles", "Delegate"],
		ceiling: PERMISSIONS,
		peerRole: ACTOR,
		acts: ACTOR,
		prompt: `You set the strategy, hand tasks to other agents and bring their results together. You change nothing yourself. ${ASKING}`,
		formats: ["question"],
	},
	{
		id: "designer",
		label: t("Designer"),
		name: "Designer",
		icon: "symbol-color",
		permissions: ["ReadFiles", "Network"],
		acts: ACTOR,
		prompt: `You study the workspace and sources on the web and describe designs: structure, interfaces, look, alternatives and their cost. ${PLANNING}`,
	},
	{
		id: "reviewer",
		label: t("Reviewer"),
		name: "Reviewer",
		icon: "eye",
		permissions: ["ReadFiles"],
		acts: ACTOR,
		prompt: `You review: name defects and risks by file and line, the worst first, with what to do about each. ${PLANNING}`,
	},
	{
		id: "tester",
		label: t("Tester"),
		name: "Tester",
		icon: "beaker",
		permissions: ["ReadFiles", "ExecuteCommands"],
		acts: ACTOR,
		prompt: `You find out whether it works: run the tests and programs, report what passed, what failed and why. You change no files. ${ASKING}`,
		formats: ["question"],
	},
];

/** Id of the role of a task with these permissions: the one that plans if it has all of them, or else the one that acts. */
export function taskRole(permissions: readonly Permission[] | undefined): string {
	const [planner] = builtinRoles;
	return permissions?.every((permission) => planner.permissions.includes(permission)) ? planner.id : ACTOR;
}

/** Makes a user-defined role lead to the actor if the actor has more permissions. */
export function withActingRole(role: Role): Role {
	const lacks = PERMISSIONS.some((permission) => !role.permissions.includes(permission));
	return lacks ? { ...role, acts: ACTOR } : role;
}

export const defaultAgent: AgentDefinition = {
	agentId: "default",
	displayName: t("General Assistant"),
	description: t("A general-purpose coding assistant"),
	systemPrompt: "You are General Assistant. A general-purpose coding assistant.",
	icon: "hubot",
	optIn: ["tasks"],
};

export const mainAgent: AgentDefinition = { ...mainDefinition, roles: ["planner", "commander"], defaultRole: "planner" };

export const builtinAgents: readonly AgentDefinition[] = [defaultAgent, mainAgent];

// use_skill: reads a skill's instructions. Its description lists the skills and is fixed for a session.

import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { Skill, SkillCatalog, SkillLibrary } from "../core/ports/skills.ts";
import { defineTool, type Tool, ToolError, type ToolSource } from "../core/ports/tool.ts";
import type { AgentDefinition } from "../core/role.ts";
import { summaryAndDone } from "../shared/toolWords.ts";
import { formatSkillList, listingBudget } from "./library.ts";

/** A plugin's generated skill: its provider is the plugin. */
export interface PluginSkill {
	id: string;
	name: string;
	description: string;
	skillPath: string;
	cliPath: string;
	text: string;
}

export interface SkillSourceOptions {
	library: SkillLibrary;
	/** Returns true if the agent's lists allow the provider's skills. */
	allows(agent: AgentDefinition, provider: string): boolean;
	/** Plugins that a session can use from a shell, as of the start of its last turn. */
	plugins(session: string): readonly PluginSkill[];
	/** Returns the path relative to the workspace if it is inside, otherwise the absolute path. */
	shownPath(path: string): string;
}

const Input = z.object({
	name: z.string().min(1).max(64).describe("As in the list"),
	file: z.string().min(1).max(1_024).optional().describe("Another file of the skill, as its instructions name it"),
});
type Input = z.infer<typeof Input>;

/** Maximum bytes of instructions in a result, just below the result's limit. */
const BODY_LIMIT = 30_000;
const NAMED = 50;

export function createSkillSource(options: SkillSourceOptions): ToolSource {
	const { library, allows } = options;
	/** The tool given to each session's model, and the agent definition it was created for. */
	const frozen = new Map<string, Told>();
	/** The tool for sessions before their first turn with a definition, cached by catalog. */
	const early = new Map<string, Told & { of: SkillCatalog }>();

	function toldTo(session: string, agent: AgentDefinition, window?: number): Told {
		const own = library.now().skills.filter(({ provider }) => allows(agent, provider));
		const listed = own.filter(({ byModel }) => byModel);
		if (own.length === 0 && !usesShell(agent)) return { agent, tool: undefined, bytes: 0 };
		const list = formatSkillList(listed, listingBudget(window) - Buffer.byteLength(describing("")));
		const tool = useSkill({ ...options, list, session, allowed: (provider) => allows(agent, provider) });
		return { agent, tool, bytes: Buffer.byteLength(tool.description) };
	}

	function toolNow(session: string, agent: AgentDefinition): Tool | undefined {
		const told = frozen.get(session);
		if (told && isDeepStrictEqual(told.agent, agent)) return told.tool;
		const known = early.get(session);
		if (known?.of === library.now() && isDeepStrictEqual(known.agent, agent)) return known.tool;
		const now = { ...toldTo(session, agent), of: library.now() };
		early.set(session, now);
		return now.tool;
	}

	return {
		tools(session, agent) {
			const tool = toolNow(session, agent);
			return tool ? [tool] : [];
		},
		async prepare(session, agent, _signal, window) {
			await library.look();
			early.delete(session);
			const told = frozen.get(session);
			// The list may be too long for another model's context window.
			const stays = told && isDeepStrictEqual(told.agent, agent) && told.bytes <= listingBudget(window);
			if (!stays) frozen.set(session, toldTo(session, agent, window));
			return [];
		},
		async release(session) {
			frozen.delete(session);
			early.delete(session);
		},
	};
}

interface Told {
	agent: AgentDefinition;
	tool: Tool | undefined;
	/** Bytes of its description. */
	bytes: number;
}

function usesShell(agent: AgentDefinition): boolean {
	return agent.toolExposure === "skills" || agent.toolExposure === "mixed";
}

const ABOUT = "Read a skill: instructions for one kind of task. Read the one that fits a task before you begin it.";
const describing = (list: string): string => `${ABOUT}\n\nSkills, as their authors describe them:\n${list}`;

interface Frozen extends SkillSourceOptions {
	list: string;
	session: string;
	allowed(provider: string): boolean;
}

function useSkill({ library, plugins, shownPath, list, session, allowed }: Frozen): Tool {
	const own = (name: string) => library.now().skills.find((skill) => skill.name === name);
	const plugin = (name: string) => plugins(session).find((skill) => skill.name === name);
	return defineTool<Input>({
		name: "use_skill",
		plugin: "skills",
		description: list === "" ? ABOUT : describing(list),
		permissions: [],
		capabilities: ["skills.read"],
		input: Input,
		...summaryAndDone("use_skill"),
		// A name without a provider is excluded by any list that names providers.
		skill: ({ name }) => own(name)?.provider ?? plugin(name)?.id,
		// A repository's skill may link to protected files, so the gate checks the target.
		paths({ name, file = "SKILL.md" }) {
			const skill = own(name);
			const known = skill?.provider === "workspace" && skill.files.some(({ path }) => path === file);
			return known ? [{ path: join(dirname(skill.path), file), use: "read" }] : [];
		},
		async run({ name, file }) {
			const skill = own(name);
			if (skill && !skill.byModel) throw new ToolError(`The skill ${name} is called only by the person, with /${name}. Go on without it.`);
			// The provider may have changed since the gate check.
			if (skill && allowed(skill.provider))
				return { output: file === undefined ? await whole(skill, library, shownPath) : await library.read(skill, file) };
			const generated = plugin(name);
			if (!generated) throw new ToolError(unknown(name, library, allowed, plugins(session)));
			if (file !== undefined) throw new ToolError(`The skill ${name} has no other file.`);
			return { output: generated.text };
		},
	});
}

async function whole(skill: Skill, library: SkillLibrary, shownPath: (path: string) => string): Promise<string> {
	// Verifies that the file on disk is the approved one.
	await library.read(skill, "SKILL.md");
	const folder = shownPath(skill.path.replace(/[\\/]SKILL\.md$/, ""));
	const others = skill.files.filter(({ path }) => path !== "SKILL.md").map(({ path }) => `- ${folder}/${path}`);
	const more = others.length > NAMED ? [`- ${others.length - NAMED} more`] : [];
	const inside = skill.provider === "workspace" ? "read_file reads them, or" : "Read them by";
	const files =
		others.length === 0
			? []
			: ["", `Files of this skill in ${folder} (${inside} use_skill with \`file\`):`, ...others.slice(0, NAMED), ...more];
	const bytes = Buffer.from(skill.body);
	const body =
		bytes.length <= BODY_LIMIT
			? skill.body
			: `${new TextDecoder().decode(bytes.subarray(0, BODY_LIMIT)).replace(/\uFFFD+$/, "")}\n[cut: use_skill with file "SKILL.md" has all of it]`;
	return [`# Skill: ${skill.name}`, "", body, ...files].join("\n");
}

function unknown(name: string, library: SkillLibrary, allowed: (provider: string) => boolean, plugins: readonly PluginSkill[]): string {
	const own = library.now().skills.filter(({ provider, byModel }) => byModel && allowed(provider));
	const names = [...own, ...plugins].map((skill) => skill.name);
	const waits = library.now().waiting.some((waiting) => waiting.name === name);
	if (waits) return `The skill ${name} counts only once the person has approved it. Go on without it, or ask them to review it.`;
	const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
	return `There is no skill ${name}. There are: ${names.slice(0, NAMED).join(", ") || "none"}${more}.`;
}

// Chat commands from MCP server prompts (/mcp__server__prompt name=value) and from skills.

// The text of a server prompt goes into the composer, so that the user reads external content before sending it.

import type { Attachment } from "../../core/events.ts";
import type { Skill } from "../../core/ports/skills.ts";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import type { SlashCommandItem } from "../../shared/protocol/chat.ts";
import { getAgent } from "../agent/sessionAgent.ts";
import type { SessionContext } from "../sessionContext.ts";

export function isServerPrompt(name: string): boolean {
	return name.startsWith("mcp__");
}

export function listServerPrompts({ services, sessionId }: Pick<SessionContext, "services" | "sessionId">): SlashCommandItem[] {
	return services.sources.flatMap((source) =>
		(source.prompts?.(sessionId) ?? []).map(({ name, description, arguments: wanted }) => ({
			name,
			description,
			...(wanted.length > 0 && { argument: wanted.map((argument) => `${argument.name}=…`).join(" ") }),
		})),
	);
}

/** Starts the agent's servers if no turn has yet. Rejects with a displayable message. */
export async function getServerPrompt(session: SessionContext, name: string, rest: string): Promise<string> {
	const { services, sessionId } = session;
	const restricted = services.restricted();
	if (restricted !== undefined) throw new UserError(restricted);
	const { signal } = new AbortController();
	const warnings: string[] = [];
	for (const source of services.sources) {
		if (!source.prompts || !source.prompt) continue;
		if (!source.prompts(sessionId).some((prompt) => prompt.name === name)) {
			warnings.push(...(await source.prepare(sessionId, getAgent(session), signal)));
		}
		const prompt = source.prompts(sessionId).find((candidate) => candidate.name === name);
		if (prompt) return source.prompt(sessionId, name, parsePromptArguments(rest, prompt.arguments), signal);
	}
	const none = t("No server of this agent provides the prompt {0}.", name);
	throw new UserError([none, ...warnings].join(" "));
}

/** Parses `a=1 b="two words"`. The name may be omitted if there is only one argument. */
export function parsePromptArguments(rest: string, wanted: readonly { name: string }[]): Record<string, string> {
	const [only, ...others] = wanted;
	const names = new Set(wanted.map(({ name }) => name));
	const values: Record<string, string> = {};
	for (const [, name = "", quoted, plain = ""] of rest.matchAll(/([^\s=]+)=(?:"([^"]*)"|(\S*))/g)) {
		if (names.has(name)) values[name] = quoted ?? plain;
	}
	if (only && others.length === 0 && rest !== "" && Object.keys(values).length === 0) return { [only.name]: rest };
	return values;
}

type Session = Pick<SessionContext, "services" | "policy" | "gate" | "sessionId" | "state">;

/** Maximum bytes of attached instructions; the model reads the rest with use_skill. */
const LIMIT = 32_768;

/** The skills that the agent's lists allow and the user can invoke. */
export function listInvocableSkills(session: Session): Skill[] {
	const { services, gate } = session;
	const agent = getAgent(session);
	return (services.skills?.now().skills ?? []).filter(({ byPerson, provider }) => byPerson && gate.allowsSkill(agent, provider));
}

export function listSkillCommands(session: Session): SlashCommandItem[] {
	return listInvocableSkills(session).map(({ name, description }) => ({ name, description }));
}

/** The skill that a message invokes, read from disk. Rejects with a displayable message if it has changed since it was loaded. */
export async function resolveSkillCall(session: Session, text: string): Promise<Attachment | undefined> {
	const [, name] = /^\/([a-z][a-z0-9-]{0,63})(?:\s|$)/.exec(text) ?? [];
	const { skills } = session.services;
	const skill = name === undefined ? undefined : listInvocableSkills(session).find((candidate) => candidate.name === name);
	if (!skills || !skill) return undefined;
	await skills.read(skill, "SKILL.md");
	const folder = skill.path.replace(/[\\/]SKILL\.md$/, "");
	const files = skill.files.filter(({ path }) => path !== "SKILL.md").map(({ path }) => `- ${path}`);
	const whole = [skill.body, ...(files.length > 0 ? ["", `Files of this skill, in ${folder}:`, ...files] : [])].join("\n");
	const bytes = Buffer.from(whole);
	const limited = bytes.length > LIMIT ? `${new TextDecoder().decode(bytes.subarray(0, LIMIT)).replace(/\uFFFD+$/, "")}\n[cut]` : whole;
	return { kind: "file", label: `/${skill.name}`, text: `Follow this skill for the person's message.\n\n${limited}`, path: skill.path };
}

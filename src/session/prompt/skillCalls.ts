// Skills that the person calls by /name at the start of a message: their instructions come along with it.
import type { Attachment } from "../../core/events.ts";
import type { Skill } from "../../core/ports/skills.ts";
import type { SlashCommandItem } from "../../shared/protocol/chat.ts";
import type { SessionContext } from "../context.ts";
import { getAgent } from "../sessionAgent.ts";

type Session = Pick<SessionContext, "services" | "sessionId" | "state">;

/** Bytes of instructions that come along; the model reads the rest with use_skill. */
const LIMIT = 32_768;

/** Those that the agent's lists let it use. */
export function listInvocableSkills(session: Session): Skill[] {
	const { skills, gate } = session.services;
	const agent = getAgent(session);
	return (skills?.now().skills ?? []).filter(({ byPerson, provider }) => byPerson && gate.allowsSkill(agent, provider));
}

export function listSkillCommands(session: Session): SlashCommandItem[] {
	return listInvocableSkills(session).map(({ name, description }) => ({ name, description }));
}

/** The skill that a message calls, as it is on disk now. Rejects with a sentence where it has changed since it was looked at. */
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
	const kept = bytes.length > LIMIT ? `${new TextDecoder().decode(bytes.subarray(0, LIMIT)).replace(/\uFFFD+$/, "")}\n[cut]` : whole;
	return { kind: "file", label: `/${skill.name}`, text: `Follow this skill for the person's message.\n\n${kept}`, path: skill.path };
}

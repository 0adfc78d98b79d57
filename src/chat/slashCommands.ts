// The slash commands, such as /plan, /new and /help, with name, description and action.

import { UserError } from "../core/userError.ts";
import {
	getServerPrompt,
	isServerPrompt,
	listInvocableSkills,
	listServerPrompts,
	listSkillCommands,
} from "../session/prompt/promptCommands.ts";
import type { SessionPolicy } from "../session/services.ts";
import type { Session } from "../session/session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { t } from "../shared/l10n.ts";
import type { SlashCommandItem } from "../shared/protocol/chat.ts";
import type { ChatHost } from "./chatHost.ts";

/** The context of a command's action. */
export interface SlashCommandContext {
	/** The text after the command's name. */
	rest: string;
	session: Session;
	sessions: Sessions;
	host: ChatHost;
	/** False if the user declines. */
	setRole(role: string): Promise<boolean>;
	setAgent(agent: string): Promise<boolean>;
	/** Shows this session in the chat. */
	show(sessionId: string): Promise<void>;
	/** Puts text into the composer for the user to review and send. */
	fill(words: string): Promise<void>;
	/** Sends the rest and the message's images, if there are any. */
	sendRest(session: Session): unknown;
}

interface SlashCommand {
	name: string;
	describe(): string;
	argument?(): string;
	/** It also makes sense in a background task, which keeps its role and agent. */
	inTasks?: true;
	run(call: SlashCommandContext): unknown;
}

const commands: readonly SlashCommand[] = [
	{
		name: "new",
		describe: () => t("Start a new session with this agent"),
		argument: () => t("first message"),
		async run({ session, sessions, show, sendRest }) {
			const { sessionId } = await sessions.create({ agentId: session.state.agent });
			await show(sessionId);
			return sendRest(await sessions.get(sessionId));
		},
	},
	{
		name: "clear",
		describe: () => t("Clear the messages in this session"),
		async run({ session: { sessionId }, sessions, host }) {
			const question = t(
				"Permanently delete all messages in this session? Its name, agent, and role are kept, and your files are not affected.",
			);
			if (await host.confirm(question, [], t("Clear"))) await sessions.clear(sessionId);
		},
	},
	{ name: "model", describe: () => t("Select a model"), run: ({ host }) => host.command("selectModel") },
	{ name: "agent", describe: () => t("Select an agent"), argument: () => t("name"), run: switchAgent },
	{
		name: "compact",
		inTasks: true,
		describe: () => t("Summarize earlier messages to free up context"),
		run: ({ session }) => session.compact(),
	},
	{
		name: "export",
		inTasks: true,
		describe: () => t("Export this session as a document"),
		async run({ session: { sessionId }, sessions, host }) {
			const summary = await sessions.find(sessionId);
			if (summary) await host.exportSession(summary);
		},
	},
	{
		name: "help",
		inTasks: true,
		describe: () => t("Show the available commands"),
		run: ({ session }) => session.note(helpText(session.policy)),
	},
];

/** Role commands come first. */
function listCommands({ roles }: Pick<SessionPolicy, "roles">): SlashCommand[] {
	const switches = roles().flatMap(({ id, command }): SlashCommand[] => {
		if (!command) return [];
		const { name, description } = command;
		return [{ name, describe: () => description, argument: () => t("task"), run: (call) => inRole(id, call) }];
	});
	return [...switches, ...commands];
}

export interface ParsedSlashCommand {
	name: string;
	rest: string;
}

/** The command at the start of a message. A path such as /etc/hosts is not a command. */
export function parseSlashCommand(text: string): ParsedSlashCommand | undefined {
	const [, name, rest = ""] = /^\/(mcp__[A-Za-z0-9_-]{1,59}|[a-z][a-z0-9-]{0,63})(?:\s+([\s\S]*))?$/i.exec(text.trimEnd()) ?? [];
	if (name === undefined) return undefined;
	return { name: isServerPrompt(name) ? name : name.toLowerCase(), rest: rest.trim() };
}

/** Undefined if there is no such command. */
export function findSlashCommand(policy: Pick<SessionPolicy, "roles">, { name }: ParsedSlashCommand): SlashCommand["run"] | undefined {
	if (isServerPrompt(name)) {
		return async ({ rest, session, fill }) => {
			const text = await getServerPrompt(session, name, rest);
			// A server's text must not run a command if it is sent unchanged.
			await fill(parseSlashCommand(text) ? ` ${text}` : text);
		};
	}
	return listCommands(policy).find((command) => command.name === name)?.run;
}

/** Returns true if the message invokes a skill; it is sent to the model unchanged, with the skill. */
export function isSkillCall(session: Session, { name }: ParsedSlashCommand): boolean {
	const isBuiltIn = listCommands(session.policy).some((command) => command.name === name);
	return !isBuiltIn && listInvocableSkills(session).some((skill) => skill.name === name);
}

/** Includes the server prompts and skills of `session` if it is given. `isTask`: only what a background task allows. */
export function listSlashCommands(
	policy: Pick<SessionPolicy, "roles">,
	session?: Pick<Session, "services" | "policy" | "gate" | "sessionId" | "state">,
	isTask = false,
): SlashCommandItem[] {
	const allowed = listCommands(policy).filter(({ inTasks }) => !isTask || inTasks);
	const builtIn = allowed.map(({ name, describe, argument }) => ({
		name,
		description: describe(),
		...(argument && { argument: argument() }),
	}));
	if (!session) return builtIn;
	const skills = listSkillCommands(session).filter(({ name }) => !builtIn.some((command) => command.name === name));
	return [...builtIn, ...skills, ...listServerPrompts(session)];
}

/** Lists the available commands. */
export function formatUnknownCommand(policy: Pick<SessionPolicy, "roles">, { name }: ParsedSlashCommand): string {
	const names = listCommands(policy)
		.map((command) => `/${command.name}`)
		.join(" ");
	return t("The command /{0} doesn't exist. Available commands: {1}. To send the text as is, start the message with a space.", name, names);
}

function helpText(policy: Pick<SessionPolicy, "roles">): string {
	const lines = listSlashCommands(policy).map(
		({ name, argument, description }) => `/${name}${argument ? ` ${argument}` : ""} · ${description}`,
	);
	return [
		t("At the start of a message:"),
		...lines,
		t(
			"Use @ anywhere in a message to attach context: @src/cart.ts, @src/cart.ts:10-20, @folder, @selection, @problems, @terminal, @changes, @https://…",
		),
	].join("\n");
}

async function inRole(role: string, { session, setRole, sendRest }: SlashCommandContext): Promise<void> {
	if (await setRole(role)) await sendRest(session);
}

async function switchAgent({ rest, session, sessions, host, setAgent }: SlashCommandContext): Promise<void> {
	const agents = sessions.policy.agents();
	const wanted = rest.toLowerCase();
	const named = agents.find(({ agentId, displayName }) => [agentId.toLowerCase(), displayName.toLowerCase()].includes(wanted));
	if (rest && !named) {
		const shown = agents.filter(({ uiVisible }) => uiVisible !== false);
		const names = shown.map(({ displayName }) => displayName).join(", ");
		throw new UserError(t("The agent {0} doesn't exist. Available agents: {1}.", rest, names));
	}
	const agent = named?.agentId ?? (await host.pickAgent(session.state.agent));
	if (agent !== undefined) await setAgent(agent);
}

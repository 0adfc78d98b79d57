// Tells which channel a message belongs to, and which channels a turn may reply to.

import type { Channel } from "../../core/channel.ts";
import type { EventOf } from "../../core/events.ts";
import { toChannelName } from "../../core/prompt.ts";
import type { AgentDefinition } from "../../core/role.ts";
import type { Transcript } from "../../core/transcript/state.ts";
import { findTaskCall } from "../../core/transcript/tasks.ts";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import type { SessionPolicy, SessionSetup } from "../services.ts";
import type { Message, Sender } from "../state/message.ts";
import { getAgent } from "./sessionAgent.ts";

/** The session's own chat. */
export const PANEL: Channel = { type: "vscode", channelId: "main" };

/** Channels of authors who use no other. */
const OWN: Readonly<Record<string, Channel>> = {
	person: PANEL,
	api: { type: "api", channelId: "main" },
	"channel:VS Code chat": { type: "vscode", channelId: "chat" },
};

interface ReceivingSession extends SessionSetup {
	sessionId: string;
	state: Transcript;
}

/** The agent that hears messages of channels: of those that speak in replies, the one that has one session. Throws an Error to display. */
export function requireSpeakingAgent({ agents }: Pick<SessionPolicy, "agents">): AgentDefinition {
	const speaking = agents().filter(({ output }) => output === "reply");
	const agent = speaking.find(({ single }) => single) ?? speaking[0];
	if (agent) return agent;
	throw new UserError(t("No agent here takes messages from outside the chat. Nothing was sent."));
}

/** The message with its channel, if the session's agent speaks in replies. A message that names its channel keeps it. */
export function withChannel<M extends Pick<Message, "channel">>(session: ReceivingSession, message: M, sender: Sender): M {
	const { state } = session;
	if (getAgent(session).output !== "reply" || (message.channel && !sender.about)) return message;
	return { ...message, channel: channelOfSubject(state, sender) ?? channelOfSender(sender) ?? lastChannel(state) };
}

/** Returns the channel of the message that caused the call that this one is about. */
function channelOfSubject(state: Transcript, { about }: Sender): Channel | undefined {
	return about && (findTaskCall(state, about.call)?.channel ?? lastChannel(state));
}

function channelOfSender({ by, caller }: Sender): Channel | undefined {
	if (caller) return { type: "agent", channelId: toChannelName(caller.agent) };
	if (Object.hasOwn(OWN, by)) return OWN[by];
	const [kind = "", name] = [by.slice(0, by.indexOf(":")), by.slice(by.indexOf(":") + 1)];
	if (kind === "agent") return { type: "agent", channelId: toChannelName(name) };
	return kind === "channel" ? { type: toChannelName(name), channelId: PANEL.channelId } : undefined;
}

/** The newest message's; the session's chat if there is none. */
function lastChannel({ events, hidden }: Transcript): Channel {
	return events.findLast((event): event is FromChannel => isFromChannel(event) && !hidden.has(event.id))?.channel ?? PANEL;
}

/** The channels that messages of a turn came from, in their order. Its replies go nowhere else. */
export function channelsOfTurn({ events, hidden }: Transcript, turn: string | undefined): Channel[] {
	const own = events.filter((event) => event.turn === turn && turn !== undefined && !hidden.has(event.id));
	return own.flatMap((event) => (isFromChannel(event) ? [event.channel] : []));
}

type FromChannel = EventOf<"user"> & { channel: Channel };

function isFromChannel(event: Transcript["events"][number]): event is FromChannel {
	return event.type === "user" && event.channel !== undefined;
}

/** A channel as a model names it. */
export interface ChannelAddress {
	channelId: string;
	channelType?: string | undefined;
	replyTo?: string | undefined;
}

/** The channel of that name among `sources`, the newest first, with the thread only if the address names it. */
export function findChannel(sources: readonly Channel[], { channelId, channelType, replyTo }: ChannelAddress): Channel | undefined {
	const found = sources.findLast(
		(source) =>
			source.channelId === channelId &&
			(channelType === undefined || source.type === channelType) &&
			(replyTo === undefined || source.replyTo === replyTo),
	);
	return found && { type: found.type, channelId, ...(replyTo !== undefined && { replyTo }) };
}

// The channel port: a place outside the chat where people talk to an agent.
import type { Channel } from "../channel.ts";
import type { Permission } from "../role.ts";

export interface InboundMessage {
	text: string;
	/** The channel without its type, which is the adapter's. */
	channel: Omit<Channel, "type">;
}

export interface OutboundMessage {
	text: string;
	channel: Channel;
	/** It is a sentence of Troupe, not a reply of the agent. */
	notice?: true;
}

/** Requests that an adapter can make of the agent. Neither call waits for anything. */
export interface ChannelInput {
	send(message: InboundMessage): void;
	/** Stops the turn that runs. */
	stop(channel: InboundMessage["channel"]): void;
}

/** The agent's activity for a channel's messages. `waiting`: it waits for the person's approval. */
export type ChannelActivity = "working" | "waiting";

/** Limits on who may speak through an adapter, and with which permissions. */
export interface ChannelSender {
	/** The permissions of turns that its messages begin are at most these. If absent: none, or the user's for a type that speaks as the person (`author.ts`). */
	readonly ceiling?: readonly Permission[];
	/** Returns true if a message from there is accepted. Others are ignored. */
	allowed(from: InboundMessage["channel"]): boolean;
}

/** Carries messages between people and the agent in places of one type. */
export interface ChannelAdapter {
	readonly type: string;
	/** Instructions for the model on how to write replies. */
	readonly style?: string;
	readonly sender: ChannelSender;
	start(agent: ChannelInput): Promise<void>;
	/** Rejects with a sentence if the channel is gone. */
	deliver(message: OutboundMessage): Promise<void>;
	/** Called when the activity changes; undefined once the channel's messages are dealt with. */
	setActivity?(channel: Channel, activity: ChannelActivity | undefined): void;
	stop(): Promise<void>;
}

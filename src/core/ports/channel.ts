// The channel port: a place outside the chat where people talk to an agent.
import type { Channel } from "../channel.ts";
import type { Permission } from "../role.ts";

export interface InboundMessage {
	text: string;
	/** Without its type, which is the adapter's. */
	channel: Omit<Channel, "type">;
}

export interface OutboundMessage {
	text: string;
	channel: Channel;
	/** It is a sentence of Troupe, not a reply of the agent. */
	notice?: true;
}

/** What an adapter can ask of the agent. Neither call waits for anything. */
export interface ChannelInput {
	send(message: InboundMessage): void;
	/** Stops the turn that runs. */
	stop(channel: InboundMessage["channel"]): void;
}

/** What the agent does about a channel's messages. `waiting`: for the person's approval. */
export type ChannelActivity = "working" | "waiting";

/** Who may speak through an adapter. */
export interface ChannelSender {
	/** The permissions of turns that its messages begin are at most these; those of the user if absent. */
	readonly ceiling?: readonly Permission[];
	/** Whether a message from there is taken in. Others are ignored. */
	allowed(from: InboundMessage["channel"]): boolean;
}

/** Carries messages between people and the agent in places of one type. */
export interface ChannelAdapter {
	readonly type: string;
	/** How replies are to be written, for the model. */
	readonly style?: string;
	readonly sender: ChannelSender;
	start(agent: ChannelInput): Promise<void>;
	/** Rejects with a sentence if the channel is gone. */
	deliver(message: OutboundMessage): Promise<void>;
	/** Called when the activity changes; undefined once the channel's messages are dealt with. */
	setActivity?(channel: Channel, activity: ChannelActivity | undefined): void;
	stop(): Promise<void>;
}

// The place that a message came from, and that replies to it go to.

/** A place where people talk to an agent. */
export interface Channel {
	/** `vscode`: the chat panel. `cli`: a terminal. `api`: another extension. `agent`: an agent that calls this one. */
	type: string;
	/** The conversation; `main` where there is only one. */
	channelId: string;
	/** The author of the message. */
	userId?: string;
	/** A thread in the conversation. */
	replyTo?: string;
}

export function isSameChannel(one: Channel, other: Channel): boolean {
	return one.type === other.type && one.channelId === other.channelId;
}

// The tool with which an agent speaks whose text is thought.
import * as z from "zod";
import { defineTool, type Tool, ToolError } from "../core/ports/tool.ts";
import { formatChannelLine } from "../core/prompt.ts";
import type { Transcript } from "../core/transcript/state.ts";
import { channelsOfTurn, findChannel } from "../session/agent/channelOf.ts";
import type { EventLog } from "../session/state/eventLog.ts";
import { summaryAndDone } from "../shared/toolWords.ts";
import type { Channels } from "./channels.ts";

const ReplySchema = z.object({
	text: z.string().min(1).max(40_000),
	channelId: z.string().min(1).max(200),
	channelType: z.string().max(200).optional(),
	replyTo: z.string().max(200).optional(),
});

interface ReplyingSessions {
	get(sessionId: string): Promise<{ state: Transcript; eventLog: EventLog }>;
}

export function createReplyTool(sessions: ReplyingSessions, channels: Channels): Tool {
	return defineTool<z.infer<typeof ReplySchema>>({
		name: "reply",
		plugin: "channels",
		description: "Say something in a channel that a message of this turn came from. Nothing else that you write is seen by anyone.",
		permissions: [],
		capabilities: ["channels.reply"],
		input: ReplySchema,
		suits: (_, agent) => agent.output === "reply",
		...summaryAndDone("reply"),
		async run({ text, ...address }, { caller, call }) {
			if (!caller) throw new ToolError("Only an agent's own turn can reply.");
			const { state, eventLog } = await sessions.get(caller.session);
			const sources = channelsOfTurn(state, caller.turn);
			const channel = findChannel(sources, address);
			if (!channel) {
				const lines = [...new Set(sources.map(formatChannelLine))].join(" ") || "none";
				throw new ToolError(`Not delivered: no message of this turn came from that channel. Those that you can reply to: ${lines}`);
			}
			if (text.trim() === "") throw new ToolError("Not delivered: the text is empty.");
			const failure = await channels.deliver({ text, channel }, state.turn);
			if (failure !== undefined) throw new ToolError(`Not delivered: ${failure}`);
			await eventLog.emit({ type: "reply", call, text, channel }, "model", caller.turn);
			return { output: "Delivered." };
		},
	});
}

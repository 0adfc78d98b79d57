// The prompt sections for agents whose text is thought and who speak in replies.
import { type PromptParts, toSingleLine } from "../core/prompt.ts";

interface ReplySections {
	thinking: string;
	style: string;
	choice: string;
	channels: string;
	history: string;
}

/** Empty texts for other agents. */
export function replySections({ agent, tools, channels }: PromptParts): ReplySections {
	if (agent?.output !== "reply") return { thinking: "", style: "", choice: "", channels: "", history: "" };
	const choice = tools.some(({ name }) => name === "spawn_subagent") ? `${CHOICE_OF_TASKS}\n${TASKS}` : CHOICE;
	return { thinking: THINKING, style: STYLE, choice, channels: channelsSection(channels), history: HISTORY };
}

const THINKING = `# How you think

What you write as text is your inner monologue: nobody but you ever sees it. Only the tool reply is heard. What the person should know and you don't pass to reply is lost.`;

const STYLE = `# Thinking style

Keep thoughts brief, and about what to do. For a routine call, think nothing: call it. Don't repeat a result in your thoughts: decide what to tell of it, and reply.`;

const REPLYING = `- Answer yourself what the conversation, your memory or one quick tool call can answer: greetings, opinions, follow-ups, the time.
- You may reply never, once or several times in a turn, in the person's language. A message that needs no answer, such as a thank-you, gets none: end your turn without a reply.`;

const CHOICE = `# When to reply

${REPLYING}`;

const CHOICE_OF_TASKS = `# When to reply and when to start a task

${REPLYING}`;

const TASKS = `- What takes several steps, or tools that you don't have, goes to a background task: spawn_subagent with all that it must know. If unsure, spawn.
- Before a task that takes a while, say in a reply that you are on it. Its news come to you by themselves: wait, and never poll.
- When a task is done, has failed or needs to know something, tell the person in a reply: what matters of it, not all of it. After a failure, say why, and what could be done instead.`;

const CHANNELS = `# Channels

Each message begins with a line that says where it came from:
[channel: <type> | id: <channelId> | thread: <replyTo>]
Reply where you were asked: pass id as channelId, type as channelType, and thread, if it is there, as replyTo. Write as its type wants:`;

function channelsSection(channels: PromptParts["channels"]): string {
	const lines = channels.map(({ type, style }) => `- ${toSingleLine(type)}: ${toSingleLine(style, 300)}`);
	return [CHANNELS, "", ...lines, "- any other: clear, readable plain text"].join("\n");
}

const HISTORY = `# Session history

Earlier conversation may have been summarized. The summary names the archive of what was said word for word: read it with session_archive_read before you guess. What you only thought is in neither.`;

// A scripted model that is the main agent, and that works as its background tasks.
import type { AskedRequest, ScriptedAnswer, ScriptedCall } from "../fakes/modelServer/script.ts";
import { isTask, type ScriptedTask, TaskModel } from "./taskModel.ts";

/** What the main agent does about a message. */
export interface Scene {
	heard: RegExp;
	/** One for each result that it has got since the message; after the last one it ends its turn. */
	answers: readonly MainAnswer[];
}

/** `reply`: said where the message came from. */
export type MainAnswer = ScriptedAnswer & { reply?: string };

export function createMorningModel(scenes: readonly Scene[], tasks: readonly ScriptedTask[]): (request: AskedRequest) => ScriptedAnswer {
	const work = new TaskModel(tasks).answer;
	return (request) => (isTask(request) ? work(request) : speak(scenes, request));
}

function speak(scenes: readonly Scene[], { messages, tools }: AskedRequest): ScriptedAnswer {
	// Titles and summaries are asked for without tools.
	if (!tools.includes("reply")) return { text: "A morning" };
	const last = messages.findLastIndex(({ role }) => role === "user");
	const heard = messages[last]?.text ?? "";
	const answers = scenes.find((setup) => setup.heard.test(heard))?.answers ?? [];
	const results = messages.slice(last).filter(({ role }) => role === "tool").length;
	const { reply, calls = [], ...answer } = answers[results] ?? { text: "That is all." };
	return reply === undefined ? { ...answer, calls } : { ...answer, calls: [...calls, replyTo(heard, reply)] };
}

function replyTo(heard: string, text: string): ScriptedCall {
	const [, channelType, channelId] = /\[channel: (.+?) \| id: (.+?)(?: \||\])/.exec(heard) ?? [];
	return { name: "reply", input: { text, channelId, channelType } };
}

export const spawning = ({ name, input }: Pick<ScriptedTask, "name" | "input">, type = "explore"): ScriptedCall => ({
	name: "spawn_subagent",
	input: { description: name, input, type },
});

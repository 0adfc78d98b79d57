// The fake model server as a command for people: understands renames, answers anything else with what it is.
import { parseMessage } from "../../../src/models/offline/parseMessage.ts";
import { planThenActScript } from "./planThenAct.ts";
import type { AskedRequest, ScriptedAnswer } from "./script.ts";
import { startModelServer } from "./server.ts";

/** The newest rename in the conversation. */
function answer(request: AskedRequest): ScriptedAnswer {
	const wishes = request.messages.filter((message) => message.role === "user").flatMap((message) => parseMessage(message.text).intents);
	const wish = wishes.findLast((intent) => intent.do === "rename");
	if (wish?.do === "rename") return planThenActScript(wish.from, wish.to)(request);
	return { text: "I am a fake model for tests. Say for example: rename formatPrice to formatMoney everywhere." };
}

const server = await startModelServer({ script: answer, models: ["fake"], port: Number(process.env["PORT"] ?? 0) });
console.log(server.url);
console.error("Give this as baseUrl of an openai-compatible provider in troupe.providers; the model is “fake”. Ctrl+C stops it.");

// OpenAI: its Responses API, or Chat Completions where that is asked for.
import type { ModelProvider } from "../../core/ports/model.ts";
import { originOf } from "../wire/providerErrors.ts";
import { type OpenAiServerOptions, openAiServer, type Wire } from "./openAiServer.ts";
import { openAiChat } from "./openaiCompatible.ts";
import { responses } from "./responses.ts";

export interface OpenAiOptions extends Omit<OpenAiServerOptions, "baseUrl"> {
	/** OpenAI's own when absent. */
	baseUrl?: string;
	/** `responses` when absent. */
	api?: "responses" | "chat";
}

const OPENAI = "https://api.openai.com/v1";

export function createOpenAi({ baseUrl = OPENAI, api = "responses", ...options }: OpenAiOptions): ModelProvider {
	const wire: Wire = api === "chat" ? openAiChat : responses;
	const own = originOf(baseUrl) === originOf(OPENAI);
	return openAiServer({ ...options, baseUrl }, own ? { ...wire, talks: (name) => !SPECIALISTS.test(name) } : wire);
}

/** Models of OpenAI's list that embed, draw, speak, listen or moderate, or are older than conversations. */
const SPECIALISTS =
	/embedding|whisper|tts|dall-e|moderation|audio|realtime|image|transcribe|translate|sora|davinci|babbage|instruct|computer-use|search-(preview|api)/;

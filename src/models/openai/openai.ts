// OpenAI: its Responses API, or Chat Completions where that is asked for.
import type { ModelProvider } from "../../core/ports/model.ts";
import { originOf } from "../wire/providerErrors.ts";
import { createOpenAiServerProvider, type OpenAiServerOptions, type OpenAiWireFormat } from "./openAiServer.ts";
import { openAiChatFormat } from "./openaiCompatible.ts";
import { responsesFormat } from "./responses.ts";

export interface OpenAiOptions extends Omit<OpenAiServerOptions, "baseUrl"> {
	/** OpenAI's own when absent. */
	baseUrl?: string;
	/** `responses` when absent. */
	api?: "responses" | "chat";
}

const OPENAI = "https://api.openai.com/v1";

export function createOpenAiProvider({ baseUrl = OPENAI, api = "responses", ...options }: OpenAiOptions): ModelProvider {
	const wire: OpenAiWireFormat = api === "chat" ? openAiChatFormat : responsesFormat;
	const own = originOf(baseUrl) === originOf(OPENAI);
	return createOpenAiServerProvider({ ...options, baseUrl }, own ? { ...wire, isChatModel: (name) => !SPECIALISTS.test(name) } : wire);
}

/** Models of OpenAI's list that embed, draw, speak, listen or moderate, or are older than conversations. */
const SPECIALISTS =
	/embedding|whisper|tts|dall-e|moderation|audio|realtime|image|transcribe|translate|sora|davinci|babbage|instruct|computer-use|search-(preview|api)/;

// Providers that need no more than a key, or not even that: where they are, which variable holds their key, what to take first.

export const PROVIDER_TYPES = ["openai", "openai-compatible", "anthropic"] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];

export interface Preset {
	type: ProviderType;
	/** For the person. */
	label: string;
	/** Up to and without `/chat/completions`, `/responses` or `/v1/messages`. */
	baseUrl: string;
	/** The environment variable that holds a key; absent where none is needed. */
	apiKeyEnv?: string;
	/** Where a key is made, or how the server is set up. */
	docs: string;
	/** Looked for on this machine though nobody has set it up. */
	probed?: boolean;
	/** Which of its models to take where none is named: the first pattern that one of them fits, of those the newest. */
	preferred: readonly RegExp[];
}

/** Models that people run themselves are named alike everywhere. */
const OPEN_MODELS = [/coder/i, /devstral/i, /gpt-oss/i, /qwen[\d.]/i, /glm/i, /mistral/i, /llama/i];

/** In the order in which a key counts. */
export const PRESETS: Readonly<Record<string, Preset>> = {
	openai: {
		type: "openai",
		label: "OpenAI",
		baseUrl: "https://api.openai.com/v1",
		apiKeyEnv: "OPENAI_API_KEY",
		docs: "https://platform.openai.com/api-keys",
		preferred: [/^gpt-[\d.]+-sol$/, /^gpt-[\d.]+-terra$/, /^gpt-[\d.]+$/, /^gpt-4o$/],
	},
	anthropic: {
		type: "anthropic",
		label: "Anthropic",
		baseUrl: "https://api.anthropic.com",
		apiKeyEnv: "ANTHROPIC_API_KEY",
		docs: "https://platform.claude.com/settings/keys",
		preferred: [/^claude-sonnet-\d/, /^claude-opus-\d/, /^claude-haiku-\d/, /sonnet/],
	},
	openrouter: {
		type: "openai-compatible",
		label: "OpenRouter",
		baseUrl: "https://openrouter.ai/api/v1",
		apiKeyEnv: "OPENROUTER_API_KEY",
		docs: "https://openrouter.ai/settings/keys",
		preferred: [/^anthropic\/claude-sonnet-[\d.]+$/, /^openai\/gpt-[\d.]+(-sol)?$/, /^deepseek\/deepseek-v[\d.]+/],
	},
	deepseek: {
		type: "openai-compatible",
		label: "DeepSeek",
		baseUrl: "https://api.deepseek.com",
		apiKeyEnv: "DEEPSEEK_API_KEY",
		docs: "https://platform.deepseek.com/api_keys",
		preferred: [/^deepseek-v[\d.]+-pro$/, /^deepseek-flash$/, /^deepseek-chat$/],
	},
	groq: {
		type: "openai-compatible",
		label: "Groq",
		baseUrl: "https://api.groq.com/openai/v1",
		apiKeyEnv: "GROQ_API_KEY",
		docs: "https://console.groq.com/keys",
		preferred: [/^openai\/gpt-oss-120b$/, /^qwen\/qwen[\d.]+-\d+b$/, /^llama-[\d.]+-70b/],
	},
	mistral: {
		type: "openai-compatible",
		label: "Mistral",
		baseUrl: "https://api.mistral.ai/v1",
		apiKeyEnv: "MISTRAL_API_KEY",
		docs: "https://console.mistral.ai/api-keys",
		preferred: [/^devstral(-medium)?-latest$/, /^mistral-medium-latest$/, /^mistral-large-latest$/],
	},
	gemini: {
		type: "openai-compatible",
		label: "Gemini",
		baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
		apiKeyEnv: "GEMINI_API_KEY",
		docs: "https://aistudio.google.com/apikey",
		preferred: [/gemini-[\d.]+-pro(-preview)?$/, /gemini-[\d.]+-flash$/],
	},
	xai: {
		type: "openai-compatible",
		label: "xAI",
		baseUrl: "https://api.x.ai/v1",
		apiKeyEnv: "XAI_API_KEY",
		docs: "https://console.x.ai",
		preferred: [/^grok-[\d.]+$/],
	},
	ollama: {
		type: "openai-compatible",
		label: "Ollama",
		baseUrl: "http://127.0.0.1:11434/v1",
		docs: "https://docs.ollama.com/openai",
		probed: true,
		preferred: OPEN_MODELS,
	},
	lmstudio: {
		type: "openai-compatible",
		label: "LM Studio",
		baseUrl: "http://127.0.0.1:1234/v1",
		docs: "https://lmstudio.ai/docs/app/api/endpoints/openai",
		probed: true,
		preferred: OPEN_MODELS,
	},
	vllm: {
		type: "openai-compatible",
		label: "vLLM",
		baseUrl: "http://127.0.0.1:8000/v1",
		docs: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
		preferred: OPEN_MODELS,
	},
};

/** What to take of the editor's own models. Their names begin with the vendor. */
export const EDITOR_PREFERRED: readonly RegExp[] = [
	/\/claude-sonnet-[\d.-]+$/,
	/\/gpt-[\d.]+(-sol|-terra|-codex)?$/,
	/\/gemini-[\d.]+-pro/,
	/\/gpt-4/,
];

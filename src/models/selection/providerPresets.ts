// Presets for model providers that need at most a key: base URL, key variable and preferred models.

export const PROVIDER_TYPES = ["openai", "openai-compatible", "anthropic"] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];

export interface ProviderPreset {
	type: ProviderType;
	/** Name shown to the user. */
	label: string;
	/** Base URL without `/chat/completions`, `/responses` or `/v1/messages`. */
	baseUrl: string;
	/** Environment variable for the key; absent if no key is needed. */
	apiKeyEnv?: string;
	/** Page for creating a key or setting up the server. */
	docsUrl: string;
	/** True if it is probed on this machine even if it is not configured. */
	isProbed?: boolean;
	/** Default models: the newest that matches the first matching pattern. */
	preferredModels: readonly RegExp[];
}

/** Self-hosted models have similar names on all servers. */
const OPEN_MODELS = [/coder/i, /devstral/i, /gpt-oss/i, /qwen[\d.]/i, /glm/i, /mistral/i, /llama/i];

/** Presets in order of precedence among providers with a key. */
export const PROVIDER_PRESETS: Readonly<Record<string, ProviderPreset>> = {
	openai: {
		type: "openai",
		label: "OpenAI",
		baseUrl: "https://api.openai.com/v1",
		apiKeyEnv: "OPENAI_API_KEY",
		docsUrl: "https://platform.openai.com/api-keys",
		preferredModels: [/^gpt-[\d.]+-sol$/, /^gpt-[\d.]+-terra$/, /^gpt-[\d.]+$/, /^gpt-4o$/],
	},
	anthropic: {
		type: "anthropic",
		label: "Anthropic",
		baseUrl: "https://api.anthropic.com",
		apiKeyEnv: "ANTHROPIC_API_KEY",
		docsUrl: "https://platform.claude.com/settings/keys",
		preferredModels: [/^claude-sonnet-\d/, /^claude-opus-\d/, /^claude-haiku-\d/, /sonnet/],
	},
	openrouter: {
		type: "openai-compatible",
		label: "OpenRouter",
		baseUrl: "https://openrouter.ai/api/v1",
		apiKeyEnv: "OPENROUTER_API_KEY",
		docsUrl: "https://openrouter.ai/settings/keys",
		preferredModels: [/^anthropic\/claude-sonnet-[\d.]+$/, /^openai\/gpt-[\d.]+(-sol)?$/, /^deepseek\/deepseek-v[\d.]+/],
	},
	deepseek: {
		type: "openai-compatible",
		label: "DeepSeek",
		baseUrl: "https://api.deepseek.com",
		apiKeyEnv: "DEEPSEEK_API_KEY",
		docsUrl: "https://platform.deepseek.com/api_keys",
		preferredModels: [/^deepseek-v[\d.]+-pro$/, /^deepseek-flash$/, /^deepseek-chat$/],
	},
	groq: {
		type: "openai-compatible",
		label: "Groq",
		baseUrl: "https://api.groq.com/openai/v1",
		apiKeyEnv: "GROQ_API_KEY",
		docsUrl: "https://console.groq.com/keys",
		preferredModels: [/^openai\/gpt-oss-120b$/, /^qwen\/qwen[\d.]+-\d+b$/, /^llama-[\d.]+-70b/],
	},
	mistral: {
		type: "openai-compatible",
		label: "Mistral",
		baseUrl: "https://api.mistral.ai/v1",
		apiKeyEnv: "MISTRAL_API_KEY",
		docsUrl: "https://console.mistral.ai/api-keys",
		preferredModels: [/^devstral(-medium)?-latest$/, /^mistral-medium-latest$/, /^mistral-large-latest$/],
	},
	gemini: {
		type: "openai-compatible",
		label: "Gemini",
		baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
		apiKeyEnv: "GEMINI_API_KEY",
		docsUrl: "https://aistudio.google.com/apikey",
		preferredModels: [/gemini-[\d.]+-pro(-preview)?$/, /gemini-[\d.]+-flash$/],
	},
	xai: {
		type: "openai-compatible",
		label: "xAI",
		baseUrl: "https://api.x.ai/v1",
		apiKeyEnv: "XAI_API_KEY",
		docsUrl: "https://console.x.ai",
		preferredModels: [/^grok-[\d.]+$/],
	},
	ollama: {
		type: "openai-compatible",
		label: "Ollama",
		baseUrl: "http://127.0.0.1:11434/v1",
		docsUrl: "https://docs.ollama.com/openai",
		isProbed: true,
		preferredModels: OPEN_MODELS,
	},
	lmstudio: {
		type: "openai-compatible",
		label: "LM Studio",
		baseUrl: "http://127.0.0.1:1234/v1",
		docsUrl: "https://lmstudio.ai/docs/app/api/endpoints/openai",
		isProbed: true,
		preferredModels: OPEN_MODELS,
	},
	vllm: {
		type: "openai-compatible",
		label: "vLLM",
		baseUrl: "http://127.0.0.1:8000/v1",
		docsUrl: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
		preferredModels: OPEN_MODELS,
	},
};

/** Preferred models of the editor. Their names begin with the vendor. */
export const PREFERRED_EDITOR_MODELS: readonly RegExp[] = [
	/\/claude-sonnet-[\d.-]+$/,
	/\/gpt-[\d.]+(-sol|-terra|-codex)?$/,
	/\/gemini-[\d.]+-pro/,
	/\/gpt-4/,
];

// Selects a session's model from agent, role and settings, and picks defaults from lists.
import type { AgentDefinition, Role } from "../../core/role.ts";
import { t } from "../../shared/l10n.ts";
import { withoutSnapshotDate } from "./modelTable.ts";

/** A configured model, or `auto`. */
export interface ModelChoice {
	model: string;
	/** One plain sentence for the user on where it is configured. */
	reason: string;
}

export const OFFLINE_MODEL = { provider: "offline", name: "offline" } as const;

/** Provider of the editor's own models; the vendor is the first part of their names. */
export const EDITOR_PROVIDER_ID = "vscode";

/** Returns the first model that is set: the agent's for the role, the agent's, the user's for the role, the role's, the user's default. */
export function configuredModel(
	agent: AgentDefinition,
	role: Role,
	settings: { model: string; roleModels: Readonly<Record<string, string>> },
): ModelChoice {
	const { model } = agent;
	const ofAgentForRole = typeof model === "object" ? model[role.id] : undefined;
	if (ofAgentForRole)
		return { model: ofAgentForRole, reason: t("The agent {0} sets the model for the role {1}.", agent.displayName, role.label) };
	if (typeof model === "string" && model) return { model, reason: t("The agent {0} sets the model.", agent.displayName) };
	const ofPerson = settings.roleModels[role.id];
	if (ofPerson) return { model: ofPerson, reason: t("The model for the role {0} is set in troupe.roleModels.", role.label) };
	if (role.model) return { model: role.model, reason: t("The role {0} sets the model.", role.label) };
	return { model: settings.model, reason: t("The model is set in troupe.model.") };
}

/** Returns true if the model is chosen automatically. */
export function isAutomatic(model: string): boolean {
	return ["", "auto"].includes(model.trim());
}

/** `problem` is a sentence for the user: what is wrong with the name and how to fix it. */
export function resolveModelId(
	{ model, reason: why }: ModelChoice,
	providers: readonly string[],
): { provider: string; name: string } | { problem: string } {
	const parsed = parseModelId(model.trim());
	if (!parsed) {
		return {
			problem: t("“{0}” isn't a valid model. Use provider/model, for example offline/offline, or auto. {1}", model, why),
		};
	}
	if (providers.includes(parsed.provider)) return parsed;
	return {
		problem: t(
			"The model “{0}” uses the provider “{1}”, which isn't configured. Available providers: {2}. Add the provider to troupe.providers, or select another model. {3}",
			model,
			parsed.provider,
			providers.join(", "),
			why,
		),
	};
}

/** The provider is the part before the first slash; model names may contain more slashes. */
export function parseModelId(id: string): { provider: string; name: string } | undefined {
	const slash = id.indexOf("/");
	if (slash < 1 || slash === id.length - 1) return undefined;
	return { provider: id.slice(0, slash).trim(), name: id.slice(slash + 1).trim() };
}

/** The first matching pattern wins, then the newest version; if none matches, the first in the list. */
export function pickPreferredModel(names: readonly string[], patterns: readonly RegExp[]): string | undefined {
	const able = names.filter(isChatModelName);
	for (const pattern of patterns) {
		const [best] = able.filter((name) => pattern.test(name)).sort(newestFirst);
		if (best !== undefined) return best;
	}
	return able[0];
}

/** Excludes models for embeddings, images, audio, speech or moderation. */
export function isChatModelName(name: string): boolean {
	return (
		!/embed|whisper|dall-e|moderation|rerank|stable-diffusion/i.test(name) &&
		!name
			.toLowerCase()
			.split(/[^a-z]+/)
			.some(isOtherKind)
	);
}

function isOtherKind(word: string): boolean {
	return OTHER_KINDS.has(word);
}

const OTHER_KINDS = new Set(
	"aqa audio bge clip guard image images imagen live lyria ocr realtime robotics safeguard sora speech stt transcribe tts veo video voxtral".split(
		" ",
	),
);

/** Sorts "sonnet-5-5" before "sonnet-4-5", and "gpt-6.1" before "gpt-6"; a snapshot's date is not a version. */
function newestFirst(a: string, b: string): number {
	const [left, right] = [versionOf(a), versionOf(b)];
	for (let place = 0; place < Math.max(left.length, right.length); place += 1) {
		const difference = (right[place] ?? 0) - (left[place] ?? 0);
		if (difference !== 0) return difference;
	}
	return a.length - b.length;
}

function versionOf(name: string): number[] {
	return (withoutSnapshotDate(name).match(/\d+/g) ?? []).map(Number);
}

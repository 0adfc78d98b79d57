// Which model a session talks to: the setting `troupe.model` against what is there.

/** What is known of the surroundings when a model is chosen. */
export interface ModelFacts {
	/** Configured providers, in the order they were configured. */
	providers: readonly {
		id: string;
		/** A server on this machine; it needs no key. */
		local: boolean;
		/** Names it offers, the preferred one first; empty where it did not answer and none are configured. */
		models: readonly string[];
	}[];
	/** Ids of the providers that have a key. */
	keys: readonly string[];
}

export interface ChosenModel {
	provider: string;
	name: string;
	/** For the person: one plain sentence. */
	why: string;
}

export const OFFLINE = { provider: "offline", name: "offline" } as const;

/** `problem` is a sentence for the person: what is wrong with the setting and what to do. */
export function chooseModel(setting: string, facts: ModelFacts): ChosenModel | { problem: string } {
	const wanted = setting.trim();
	if (isAutomatic(wanted)) return automatic(facts);
	const parsed = parseModelId(wanted);
	if (!parsed) {
		return { problem: `The setting troupe.model is “${wanted}”. It must read provider/model, for example offline/offline, or auto.` };
	}
	const known = [OFFLINE.provider, ...facts.providers.map(({ id }) => id)];
	if (!known.includes(parsed.provider)) {
		return {
			problem: `The setting troupe.model names the provider “${parsed.provider}”, which is not configured. Known are ${known.join(", ")}; add it to troupe.providers or pick another model.`,
		};
	}
	return { ...parsed, why: "The setting troupe.model names it." };
}

/** Whether the choice is left to us; else nothing but the providers' ids is looked at. */
export function isAutomatic(setting: string): boolean {
	return ["", "auto"].includes(setting.trim());
}

function automatic({ providers, keys }: ModelFacts): ChosenModel {
	const usable = providers.filter(({ models }) => models.length > 0);
	const keyed = usable.find(({ id }) => keys.includes(id));
	if (keyed) return { provider: keyed.id, name: keyed.models[0] ?? "", why: `A key for ${keyed.id} is set.` };
	const local = usable.find((provider) => provider.local);
	if (local) return { provider: local.id, name: local.models[0] ?? "", why: `${local.id} answers on this machine.` };
	return { ...OFFLINE, why: "No key is set and no local server answers." };
}

/** The provider is what stands before the first slash; names of models may hold more of them. */
export function parseModelId(id: string): { provider: string; name: string } | undefined {
	const slash = id.indexOf("/");
	if (slash < 1 || slash === id.length - 1) return undefined;
	return { provider: id.slice(0, slash).trim(), name: id.slice(slash + 1).trim() };
}

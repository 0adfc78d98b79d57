// The models that can be used here: the editor's, those of providers, and the offline one. Each is loaded when it is first asked.

import type { AgentDefinition, Role } from "../../core/permissions.ts";
import { type Effort, ModelError, type ModelInfo, type ModelProvider } from "../../core/ports/model.ts";
import type { Secrets } from "../../core/ports/sessions.ts";
import { PRESETS, type Preset, type ProviderType } from "../../models/selection/presets.ts";
import { EDITOR, isAutomatic, namedModel, OFFLINE, parseModelId, type Wanted, wantedModel } from "../../models/selection/registry.ts";
import type { ChosenModel } from "../../session/context.ts";
import { t } from "../../shared/l10n.ts";
import type { KeyHolder, ModelListing } from "../../vscode/engine.ts";
import type { TroupeSettings } from "../settings/settings.ts";
import { type Automatic, chooseAutomatically, chooseFromKnown, type Known } from "./automatic.ts";
import { type Connection, connect, connectionsOf, describe, keyOf, secretName } from "./connections.ts";
import { formatOf, inFormat, namesModel, ofFormat } from "./wireFormat.ts";

export interface Models {
	/** With `known` nobody is asked: what cannot be known without stands as "auto". Throws ModelError. */
	choose(agent: AgentDefinition, role: Role, only?: "known"): Promise<ChosenModel>;
	list(): Promise<ModelListing>;
	keyHolders(): Promise<KeyHolder[]>;
	/** An empty key removes it. */
	setKey(provider: string, key: string): Promise<void>;
	/** Asks the provider for its models, rejects with ModelError. Resolves with whether that proves the key: some list theirs to anybody. */
	checkKey(provider: string): Promise<boolean>;
	/** The settings or a key have changed. */
	forget(): void;
	/** The editor may have other models now. Never rejects. */
	editorChanged(): Promise<void>;
}

export interface ModelSurroundings {
	settings(): Pick<TroupeSettings, "model" | "roleModels" | "providers">;
	secrets: Secrets;
	/** While this gives a reason, nobody is asked anything. */
	restricted(): string | undefined;
	/** Milliseconds. */
	now(): number;
	/** The editor's own models, where it can have some. */
	editor?: () => Promise<ModelProvider>;
	/** More is known than when it was last asked. */
	changed?: () => void;
	presets?: Readonly<Record<string, Preset>>;
	environment?: Readonly<Record<string, string | undefined>>;
}

/** How long servers that were not there are not looked for again. */
const MISSING_MS = 30_000;

/** The editor's models come from other extensions, which may have to start and to sign in. */
const EDITOR_MS = 5_000;
const CHECK_MS = 10_000;

export function createModels(around: ModelSurroundings): Models {
	const { settings, secrets, restricted, now, changed, presets = PRESETS, environment = process.env } = around;
	const providers = new Map<string, Promise<ModelProvider>>();
	const lists = new Map<string, readonly ModelInfo[]>();
	let chosen: { found: Promise<Automatic>; settled?: Automatic; until: number } | undefined;
	/** Somebody has sent a message, or looked at the list: from then on it may be looked again unasked. */
	let looked = false;
	/** Counts what was forgotten: answers to older questions are not kept. */
	let age = 0;

	const connections = (): Connection[] => connectionsOf(settings().providers, presets);
	const connectionTo = (id: string): Connection | undefined => connections().find((connection) => connection.id === id);

	function provider(id: string): Promise<ModelProvider> {
		return cached(id, () => load(id));
	}

	function cached(id: string, make: () => Promise<ModelProvider>): Promise<ModelProvider> {
		const known = providers.get(id);
		if (known) return known;
		const loading = make();
		providers.set(id, loading);
		loading.catch(() => providers.delete(id));
		return loading;
	}

	async function load(id: string): Promise<ModelProvider> {
		if (id === OFFLINE.provider) return (await import("../../models/offline/offline.ts")).createOffline();
		if (id === EDITOR && around.editor) return around.editor();
		const connection = connectionTo(id);
		if (connection) return connect(connection, async () => (await keyOf(connection, secrets, environment))?.key);
		throw new ModelError("not_found", t("The provider {0} is not set up. Add it under troupe.providers or select another model.", id));
	}

	/** Throws ModelError. */
	async function listed(id: string, signal: AbortSignal): Promise<readonly ModelInfo[]> {
		const asked = age;
		try {
			const models = await (await provider(id)).models(signal);
			if (asked === age) lists.set(id, models);
			return models;
		} catch (error) {
			if (error instanceof ModelError || !signal.aborted) throw error;
			throw new ModelError("timeout", t("{0} has not answered in time.", connectionTo(id)?.label ?? id));
		}
	}

	let hearing: Promise<readonly ModelInfo[]> | undefined;
	/** Never rejects: an editor without models is no failure. */
	function editorModels(): Promise<readonly ModelInfo[]> {
		if (!around.editor) return Promise.resolve([]);
		hearing ??= within(EDITOR_MS, listed(EDITOR, AbortSignal.timeout(EDITOR_MS))).catch(() => {
			lists.set(EDITOR, []);
			return [];
		});
		return hearing;
	}

	const known: Known = {
		connections,
		hasKey: async (connection) => (await keyOf(connection, secrets, environment)) !== undefined,
		editor: editorModels,
		editorSoFar: () => lists.get(EDITOR) ?? [],
		list: (connection, signal) => listed(connection.id, signal),
		listedSoFar: (connection) => lists.get(connection.id),
	};

	/** The choice holds until something changes; servers that were not there may have been started meanwhile. */
	async function automatic(): Promise<Automatic> {
		if (chosen && chosen.until > now()) return chosen.found;
		looked = true;
		const choice: NonNullable<typeof chosen> = { found: chooseAutomatically(known), until: Number.POSITIVE_INFINITY };
		chosen = choice;
		try {
			const found = await choice.found;
			choice.settled = found;
			if (found.provider === OFFLINE.provider) choice.until = now() + MISSING_MS;
			changed?.();
			return found;
		} catch (error) {
			if (chosen === choice) chosen = undefined;
			throw error;
		}
	}

	/** What is known of the choice while nobody has been asked. */
	async function inSight(): Promise<Automatic> {
		const reason = restricted();
		if (reason !== undefined) return { ...OFFLINE, label: t("Offline"), why: reason };
		if (chosen?.settled) return chosen.settled;
		if (looked && !chosen) automatic().catch(() => undefined);
		const found = await chooseFromKnown(known);
		if (!lists.has(EDITOR) && around.editor && !hearing) void editorModels().then((models) => models.length > 0 && changed?.());
		return found ?? { provider: "", name: undefined, label: t("Auto"), why: LATER() };
	}

	async function whole({ provider: id, name, label, why }: Automatic): Promise<ChosenModel> {
		const about = name === undefined ? undefined : aboutModel(id, name);
		const shown = label ?? about?.info.name ?? id;
		return {
			id: about?.info.id ?? "auto",
			...(id === "" && { undecided: true as const }),
			name: shown,
			why,
			provider: await provider(about ? id : OFFLINE.provider),
			model: name ?? OFFLINE.name,
			info: about?.info ?? { id: "auto", name: shown },
			...(about?.effort && { effort: about.effort }),
		};
	}

	function aboutModel(id: string, name: string): { info: ModelInfo; effort?: Effort | undefined } {
		const heard = lists.get(id)?.find((model) => model.id === `${id}/${name}`);
		const connection = connectionTo(id);
		if (connection)
			return { info: describe(connection, name, heard), effort: connection.models.find((model) => model.id === name)?.effort };
		if (id === OFFLINE.provider) return { info: { name: t("Offline"), ...heard, id: `${id}/${name}`, tools: true } };
		return { info: heard ?? { id: `${id}/${name}`, name } };
	}

	/** What a provider's own list says of a model comes later, so that nobody waits for it. */
	function hearLater(id: string): void {
		if (id === OFFLINE.provider || lists.has(id) || restricted() !== undefined) return;
		const heard = id === EDITOR ? editorModels() : listed(id, AbortSignal.timeout(CHECK_MS));
		heard.then(
			() => changed?.(),
			() => undefined,
		);
	}

	async function named(wanted: Wanted, only: "known" | undefined): Promise<ChosenModel> {
		const ids = [...connections().map(({ id }) => id), OFFLINE.provider, ...(around.editor ? [EDITOR] : [])];
		const found = namedModel(wanted, ids);
		if ("problem" in found) throw new ModelError("not_found", found.problem);
		if (only === undefined) hearLater(found.provider);
		return whole({ ...found, why: wanted.why });
	}

	/** Its own model goes before the format, the format before what the person has set for all. */
	async function formatted(asked: { agent: AgentDefinition; role: Role; wanted: Wanted; format: ProviderType }, only: "known" | undefined) {
		const { agent, role, wanted, format } = asked;
		const own = namesModel(agent, role);
		const fits = !isAutomatic(wanted.model) && connectionTo(parseModelId(wanted.model)?.provider ?? "")?.type === format;
		if (fits) return named(wanted, only);
		const reason = restricted();
		if (!own) return { ...(await whole(await ofFormat(agent, format, known, reason === undefined ? only : "known"))), automatic: true };
		const chosen = await named(wanted, only);
		const connection = inFormat(agent, format, wanted, connectionTo(parseModelId(wanted.model)?.provider ?? ""));
		const key = async () => (await keyOf(connection, secrets, environment))?.key;
		return { ...chosen, provider: await cached(`${connection.id} as ${format}`, () => connect(connection, key)) };
	}

	const models: Models = {
		async choose(agent, role, only) {
			const wanted = wantedModel(agent, role, settings());
			const format = formatOf(agent);
			if (format) return formatted({ agent, role, wanted, format }, only);
			if (!isAutomatic(wanted.model)) return named(wanted, only);
			return { ...(await whole(only || restricted() !== undefined ? await inSight() : await automatic())), automatic: true };
		},
		list: async () =>
			(await import("./modelListing.ts")).listingOf({
				...known,
				restricted,
				automatic: async () => await whole(restricted() === undefined ? await automatic() : await inSight()),
				editor: async () => (around.editor ? listed(EDITOR, AbortSignal.timeout(EDITOR_MS)) : []),
				keySource: async (connection) => (await keyOf(connection, secrets, environment))?.source,
			}),
		async keyHolders() {
			const remote = connections().filter(({ local, configured }) => configured || !local);
			return Promise.all(
				remote.map(async (connection) => {
					const { id, label, docs, apiKeyEnv } = connection;
					const source = (await keyOf(connection, secrets, environment))?.source;
					return { id, label, ...(docs && { docs }), ...(apiKeyEnv && { variable: apiKeyEnv }), ...(source && { source }) };
				}),
			);
		},
		async setKey(id, key) {
			await secrets.set(secretName(id), key);
			models.forget();
		},
		async checkKey(id) {
			const reason = restricted();
			if (reason !== undefined) throw new ModelError("network", reason);
			await listed(id, AbortSignal.timeout(CHECK_MS));
			const connection = connectionTo(id);
			if (!connection || !(await keyOf(connection, secrets, environment))) return false;
			const stranger = await connect(connection, async () => undefined);
			return stranger.models(AbortSignal.timeout(CHECK_MS)).then(
				() => false,
				(error) => error instanceof ModelError && error.kind === "auth",
			);
		},
		forget() {
			age += 1;
			chosen = undefined;
			hearing = undefined;
			lists.clear();
			providers.clear();
		},
		async editorChanged() {
			const before = namesIn(lists.get(EDITOR));
			if (before === undefined || restricted() !== undefined) return;
			hearing = undefined;
			if (namesIn(await editorModels()) === before) return;
			chosen = undefined;
			changed?.();
		},
	};
	return models;
}

const LATER = (): string =>
	t("Chosen with the first message: a server on this machine, such as Ollama, if one answers, else the offline model.");

function namesIn(models: readonly ModelInfo[] | undefined): string | undefined {
	return models?.map(({ id }) => id).join("\n");
}

function within<T>(limit: number, work: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new ModelError("timeout", "")), limit);
	});
	return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

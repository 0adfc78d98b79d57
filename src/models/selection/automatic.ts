// Chooses the default model: from VS Code, a provider with a key, a local server, or offline.
import { connect as connectSocket } from "node:net";
import { ModelError, type ModelInfo } from "../../core/ports/model.ts";
import { t } from "../../shared/l10n.ts";
import type { ProviderConnection } from "./connections.ts";
import { EDITOR_PROVIDER_ID, OFFLINE_MODEL, pickPreferredModel } from "./modelSelection.ts";
import { knownModelNames } from "./modelTable.ts";
import { PREFERRED_EDITOR_MODELS } from "./providerPresets.ts";

/** `name` is undefined until the provider has listed its models. */
export interface AutomaticModel {
	provider: string;
	name: string | undefined;
	label?: string;
	why: string;
}

/** Inputs of the choice. */
export interface ModelSources {
	connections(): readonly ProviderConnection[];
	hasKey(connection: ProviderConnection): Promise<boolean>;
	/** The editor's own models; empty if there are none. Never rejects. */
	listEditorModels(): Promise<readonly ModelInfo[]>;
	/** Returns the result of `listEditorModels` from the cache. */
	cachedEditorModels(): readonly ModelInfo[];
	/** Throws ModelError. */
	listModels(connection: ProviderConnection, signal: AbortSignal): Promise<readonly ModelInfo[]>;
	cachedModels(connection: ProviderConnection): readonly ModelInfo[] | undefined;
}

/** Connection timeout for a local server; long enough for an editor that is still starting. */
export const PROBE_TIMEOUT_MS = 1_000;

/** Time limit for listing models, including loading the SDK; after that, the model table is used. */
const LIST_MS = 2_000;

const NOTHING = (): AutomaticModel => ({
	...OFFLINE_MODEL,
	label: t("Offline"),
	why: t("VS Code provides no model, no API key is set, and no local server is running."),
});

/** Tries the possible sources of models, one kind after the other. */
export async function chooseAutomaticModel(known: ModelSources): Promise<AutomaticModel> {
	const editors = ofEditor(await known.listEditorModels());
	if (editors) return editors;
	const refused: AutomaticModel[] = [];
	for (const connection of await withKey(known)) {
		const found = await ofProvider(connection, known, refused);
		if (found) return found;
	}
	return (await ofThisMachine(known)) ?? refused[0] ?? NOTHING();
}

/** Chooses from cached data; returns undefined if local servers must be probed. */
export async function chooseCachedModel(known: ModelSources): Promise<AutomaticModel | undefined> {
	const editors = ofEditor(known.cachedEditorModels());
	if (editors) return editors;
	const [connection] = await withKey(known);
	return (
		connection && keyed(connection, pickPreferredModel(namesOf(connection, known.cachedModels(connection)), connection.preferredModels))
	);
}

function ofEditor(models: readonly ModelInfo[]): AutomaticModel | undefined {
	const names = models.map(({ id }) => id.slice(EDITOR_PROVIDER_ID.length + 1));
	const name = pickPreferredModel(names, PREFERRED_EDITOR_MODELS);
	const label = models.find(({ id }) => id === `${EDITOR_PROVIDER_ID}/${name}`)?.name;
	return name === undefined
		? undefined
		: { provider: EDITOR_PROVIDER_ID, name, ...(label && { label }), why: t("VS Code provides this model.") };
}

async function withKey(known: ModelSources): Promise<ProviderConnection[]> {
	const asked = known.connections().filter(({ isLocal: local }) => !local);
	const keys = await Promise.all(asked.map((connection) => known.hasKey(connection)));
	return asked.filter((_, index) => keys[index]);
}

/** A provider that rejects its key is used only as a last resort. */
async function ofProvider(
	connection: ProviderConnection,
	known: ModelSources,
	refused: AutomaticModel[],
): Promise<AutomaticModel | undefined> {
	let listed: readonly ModelInfo[] | undefined;
	let isRefused = false;
	try {
		if (connection.models.length === 0) listed = await known.listModels(connection, AbortSignal.timeout(LIST_MS));
	} catch (error) {
		isRefused = error instanceof ModelError && error.kind === "auth";
	}
	const name = pickPreferredModel(namesOf(connection, listed), connection.preferredModels);
	if (name === undefined) return undefined;
	if (!isRefused) return keyed(connection, name);
	refused.push({ ...keyed(connection, name), why: t("An API key for {0} is set, but {0} rejected the key.", connection.label) });
	return undefined;
}

function keyed({ id, label }: ProviderConnection, name: string | undefined): AutomaticModel {
	return { provider: id, name, ...(name === undefined && { label }), why: t("An API key for {0} is set.", label) };
}

/** Models from the user's settings come first, in their order. */
function namesOf({ models, preset }: ProviderConnection, listed: readonly ModelInfo[] | undefined): string[] {
	if (models.length > 0) return models.slice(0, 1).map(({ id }) => id);
	if (listed) return listed.map(({ name, id }) => id.slice(id.indexOf("/") + 1) || name);
	return knownModelNames(preset ?? "");
}

async function ofThisMachine(known: ModelSources): Promise<AutomaticModel | undefined> {
	const local = known.connections().filter((connection) => connection.isLocal && (connection.isConfigured || connection.isProbed));
	const found = await Promise.all(local.map((connection) => answering(connection, known)));
	return found.find((each) => each !== undefined);
}

async function answering(connection: ProviderConnection, known: ModelSources): Promise<AutomaticModel | undefined> {
	if (!(await isListening(connection.baseUrl, PROBE_TIMEOUT_MS))) return undefined;
	let listed: readonly ModelInfo[] = [];
	try {
		listed = await known.listModels(connection, AbortSignal.timeout(LIST_MS));
	} catch (error) {
		if (!(error instanceof ModelError) || error.kind === "network" || error.kind === "timeout") return undefined;
	}
	const name = pickPreferredModel(namesOf(connection, listed), connection.preferredModels);
	return name === undefined ? undefined : { provider: connection.id, name, why: t("{0} is running on this machine.", connection.label) };
}

/** Resolves to true if a server is listening, without loading an SDK. */
export function isListening(baseUrl: string, limit: number): Promise<boolean> {
	const { hostname, port, protocol } = new URL(baseUrl);
	return new Promise((resolve) => {
		const socket = connectSocket({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) || (protocol === "https:" ? 443 : 80) });
		const end = (answers: boolean): void => {
			socket.destroy();
			resolve(answers);
		};
		socket.setTimeout(limit, () => end(false));
		socket.once("connect", () => end(true));
		socket.once("error", () => end(false));
	});
}

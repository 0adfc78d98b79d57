// Lists every selectable model by provider, with the reasons why others are unavailable.

import type { ModelInfo, ModelListing, ProviderListing, SelectedModel } from "../../core/ports/model.ts";
import { t } from "../../shared/l10n.ts";
import { reasonOf } from "../../shared/reasonOf.ts";
import { isListening, type ModelSources, PROBE_TIMEOUT_MS } from "./automatic.ts";
import { describeModel, type KeySource, type ProviderConnection } from "./connections.ts";
import { EDITOR_PROVIDER_ID, isChatModelName, OFFLINE_MODEL } from "./modelSelection.ts";
import { knownModelNames, MODEL_TABLE_SOURCE } from "./modelTable.ts";

interface Sources extends Omit<ModelSources, "listEditorModels"> {
	restricted(): string | undefined;
	log(line: string): void;
	automatic(): Promise<SelectedModel>;
	/** Throws. */
	editor(): Promise<readonly ModelInfo[]>;
	keySource(connection: ProviderConnection): Promise<KeySource | undefined>;
}

/** Time limit for a provider to list its models. */
const LIST_MS = 5_000;

export async function createModelListing(sources: Sources): Promise<ModelListing> {
	const isRestricted = sources.restricted() !== undefined;
	const shown = sources
		.connections()
		.filter(({ isLocal: local, isConfigured: configured, isProbed: probed }) => configured || (!isRestricted && (probed || !local)));
	const [auto, editor, ...providers] = await Promise.all([
		sources.automatic(),
		ofEditor(sources),
		...shown.map((connection) => ofConnection(connection, sources)),
	]);
	const offline = {
		id: OFFLINE_MODEL.provider,
		label: t("Offline"),
		models: [{ id: `${OFFLINE_MODEL.provider}/${OFFLINE_MODEL.name}`, name: t("Offline") }],
	};
	return {
		auto: { name: auto.name, why: auto.why },
		providers: [...(editor ? [editor] : []), ...providers, offline],
	};
}

async function ofEditor(sources: Sources): Promise<ProviderListing | undefined> {
	if (sources.restricted() !== undefined) return undefined;
	const label = "VS Code";
	try {
		const models = await sources.editor();
		return models.length > 0 ? { id: EDITOR_PROVIDER_ID, label, models: [...models] } : undefined;
	} catch (error) {
		return { id: EDITOR_PROVIDER_ID, label, models: [], problem: reasonOf(error, sources.log) };
	}
}

async function ofConnection(connection: ProviderConnection, sources: Sources): Promise<ProviderListing> {
	const { id, label, isLocal: local, preset, models: named } = connection;
	const inTable = knownModelNames(preset ?? "");
	const known = {
		id,
		label,
		...(inTable.length > 0 && { priceSource: t("prices from {0}, {1}", MODEL_TABLE_SOURCE.from, MODEL_TABLE_SOURCE.read) }),
	};
	const unasked = (): ModelInfo[] =>
		(named.length > 0 ? named.map((model) => model.id) : inTable).map((name) => describeModel(connection, name));
	const reason = sources.restricted();
	if (reason !== undefined) return { ...known, models: unasked(), problem: reason };
	const needsKey = !local && connection.apiKeyEnv !== undefined && (await sources.keySource(connection)) === undefined;
	if (needsKey) return { id, label, models: [], needsKey: true };
	if (local && !(await isListening(connection.baseUrl, PROBE_TIMEOUT_MS))) {
		return { ...known, models: [], problem: t("No server is running at {0}.", connection.baseUrl) };
	}
	try {
		const listed = await sources.listModels(connection, AbortSignal.timeout(LIST_MS));
		const heard = new Map(listed.map((model) => [model.id.slice(id.length + 1), model]));
		const names = new Set([...named.map((model) => model.id), ...[...heard.keys()].filter(isChatModelName)]);
		return { ...known, models: [...names].map((name) => describeModel(connection, name, heard.get(name))) };
	} catch (error) {
		return { ...known, models: unasked(), problem: reasonOf(error, sources.log) };
	}
}

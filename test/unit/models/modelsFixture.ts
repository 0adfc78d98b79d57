// Model servers on this machine, and the choice among them with a clock that the test moves.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelInfo } from "../../../src/core/ports/model.ts";
import type { AgentDefinition, Role } from "../../../src/core/role.ts";
import { createModelServices } from "../../../src/models/selection/models.ts";
import type { ProviderPreset } from "../../../src/models/selection/providerPresets.ts";
import type { ProviderSetting } from "../../../src/models/selection/providerSettings.ts";

/** No preset but those that are given: nothing of this machine is looked for. */
export function createModels(providers: Record<string, ProviderSetting>, given: World = {}) {
	const kept = new Map<string, string>();
	const world = { time: 0, restricted: undefined as string | undefined, model: given.model ?? "auto", changes: 0 };
	const { editor } = given;
	const models = createModelServices({
		log: () => undefined,
		settings: () => ({ model: world.model, providers, roleModels: given.roleModels ?? {} }),
		secrets: { get: async (name) => kept.get(name), set: async (name, value) => void kept.set(name, value) },
		restrictedReason: () => world.restricted,
		now: () => world.time,
		onChange: () => {
			world.changes += 1;
		},
		presets: given.presets ?? {},
		environment: given.environment ?? {},
		...(editor && { createEditorProvider: async () => ({ id: "vscode", models: editor, stream: () => assert.fail("nobody asks") }) }),
	});
	return {
		models,
		world,
		kept,
		choose: async (who = agent) => (await models.choose(who, role)).id,
		known: async () => {
			const { id, name, why, undecided } = await models.choose(agent, role, "known");
			return { id, name, why, ...(undecided && { undecided }) };
		},
	};
}

interface World {
	model?: string;
	roleModels?: Record<string, string>;
	presets?: Record<string, ProviderPreset>;
	environment?: Record<string, string>;
	/** The editor's own models; it has none when absent. */
	editor?: () => Promise<ModelInfo[]>;
}

interface Server {
	url: string;
	port: number;
	/** Paths that were asked for, in order. */
	asked: string[];
	close(): Promise<void>;
}

/** Lists its models, or says 404 where it has no list; or refuses every key, or says nothing at all. */
async function serve(
	models: readonly string[] | "refuses" | "wants a key" | "mute" | undefined,
	port = 0,
	more: object = {},
): Promise<Server> {
	const asked: string[] = [];
	const server = createServer((request, response) => {
		asked.push(request.url ?? "");
		if (models === "mute") return;
		if (models === "wants a key" && request.headers.authorization) response.end('{"data":[{"id":"gpt-5"}]}');
		else if (models === "refuses" || models === "wants a key") response.writeHead(401).end("{}");
		else if (!models) response.writeHead(404).end("{}");
		else response.setHeader("content-type", "application/json").end(JSON.stringify({ data: models.map((id) => ({ id, ...more })) }));
	});
	server.listen(port, "127.0.0.1");
	await once(server, "listening");
	const bound = (server.address() as AddressInfo).port;
	return {
		url: `http://127.0.0.1:${bound}/v1`,
		port: bound,
		asked,
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
	};
}

const servers: Server[] = [];

/** Serves until the test ends. */
export async function open(...given: Parameters<typeof serve>): Promise<Server> {
	const server = await serve(...given);
	servers.push(server);
	return server;
}

/** An address where nobody listens. */
export async function nobody(): Promise<Server> {
	const server = await serve([]);
	await server.close();
	return server;
}

export async function leave(): Promise<void> {
	for (const server of servers.splice(0)) await server.close();
}

export const agent: AgentDefinition = { agentId: "default", displayName: "General Assistant" };
export const role: Role = { id: "planner", label: "Planner", permissions: [], prompt: "" };
export const ENV = "TROUPE_TEST_KEY";

export const preset = (baseUrl: string, more: Partial<ProviderPreset> = {}): ProviderPreset => ({
	type: "openai-compatible",
	label: "Hosted",
	baseUrl,
	docsUrl: "https://models.invalid/keys",
	preferredModels: [],
	...more,
});

export const compatible = (baseUrl: string, more: Partial<ProviderSetting> = {}): ProviderSetting => ({
	type: "openai-compatible",
	baseUrl,
	...more,
});

/** The same server under an address that does not count as this machine's own. */
export const elsewhere = (url: string): string => url.replace("127.0.0.1", "[::ffff:127.0.0.1]");

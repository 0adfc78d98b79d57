// Which model a session gets: real servers on this machine, a clock that the test moves, no network.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { AgentDefinition } from "../../../src/core/permissions.ts";
import { createModels } from "../../../src/engine/models.ts";
import type { ProviderSetting } from "../../../src/engine/settings.ts";

interface Server {
	url: string;
	port: number;
	/** Paths that were asked for, in order. */
	asked: string[];
	close(): Promise<void>;
}

/** Lists its models, or says 404 where it has no list. */
async function serve(models: readonly string[] | undefined, port = 0): Promise<Server> {
	const asked: string[] = [];
	const server = createServer((request, response) => {
		asked.push(request.url ?? "");
		if (models) response.setHeader("content-type", "application/json").end(JSON.stringify({ data: models.map((id) => ({ id })) }));
		else response.writeHead(404).end("{}");
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

const agent: AgentDefinition = { agentId: "default", displayName: "General Assistant" };
const ENV = "TROUPE_TEST_KEY";

function house(providers: Record<string, ProviderSetting>, model = "auto") {
	const kept = new Map<string, string>();
	const world = { time: 0, restricted: undefined as string | undefined, model };
	const models = createModels({
		settings: () => ({ model: world.model, providers }),
		secrets: { get: async (name) => kept.get(name), set: async (name, value) => void kept.set(name, value) },
		restricted: () => world.restricted,
		now: () => world.time,
	});
	return { models, world, choose: async (who = agent) => (await models.choose(who)).id };
}

const compatible = (baseUrl: string, more: Partial<ProviderSetting> = {}): ProviderSetting => ({
	type: "openai-compatible",
	baseUrl,
	...more,
});

describe("the model of a session", () => {
	const servers: Server[] = [];
	const open = async (models: readonly string[] | undefined, port?: number) => {
		const server = await serve(models, port);
		servers.push(server);
		return server;
	};
	/** An address where nobody listens. */
	const nobody = async () => {
		const server = await serve([]);
		await server.close();
		return server;
	};
	afterEach(async () => {
		for (const server of servers.splice(0)) await server.close();
		delete process.env[ENV];
	});

	it("is a local server that was started later, once half a minute has passed", async () => {
		const gone = await nobody();
		const { world, choose } = house({ ollama: compatible(gone.url) });
		assert.equal(await choose(), "offline/offline");
		await open(["qwen:7b"], gone.port);
		world.time = 29_000;
		assert.equal(await choose(), "offline/offline");
		world.time = 30_000;
		assert.equal(await choose(), "ollama/qwen:7b");
	});

	it("is asked for once while every server is there", async () => {
		const server = await open(["qwen:7b"]);
		const { world, choose } = house({ ollama: compatible(server.url) });
		await choose();
		world.time = 3_600_000;
		assert.equal(await choose(), "ollama/qwen:7b");
		assert.deepEqual(server.asked, ["/v1/models"]);
	});

	it("is no local server that does not answer, whatever names are configured for it", async () => {
		const gone = await nobody();
		assert.equal(await house({ ollama: compatible(gone.url, { models: ["qwen:7b"] }) }).choose(), "offline/offline");
		const mute = await open(undefined);
		assert.equal(await house({ plain: compatible(mute.url, { models: ["mine"] }) }).choose(), "plain/mine");
	});

	it("asks nobody when it is named, by the setting or by the agent", async () => {
		const server = await open(["qwen:7b"]);
		const { models, world, choose } = house({ ollama: compatible(server.url) }, "offline/offline");
		assert.equal(await choose(), "offline/offline");
		world.model = "auto";
		const own = await models.choose({ ...agent, model: "ollama/other" });
		assert.deepEqual([own.id, own.why], ["ollama/other", "General Assistant names it."]);
		assert.deepEqual(server.asked, []);
	});

	it("is one of a provider whose key stands in the environment or was just set", async () => {
		const local = await open(["qwen:7b"]);
		const { models, choose } = house({
			ollama: compatible(local.url),
			hosted: compatible("https://models.invalid/v1", { apiKeyEnv: ENV, models: ["large"] }),
		});
		assert.equal(await choose(), "ollama/qwen:7b");
		await models.setKey("hosted", "secret");
		assert.equal(await choose(), "hosted/large");
		await models.setKey("hosted", "");
		process.env[ENV] = "secret";
		models.forget();
		assert.equal(await choose(), "hosted/large");
	});

	it("is looked for nowhere in Restricted Mode, and everywhere once that ends", async () => {
		const server = await open(["qwen:7b"]);
		const { models, world, choose } = house({ ollama: compatible(server.url, { models: ["configured"] }) });
		world.restricted = "This workspace is in Restricted Mode.";
		const chosen = await models.choose(agent);
		assert.deepEqual([chosen.id, chosen.why], ["offline/offline", "This workspace is in Restricted Mode."]);
		const listed = await models.list();
		assert.deepEqual(
			listed.models.map(({ id }) => id),
			["ollama/configured", "offline/offline"],
		);
		assert.deepEqual(listed.missing, ["This workspace is in Restricted Mode."]);
		assert.deepEqual(server.asked, []);
		world.restricted = undefined;
		assert.equal(await choose(), "ollama/configured");
		assert.deepEqual(server.asked, ["/v1/models"]);
	});

	it("is a sentence where the provider is not set up", async () => {
		await assert.rejects(house({}, "nobody/x").choose(), /“nobody”, which is not configured/);
	});
});

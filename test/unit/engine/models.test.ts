// Which model a session gets: real servers on this machine, a clock that the test moves, no network.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelInfo } from "../../../src/core/model.ts";
import type { AgentDefinition, Role } from "../../../src/core/permissions.ts";
import { createModels } from "../../../src/engine/models.ts";
import type { ProviderSetting } from "../../../src/engine/settings.ts";
import type { Preset } from "../../../src/models/presets.ts";

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

const agent: AgentDefinition = { agentId: "default", displayName: "General Assistant" };
const role: Role = { id: "planner", label: "Planner", permissions: [], prompt: "" };
const ENV = "TROUPE_TEST_KEY";

interface World {
	model?: string;
	roleModels?: Record<string, string>;
	presets?: Record<string, Preset>;
	environment?: Record<string, string>;
	/** The editor's own models; it has none when absent. */
	editor?: () => Promise<ModelInfo[]>;
}

/** No preset but those that are given: nothing of this machine is looked for. */
function house(providers: Record<string, ProviderSetting>, given: World = {}) {
	const kept = new Map<string, string>();
	const world = { time: 0, restricted: undefined as string | undefined, model: given.model ?? "auto", changes: 0 };
	const { editor } = given;
	const models = createModels({
		settings: () => ({ model: world.model, providers, roleModels: given.roleModels ?? {} }),
		secrets: { get: async (name) => kept.get(name), set: async (name, value) => void kept.set(name, value) },
		restricted: () => world.restricted,
		now: () => world.time,
		changed: () => {
			world.changes += 1;
		},
		presets: given.presets ?? {},
		environment: given.environment ?? {},
		...(editor && { editor: async () => ({ id: "vscode", models: editor, stream: () => assert.fail("nobody asks") }) }),
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

const preset = (baseUrl: string, more: Partial<Preset> = {}): Preset => ({
	type: "openai-compatible",
	label: "Hosted",
	baseUrl,
	docs: "https://models.invalid/keys",
	preferred: [],
	...more,
});

const compatible = (baseUrl: string, more: Partial<ProviderSetting> = {}): ProviderSetting => ({
	type: "openai-compatible",
	baseUrl,
	...more,
});

/** The same server under an address that does not count as this machine's own. */
const elsewhere = (url: string): string => url.replace("127.0.0.1", "[::ffff:127.0.0.1]");

describe("the model of a session", () => {
	const servers: Server[] = [];
	const open = async (...given: Parameters<typeof serve>) => {
		const server = await serve(...given);
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

	it("waits for nobody when it is named, and tells later what its provider says of it", async () => {
		const server = await open(["other"], undefined, { context_length: 32_000 });
		const { models, world } = house({ ollama: compatible(server.url) }, { model: "offline/offline" });
		assert.equal((await models.choose(agent, role)).id, "offline/offline");
		world.model = "auto";
		const own = await models.choose({ ...agent, model: "ollama/other" }, role);
		assert.deepEqual([own.id, own.why, own.info.window], ["ollama/other", "General Assistant names it.", undefined]);
		while (world.changes === 0) await new Promise((resolve) => setImmediate(resolve));
		const later = await models.choose({ ...agent, model: "ollama/other" }, role, "known");
		assert.equal(later.info.window, 32_000);
	});

	it("is one of a provider whose key stands in the environment or was just set", async () => {
		const local = await open(["qwen:7b"]);
		const environment: Record<string, string> = {};
		const { models, choose } = house(
			{ ollama: compatible(local.url), hosted: compatible("https://models.invalid/v1", { apiKeyEnv: ENV, models: ["large"] }) },
			{ environment },
		);
		assert.equal(await choose(), "ollama/qwen:7b");
		await models.setKey("hosted", "secret");
		assert.equal(await choose(), "hosted/large");
		await models.setKey("hosted", "");
		assert.equal(await choose(), "ollama/qwen:7b");
		environment[ENV] = "secret";
		models.forget();
		assert.equal(await choose(), "hosted/large");
	});

	it("is the one a person's role has, with what the person says of it", async () => {
		const given = { id: "large", window: 9_000, price: { input: 1, output: 2 }, images: true, effort: "high" as const };
		const { models } = house(
			{ hosted: compatible("https://models.invalid/v1", { models: [given] }) },
			{ roleModels: { planner: "hosted/large" } },
		);
		const { id, why, info, effort } = await models.choose(agent, role, "known");
		assert.deepEqual(
			{ id, why, info, effort },
			{
				id: "hosted/large",
				why: "The setting troupe.roleModels names it for the role Planner.",
				info: { id: "hosted/large", name: "large", window: 9_000, price: { input: 1, output: 2 }, images: true },
				effort: "high",
			},
		);
	});

	it("is looked for nowhere in Restricted Mode, and everywhere once that ends", async () => {
		const server = await open(["qwen:7b"]);
		const editor = async () => assert.fail("the editor is asked");
		const { models, world, choose } = house({ ollama: compatible(server.url, { models: ["configured"] }) }, { editor });
		world.restricted = "This workspace is in Restricted Mode.";
		const chosen = await models.choose(agent, role);
		assert.deepEqual([chosen.id, chosen.why], ["offline/offline", "This workspace is in Restricted Mode."]);
		assert.deepEqual(await models.list(), {
			auto: { name: "Offline", why: "This workspace is in Restricted Mode." },
			providers: [
				{
					id: "ollama",
					label: "ollama",
					models: [{ id: "ollama/configured", name: "configured" }],
					problem: "This workspace is in Restricted Mode.",
				},
				{ id: "offline", label: "Offline", models: [{ id: "offline/offline", name: "Offline" }] },
			],
		});
		await assert.rejects(models.checkKey("ollama"), /Restricted Mode/);
		await models.choose({ ...agent, model: "ollama/configured" }, role);
		await models.editorChanged();
		assert.deepEqual(server.asked, []);
		world.restricted = undefined;
		assert.equal(await choose(), "ollama/configured");
	});

	it("is a sentence where the provider is not set up", async () => {
		await assert.rejects(house({}, { model: "nobody/x" }).choose(), /“nobody”, which is not configured/);
	});

	it("is one of the editor's before all others, and nobody else is asked", async () => {
		const server = await open(["qwen:7b"]);
		const editor = async () => [{ id: "vscode/copilot/claude-sonnet-9", name: "Claude Sonnet 9", window: 90_000 }];
		const { models } = house({ ollama: compatible(server.url) }, { editor, environment: { [ENV]: "secret" } });
		const { id, name, why, info } = await models.choose(agent, role);
		assert.deepEqual(
			{ id, name, why, window: info.window },
			{ id: "vscode/copilot/claude-sonnet-9", name: "Claude Sonnet 9", why: "VS Code has this model.", window: 90_000 },
		);
		assert.deepEqual(server.asked, []);
	});

	it("follows the editor's models as they come and go", async () => {
		let listed: ModelInfo[] = [];
		const { models, world, choose } = house({}, { editor: async () => listed });
		assert.equal(await choose(), "offline/offline");
		listed = [{ id: "vscode/test/one", name: "One" }];
		const before = world.changes;
		await models.editorChanged();
		assert.equal(world.changes, before + 1);
		assert.equal(await choose(), "vscode/test/one");
		await models.editorChanged();
		assert.equal(world.changes, before + 2, "the same models again are no change");
	});

	it("is not looked for while it is only shown: what is known is said, the rest comes with the first message", async () => {
		const server = await open(["qwen:7b"]);
		const { models, world, known, choose } = house({}, { presets: { ollama: preset(server.url, { label: "Ollama", probed: true }) } });
		assert.deepEqual(await known(), {
			id: "auto",
			name: "Auto",
			why: "Chosen with the first message: a server on this machine, such as Ollama, if one answers, else the offline model.",
			undecided: true,
		});
		assert.deepEqual(server.asked, []);
		assert.equal(await choose(), "ollama/qwen:7b");
		assert.deepEqual(await known(), { id: "ollama/qwen:7b", name: "qwen:7b", why: "Ollama answers on this machine." });
		const { changes } = world;
		models.forget();
		assert.equal((await known()).id, "auto", "once a message was sent, it is looked again, and nobody waits for it");
		while (world.changes === changes) await new Promise((resolve) => setImmediate(resolve));
		assert.equal((await known()).id, "ollama/qwen:7b");
	});

	it("is a preset's as soon as its key is set, nothing else", async () => {
		const server = await open(["text-embedding-3", "small", "large-2", "large-10"]);
		const away = elsewhere(server.url);
		const { models, choose, known } = house({}, { presets: { hosted: preset(away, { preferred: [/^large/], apiKeyEnv: ENV }) } });
		assert.equal(await choose(), "offline/offline");
		await models.setKey("hosted", "secret");
		assert.deepEqual(await known(), { id: "auto", name: "Hosted", why: "A key for Hosted is set." });
		assert.equal(await choose(), "hosted/large-10");
		assert.deepEqual(await models.keyHolders(), [
			{ id: "hosted", label: "Hosted", docs: "https://models.invalid/keys", variable: ENV, source: "stored" },
		]);
	});

	it("is another one where a provider refuses its key, and that provider's only where there is no other", async () => {
		const refusing = await open("refuses");
		const away = elsewhere(refusing.url);
		const local = await open(["qwen:7b"]);
		const presets = { openai: preset(away, { label: "OpenAI", preferred: [/^gpt-5$/] }) };
		const both = house({ ollama: compatible(local.url) }, { presets });
		await both.models.setKey("openai", "wrong");
		assert.equal(await both.choose(), "ollama/qwen:7b");
		const alone = house({}, { presets });
		await alone.models.setKey("openai", "wrong");
		const { id, why } = await alone.models.choose(agent, role);
		assert.deepEqual([id, why], ["openai/gpt-5", "A key for OpenAI is set, though OpenAI refuses it."]);
		await assert.rejects(alone.models.checkKey("openai"), { name: "ModelError", kind: "auth" });
	});

	it("has a key that is proven where the provider tells nobody its models without one", async () => {
		const anybody = await open(["gpt-5"]);
		const strict = await open("wants a key");
		for (const [server, proven] of [
			[anybody, false],
			[strict, true],
		] as const) {
			const { models } = house({}, { presets: { openai: preset(elsewhere(server.url), { label: "OpenAI" }) } });
			await models.setKey("openai", "secret");
			assert.equal(await models.checkKey("openai"), proven);
		}
	});

	it("is not that of a server that takes connections and says nothing", async () => {
		const mute = await open("mute");
		assert.equal(await house({ ollama: compatible(mute.url) }).choose(), "offline/offline");
		assert.deepEqual(mute.asked, ["/v1/models"]);
	});

	it("is listed by provider, with what keeps the others from it", async () => {
		const gone = await nobody();
		const server = await open(["qwen:7b", "nomic-embed-text"], undefined, { context_length: 4_096 });
		const { models } = house(
			{ here: compatible(server.url), gone: compatible(gone.url) },
			{ presets: { groq: preset("https://models.invalid/v1", { label: "Groq", apiKeyEnv: ENV }) } },
		);
		const { auto, providers } = await models.list();
		assert.deepEqual(auto, { name: "qwen:7b", why: "here answers on this machine." });
		assert.deepEqual(providers, [
			{ id: "here", label: "here", models: [{ id: "here/qwen:7b", name: "qwen:7b", window: 4_096 }] },
			{ id: "gone", label: "gone", models: [], problem: `Nobody answers at ${gone.url}.` },
			{ id: "groq", label: "Groq", models: [], needsKey: true },
			{ id: "offline", label: "Offline", models: [{ id: "offline/offline", name: "Offline" }] },
		]);
	});
});

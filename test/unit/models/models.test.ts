// Tests the choice of models over providers in settings.
import assert from "node:assert/strict";
import { agent, compatible, createModels, ENV, elsewhere, leave, nobody, open, preset, role } from "./modelsFixture.ts";

describe("the model of a session", () => {
	afterEach(leave);

	it("is a local server that was started later, once half a minute has passed", async () => {
		const gone = await nobody();
		const { world, choose } = createModels({ ollama: compatible(gone.url) });
		assert.equal(await choose(), "offline/offline");
		await open(["qwen:7b"], gone.port);
		world.time = 29_000;
		assert.equal(await choose(), "offline/offline");
		world.time = 30_000;
		assert.equal(await choose(), "ollama/qwen:7b");
	});

	it("is asked for once while every server is there", async () => {
		const server = await open(["qwen:7b"]);
		const { world, choose } = createModels({ ollama: compatible(server.url) });
		await choose();
		world.time = 3_600_000;
		assert.equal(await choose(), "ollama/qwen:7b");
		assert.deepEqual(server.asked, ["/v1/models"]);
	});

	it("is no local server that does not answer, whatever names are configured for it", async () => {
		const gone = await nobody();
		assert.equal(await createModels({ ollama: compatible(gone.url, { models: ["qwen:7b"] }) }).choose(), "offline/offline");
		const mute = await open(undefined);
		assert.equal(await createModels({ plain: compatible(mute.url, { models: ["mine"] }) }).choose(), "plain/mine");
	});

	it("is one of a provider whose key stands in the environment or was just set", async () => {
		const local = await open(["qwen:7b"]);
		const environment: Record<string, string> = {};
		const { models, choose } = createModels(
			{ ollama: compatible(local.url), hosted: compatible("https://models.invalid/v1", { apiKeyEnv: ENV, models: ["large"] }) },
			{ environment },
		);
		assert.equal(await choose(), "ollama/qwen:7b");
		await models.setApiKey("hosted", "secret");
		assert.equal(await choose(), "hosted/large");
		await models.setApiKey("hosted", "");
		assert.equal(await choose(), "ollama/qwen:7b");
		environment[ENV] = "secret";
		models.invalidate();
		assert.equal(await choose(), "hosted/large");
	});

	it("is the one a person's role has, with what the person says of it", async () => {
		const given = { id: "large", window: 9_000, price: { input: 1, output: 2 }, images: true, effort: "high" as const };
		const { models } = createModels(
			{ hosted: compatible("https://models.invalid/v1", { models: [given] }) },
			{ roleModels: { planner: "hosted/large" } },
		);
		const { id, why, info, effort } = await models.choose(agent, role, "known");
		assert.deepEqual(
			{ id, why, info, effort },
			{
				id: "hosted/large",
				why: "The model for the role Planner is set in troupe.roleModels.",
				info: { id: "hosted/large", name: "large", window: 9_000, price: { input: 1, output: 2 }, images: true },
				effort: "high",
			},
		);
	});

	it("is looked for nowhere in Restricted Mode, and everywhere once that ends", async () => {
		const server = await open(["qwen:7b"]);
		const editor = async () => assert.fail("the editor is asked");
		const { models, world, choose } = createModels({ ollama: compatible(server.url, { models: ["configured"] }) }, { editor });
		world.restricted = "This workspace is in Restricted Mode.";
		const chosen = await models.choose(agent, role);
		assert.deepEqual([chosen.id, chosen.why], ["offline/offline", "This workspace is in Restricted Mode."]);
		assert.deepEqual(await models.listModels(), {
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
		await assert.rejects(models.testConnection("ollama"), /Restricted Mode/);
		await models.choose({ ...agent, model: "ollama/configured" }, role);
		await models.refreshEditorModels();
		assert.deepEqual(server.asked, []);
		world.restricted = undefined;
		assert.equal(await choose(), "ollama/configured");
	});

	it("is a sentence where the provider is not set up", async () => {
		await assert.rejects(createModels({}, { model: "nobody/x" }).choose(), /“nobody”, which isn't configured/);
	});

	it("is a preset's as soon as its key is set, nothing else", async () => {
		const server = await open(["text-embedding-3", "small", "large-2", "large-10"]);
		const away = elsewhere(server.url);
		const { models, choose, known } = createModels(
			{},
			{ presets: { hosted: preset(away, { preferredModels: [/^large/], apiKeyEnv: ENV }) } },
		);
		assert.equal(await choose(), "offline/offline");
		await models.setApiKey("hosted", "secret");
		assert.deepEqual(await known(), { id: "auto", name: "Hosted", why: "An API key for Hosted is set." });
		assert.equal(await choose(), "hosted/large-10");
		assert.deepEqual(await models.apiKeyProviders(), [
			{ id: "hosted", label: "Hosted", keyUrl: "https://models.invalid/keys", environmentVariable: ENV, keySource: "stored" },
		]);
	});

	it("is another one where a provider refuses its key, and that provider's only where there is no other", async () => {
		const refusing = await open("refuses");
		const away = elsewhere(refusing.url);
		const local = await open(["qwen:7b"]);
		const presets = { openai: preset(away, { label: "OpenAI", preferredModels: [/^gpt-5$/] }) };
		const both = createModels({ ollama: compatible(local.url) }, { presets });
		await both.models.setApiKey("openai", "wrong");
		assert.equal(await both.choose(), "ollama/qwen:7b");
		const alone = createModels({}, { presets });
		await alone.models.setApiKey("openai", "wrong");
		const { id, why } = await alone.models.choose(agent, role);
		assert.deepEqual([id, why], ["openai/gpt-5", "An API key for OpenAI is set, but OpenAI rejected the key."]);
		await assert.rejects(alone.models.testConnection("openai"), { name: "ModelError", kind: "auth" });
	});

	it("has a key that is proven where the provider tells nobody its models without one", async () => {
		const anybody = await open(["gpt-5"]);
		const strict = await open("wants a key");
		for (const [server, proven] of [
			[anybody, false],
			[strict, true],
		] as const) {
			const { models } = createModels({}, { presets: { openai: preset(elsewhere(server.url), { label: "OpenAI" }) } });
			await models.setApiKey("openai", "secret");
			assert.equal(await models.testConnection("openai"), proven);
		}
	});

	it("is not that of a server that takes connections and says nothing", async () => {
		const mute = await open("mute");
		assert.equal(await createModels({ ollama: compatible(mute.url) }).choose(), "offline/offline");
		assert.deepEqual(mute.asked, ["/v1/models"]);
	});
});

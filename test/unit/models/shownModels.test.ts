// Tests the models that pickers list.
import assert from "node:assert/strict";
import type { ModelInfo } from "../../../src/core/ports/model.ts";
import { agent, compatible, createModels, ENV, leave, nobody, open, preset, role } from "./modelsFixture.ts";

describe("the model of a session", () => {
	afterEach(leave);

	it("waits for nobody when it is named, and tells later what its provider says of it", async () => {
		const server = await open(["other"], undefined, { context_length: 32_000 });
		const { models, world } = createModels({ ollama: compatible(server.url) }, { model: "offline/offline" });
		assert.equal((await models.choose(agent, role)).id, "offline/offline");
		world.model = "auto";
		const own = await models.choose({ ...agent, model: "ollama/other" }, role);
		assert.deepEqual([own.id, own.why, own.info.window], ["ollama/other", "The agent General Assistant sets the model.", undefined]);
		while (world.changes === 0) await new Promise((resolve) => setImmediate(resolve));
		const later = await models.choose({ ...agent, model: "ollama/other" }, role, "known");
		assert.equal(later.info.window, 32_000);
	});

	it("is one of the editor's before all others, and nobody else is asked", async () => {
		const server = await open(["qwen:7b"]);
		const editor = async () => [{ id: "vscode/copilot/claude-sonnet-9", name: "Claude Sonnet 9", window: 90_000 }];
		const { models } = createModels({ ollama: compatible(server.url) }, { editor, environment: { [ENV]: "secret" } });
		const { id, name, why, info } = await models.choose(agent, role);
		assert.deepEqual(
			{ id, name, why, window: info.window },
			{ id: "vscode/copilot/claude-sonnet-9", name: "Claude Sonnet 9", why: "VS Code provides this model.", window: 90_000 },
		);
		assert.deepEqual(server.asked, []);
	});

	it("follows the editor's models as they come and go", async () => {
		let listed: ModelInfo[] = [];
		const { models, world, choose } = createModels({}, { editor: async () => listed });
		assert.equal(await choose(), "offline/offline");
		listed = [{ id: "vscode/test/one", name: "One" }];
		const before = world.changes;
		await models.refreshEditorModels();
		assert.equal(world.changes, before + 1);
		assert.equal(await choose(), "vscode/test/one");
		await models.refreshEditorModels();
		assert.equal(world.changes, before + 2, "the same models again are no change");
	});

	it("is not looked for while it is only shown: what is known is said, the rest comes with the first message", async () => {
		const server = await open(["qwen:7b"]);
		const { models, world, known, choose } = createModels(
			{},
			{ presets: { ollama: preset(server.url, { label: "Ollama", isProbed: true }) } },
		);
		assert.deepEqual(await known(), {
			id: "auto",
			name: "Auto",
			why: "Picks a model when you send your first message: a local server such as Ollama if one is running, otherwise the offline model.",
			undecided: true,
		});
		assert.deepEqual(server.asked, []);
		assert.equal(await choose(), "ollama/qwen:7b");
		assert.deepEqual(await known(), { id: "ollama/qwen:7b", name: "qwen:7b", why: "Ollama is running on this machine." });
		const { changes } = world;
		models.invalidate();
		assert.equal((await known()).id, "auto", "once a message was sent, it is looked again, and nobody waits for it");
		while (world.changes === changes) await new Promise((resolve) => setImmediate(resolve));
		assert.equal((await known()).id, "ollama/qwen:7b");
	});

	it("is listed by provider, with what keeps the others from it", async () => {
		const gone = await nobody();
		const server = await open(["qwen:7b", "nomic-embed-text"], undefined, { context_length: 4_096 });
		const { models } = createModels(
			{ here: compatible(server.url), gone: compatible(gone.url) },
			{ presets: { groq: preset("https://models.invalid/v1", { label: "Groq", apiKeyEnv: ENV }) } },
		);
		const { auto, providers } = await models.listModels();
		assert.deepEqual(auto, { name: "qwen:7b", why: "here is running on this machine." });
		assert.deepEqual(providers, [
			{ id: "here", label: "here", models: [{ id: "here/qwen:7b", name: "qwen:7b", window: 4_096 }] },
			{ id: "gone", label: "gone", models: [], problem: `No server is running at ${gone.url}.` },
			{ id: "groq", label: "Groq", models: [], needsKey: true },
			{ id: "offline", label: "Offline", models: [{ id: "offline/offline", name: "Offline" }] },
		]);
	});
});

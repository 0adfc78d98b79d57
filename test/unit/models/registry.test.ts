// Which model is taken, given what is there.
import assert from "node:assert/strict";
import { chooseModel, type ModelFacts, parseModelId } from "../../../src/models/registry.ts";

const facts: ModelFacts = {
	providers: [
		{ id: "openai", local: false, models: ["large", "small"] },
		{ id: "gateway", local: false, models: [] },
		{ id: "ollama", local: true, models: ["qwen:7b"] },
	],
	keys: ["gateway", "openai"],
};

describe("the choice of a model", () => {
	const table: [string, string, ModelFacts, string][] = [
		["a provider with a key", "auto", facts, "openai/large"],
		["a local server where no key is set", "", { ...facts, keys: [] }, "ollama/qwen:7b"],
		[
			"the offline model where nothing answers",
			"auto",
			{ providers: [{ id: "ollama", local: true, models: [] }], keys: [] },
			"offline/offline",
		],
		["what the setting names", "ollama/other/name", facts, "ollama/other/name"],
		["the offline model by name", "offline/offline", facts, "offline/offline"],
	];
	for (const [name, setting, given, expected] of table) {
		it(`takes ${name}`, () => {
			const chosen = chooseModel(setting, given);
			assert.ok("provider" in chosen, JSON.stringify(chosen));
			assert.equal(`${chosen.provider}/${chosen.name}`, expected);
			assert.ok(chosen.why.endsWith("."));
		});
	}

	it("says what is wrong with a setting it cannot follow", () => {
		assert.match((chooseModel("gpt", facts) as { problem: string }).problem, /provider\/model/);
		assert.match((chooseModel("nobody/x", facts) as { problem: string }).problem, /not configured.*openai, gateway, ollama/);
	});

	it("splits an id at the first slash", () => {
		assert.deepEqual(parseModelId("router/org/model"), { provider: "router", name: "org/model" });
		assert.deepEqual(["", "a", "/a", "a/"].map(parseModelId), [undefined, undefined, undefined, undefined]);
	});
});

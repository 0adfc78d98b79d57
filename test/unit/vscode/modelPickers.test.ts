// Tests the entries of "Select Model".
import assert from "node:assert/strict";
import { ThemeIcon } from "vscode";
import type { ModelListing } from "../../../src/core/ports/model.ts";
import { createModelItems } from "../../../src/vscode/models/modelPickers.ts";

describe("the list of models", () => {
	const button = { iconPath: new ThemeIcon("person"), tooltip: "role" };
	const listing: ModelListing = {
		auto: { name: "Claude", why: "An API key for Anthropic is set." },
		providers: [
			{
				id: "anthropic",
				label: "Anthropic",
				priceSource: "Prices of today",
				models: [{ id: "anthropic/claude", name: "Claude", window: 200_000, price: { input: 3, output: 15 } }],
			},
			{ id: "groq", label: "Groq", models: [], needsKey: true },
			{ id: "ollama", label: "Ollama", models: [{ id: "ollama/qwen", name: "qwen" }], problem: "Nobody answers." },
		],
	};

	it("starts with Auto and shows sizes, prices, the current model and problems", () => {
		const items = createModelItems(listing, { current: "anthropic/claude", button });
		assert.deepEqual(
			items.map(({ label, description, detail }) => [label, description, detail].filter(Boolean)),
			[
				["$(blank) Auto", "Claude", "An API key for Anthropic is set."],
				["Anthropic · Prices of today"],
				["$(check) Claude", "claude  ·  200k · $3 in, $15 out per million tokens"],
				["Ollama"],
				["$(blank) qwen"],
				["Requires an API key"],
				["$(key) Groq", "Set API Key…"],
				["Unavailable"],
				["$(warning) Ollama", "Nobody answers."],
				[],
				["$(add) Add Model Provider…"],
			],
		);
		assert.deepEqual(
			items.flatMap(({ model, keyFor }) => model ?? keyFor ?? []),
			["auto", "anthropic/claude", "ollama/qwen", "groq"],
		);
	});

	it("checks only Auto where no model is set", () => {
		const ticked = createModelItems(listing, { current: "auto", button }).filter(({ label }) => label.startsWith("$(check)"));
		assert.deepEqual(
			ticked.map(({ label }) => label),
			["$(check) Auto"],
		);
	});
});

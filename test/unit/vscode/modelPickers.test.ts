// Tests the entries of "Select Model", and what "Set API Key" shows after a key was set.
import assert from "node:assert/strict";
import { ThemeIcon } from "vscode";
import type { ModelListing } from "../../../src/core/ports/model.ts";
import { UserError } from "../../../src/core/userError.ts";
import type { Engine } from "../../../src/vscode/engine.ts";
import { createModelItems, promptForApiKey } from "../../../src/vscode/models/modelPickers.ts";
import { answers, presses, shown } from "../../fakes/editorWindow.ts";

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

describe("an API key that is set", () => {
	afterEach(() => {
		presses(undefined);
		shown.length = 0;
		answers.length = 0;
	});

	/** Stores keys, but removes none, and reaches no server if `problem` is given. */
	function createEngine(problem?: string) {
		let log: (line: string) => void = () => undefined;
		const logged = new Promise<string>((resolve) => {
			log = resolve;
		});
		const engine: Partial<Engine> = {
			apiKeyProviders: async () => [{ id: "groq", label: "Groq" }],
			async setApiKey(_, key) {
				if (key === "") throw new UserError("The keyring is locked.");
			},
			async testConnection() {
				if (problem !== undefined) throw new UserError(problem);
				return true;
			},
			log,
		};
		return { engine: engine as Engine, logged };
	}

	it("is reported to the caller while its notification is still open", async () => {
		presses(new Promise(() => undefined));
		answers.push("key");
		assert.equal(await promptForApiKey(createEngine().engine, "groq"), "done");
		assert.deepEqual(
			shown.map(({ text }) => text),
			["The API key for Groq works."],
		);
	});

	it("shows why it could not be removed after a failed check", async () => {
		presses(Promise.resolve("Remove"));
		answers.push("key");
		const { engine, logged } = createEngine("Nobody answers.");
		await promptForApiKey(engine, "groq");
		assert.match(await logged, /keyring/);
		const [failed, error] = shown;
		assert.match(failed?.text ?? "", /Nobody answers/);
		assert.deepEqual([error?.how, error?.text], ["error", "The keyring is locked."]);
	});
});

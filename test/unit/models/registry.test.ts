// Tests model resolution: precedence of settings, model ids, and the preferred model of a list.
import assert from "node:assert/strict";
import type { AgentDefinition, Role } from "../../../src/core/role.ts";
import {
	configuredModel,
	isChatModelName,
	parseModelId,
	pickPreferredModel,
	resolveModelId,
} from "../../../src/models/selection/modelSelection.ts";
import { findModelSpecs } from "../../../src/models/selection/modelTable.ts";
import { PREFERRED_EDITOR_MODELS, PROVIDER_PRESETS } from "../../../src/models/selection/providerPresets.ts";

const planner: Role = { id: "planner", label: "Planner", permissions: [], prompt: "" };
const agent: AgentDefinition = { agentId: "writer", displayName: "Writer" };

describe("the model of a role", () => {
	const table: [string, Partial<AgentDefinition>, Record<string, string>, string | undefined, string, string][] = [
		[
			"the agent's for the role",
			{ model: { planner: "a/1" } },
			{ planner: "b/1" },
			"c/1",
			"a/1",
			"The agent Writer sets the model for the role Planner.",
		],
		["the agent's", { model: "a/2" }, { planner: "b/1" }, "c/1", "a/2", "The agent Writer sets the model."],
		[
			"the person's for the role",
			{ model: { actor: "a/1" } },
			{ planner: "b/1" },
			"c/1",
			"b/1",
			"The model for the role Planner is set in troupe.roleModels.",
		],
		["the role's", {}, { actor: "b/1" }, "c/1", "c/1", "The role Planner sets the model."],
		["the person's for all", {}, {}, undefined, "d/1", "The model is set in troupe.model."],
	];
	for (const [name, ofAgent, roleModels, ofRole, model, why] of table) {
		it(`is ${name} before all that follow`, () => {
			const role = { ...planner, ...(ofRole && { model: ofRole }) };
			assert.deepEqual(configuredModel({ ...agent, ...ofAgent }, role, { model: "d/1", roleModels }), { model, reason: why });
		});
	}

	it("keeps slashes in its name", () => {
		assert.deepEqual(parseModelId("router/org/model"), { provider: "router", name: "org/model" });
		assert.deepEqual(resolveModelId({ model: " router/org/model ", reason: "" }, ["router"]), { provider: "router", name: "org/model" });
	});

	it("is a sentence where it is no name or names nobody", () => {
		const problem = (model: string) =>
			(resolveModelId({ model, reason: "The role Planner sets the model." }, ["openai", "groq"]) as { problem: string }).problem;
		assert.match(problem("gpt"), /“gpt” isn't a valid model\. .*The role Planner sets the model\./);
		assert.match(problem("nobody/x"), /“nobody”, which isn't configured\. Available providers: openai, groq\./);
	});
});

describe("the model that is taken of a list", () => {
	const table: [string, readonly RegExp[] | undefined, string[], string | undefined][] = [
		[
			"the newest of the kind",
			PROVIDER_PRESETS["anthropic"]?.preferredModels,
			["claude-opus-5-5", "claude-sonnet-4-5-20250929", "claude-sonnet-4-6", "claude-haiku-4-5"],
			"claude-sonnet-4-6",
		],
		[
			"a version before a snapshot's date",
			PROVIDER_PRESETS["anthropic"]?.preferredModels,
			["claude-sonnet-4-20250514", "claude-sonnet-4-5-20250929"],
			"claude-sonnet-4-5-20250929",
		],
		[
			"no cheaper or dearer sister",
			PROVIDER_PRESETS["openai"]?.preferredModels,
			["gpt-6-astra", "gpt-5.4-mini", "gpt-5.4", "gpt-5.4-pro", "o3"],
			"gpt-5.4",
		],
		[
			"what the provider calls by another path",
			PROVIDER_PRESETS["gemini"]?.preferredModels,
			["models/gemini-embedding-001", "models/gemini-3.8-flash", "models/gemini-2.5-flash"],
			"models/gemini-3.8-flash",
		],
		[
			"one of the editor's",
			PREFERRED_EDITOR_MODELS,
			["copilot/gpt-4.1", "copilot/claude-sonnet-4.5", "copilot/o3-mini"],
			"copilot/claude-sonnet-4.5",
		],
		["the first that converses where none is known", [], ["text-embedding-3-small", "tts-1", "gpt-image-1", "house-model"], "house-model"],
		["nothing where none does", [], ["nomic-embed-text:latest", "whisper-1"], undefined],
	];
	for (const [name, patterns, names, expected] of table) {
		it(`is ${name}`, () => assert.equal(pickPreferredModel(names, patterns ?? []), expected));
	}

	it("is none that hears, speaks, draws or judges", () => {
		const others = [
			"gpt-4o-realtime-preview",
			"gpt-4o-audio-preview",
			"dall-e-3",
			"omni-moderation-latest",
			"mistral-ocr-latest",
			"llama-guard-4-12b",
			"veo-3.1",
			"bge-m3",
		];
		assert.deepEqual(others.filter(isChatModelName), []);
		assert.deepEqual(["qwen3-coder:30b", "codestral-latest", "imaginary-7b"].filter(isChatModelName), [
			"qwen3-coder:30b",
			"codestral-latest",
			"imaginary-7b",
		]);
	});
});

describe("the table of models", () => {
	it("knows a model by its name, its dated snapshot and its longer path", () => {
		const sonnet = {
			window: 200_000,
			maxOutput: 64_000,
			price: { input: 3, output: 15, cached: 0.3, written: 3.75 },
			images: true,
			reasoning: true,
		};
		assert.deepEqual(findModelSpecs("anthropic", "claude-sonnet-4-5"), sonnet);
		assert.deepEqual(findModelSpecs("anthropic", "claude-sonnet-4-5-20250929"), sonnet);
		assert.equal(findModelSpecs("gemini", "models/gemini-2.5-pro")?.window, 1_048_576);
		assert.equal(findModelSpecs("openai", "claude-sonnet-4-5"), undefined);
		assert.equal(findModelSpecs("", "gpt-5"), undefined);
	});

	it("prices every model at more than nothing, and reading from a cache below reading", () => {
		for (const provider of Object.keys(PROVIDER_PRESETS)) {
			for (const name of ["gpt-5", "claude-sonnet-5-5", "deepseek-v4-pro", "grok-4.7", "devstral-latest"]) {
				const price = findModelSpecs(provider, name)?.price;
				if (price) assert.ok(price.input > 0 && price.output > price.input && (price.cached ?? 0) < price.input, name);
			}
		}
	});
});

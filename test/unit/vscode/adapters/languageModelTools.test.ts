// Tests which language model tools of other extensions are on: those that the user chose, unchanged since.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { LanguageModelToolInformation, Memento } from "vscode";
import { createLanguageModelTools } from "../../../../src/vscode/adapters/languageModelTools.ts";
import { lm } from "../../../fakes/editorWindow.ts";

interface Manifest {
	contributes: { languageModelTools: { name: string; modelDescription: string; inputSchema: object; tags?: string[] }[] };
}

/** As VS Code lists the tools that an extension contributes. */
function contributedBy(path: string): LanguageModelToolInformation[] {
	const { contributes } = JSON.parse(readFileSync(path, "utf8")) as Manifest;
	return contributes.languageModelTools.map(({ name, modelDescription, inputSchema, tags = [] }) => ({
		...{ name, description: modelDescription, inputSchema, tags },
	}));
}

function create(stored: Record<string, unknown> = {}) {
	const memento: Memento = {
		keys: () => Object.keys(stored),
		get: (key: string) => stored[key] as never,
		async update(key: string, value: unknown) {
			stored[key] = value;
		},
	};
	return createLanguageModelTools(memento) ?? assert.fail("there are no tools");
}

const agent = { agentId: "default", displayName: "A" };

describe("tools of other extensions", () => {
	before(() => {
		lm.tools = [...contributedBy("test/host/tools/package.json"), ...contributedBy("package.json")];
	});
	after(() => {
		lm.tools = [];
	});

	it("are off until chosen; one that is never offered stays off", async () => {
		const tools = create();
		const named = (name: string) => tools.tools("s", agent).find((tool) => tool.name === name) ?? assert.fail(`${name} is off`);
		assert.deepEqual(tools.tools("s", agent), []);
		await tools.setEnabled(["test_weather", "run_in_terminal", "troupe_ask"], ["test_weather"]);
		assert.deepEqual(
			tools.tools("s", agent).map(({ name, plugin, external }) => [name, plugin, external?.readOnly]),
			[["vscode__test_weather", "vscode", true]],
		);
		assert.equal(named("vscode__test_weather"), named("vscode__test_weather"));
		assert.ok(!JSON.stringify(named("vscode__test_weather").parameters).includes("\u202e"));
	});

	it("are off again once their definition or the stored choice is changed", async () => {
		const kept: Record<string, unknown> = {};
		const own = create(kept);
		await own.setEnabled(["test_weather"], []);
		const [key] = Object.keys(kept) as [string];
		const said = kept[key] as Record<string, { hash: string; readOnly: boolean }>;
		kept[key] = { test_weather: { hash: "0".repeat(64), readOnly: true } };
		assert.deepEqual(own.tools("s", agent), []);
		assert.deepEqual(
			own.choices().find(({ name }) => name === "test_weather"),
			{ name: "test_weather", description: "Tells the weather of a town.", enabled: false, readOnly: false, changed: true },
		);
		for (const broken of [{ test_weather: true }, "all", [said], { test_weather: { ...said["test_weather"], readOnly: "yes" } }]) {
			kept[key] = broken;
			assert.deepEqual(own.tools("s", agent), [], JSON.stringify(broken));
		}
	});
});

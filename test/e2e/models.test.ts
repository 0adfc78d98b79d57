// Tests API keys and model selection end to end, and that the key leaks into no file.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ModelServer, startModelServer } from "../fakes/modelServer/server.ts";
import { expect } from "./expect.ts";
import { removeMachineSettings, writeMachineSettings } from "./machineSettings.ts";
import { openWindow, takeScreenshot } from "./testWindow.ts";

const CANARY = "sk-canary-e2e-91c04b7d2f";

/** Every file below the folder, as text, by its path. */
async function everyFile(folder: string): Promise<Map<string, string>> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
	return new Map(await Promise.all(files.map(async (file) => [file, await readFile(file, "latin1").catch(() => "")] as const)));
}

describe("models and keys", () => {
	let server: ModelServer | undefined;
	afterEach(async () => {
		await server?.close();
		server = undefined;
		await removeMachineSettings();
	});

	it("an API key is checked and stored in no file, and models can be chosen", async () => {
		server = await startModelServer({ models: ["large", "small", "text-embedding"], key: CANARY, script: [{ text: "Hello from large." }] });
		const priced = { id: "large", window: 200_000, price: { input: 3, output: 15 } };
		await writeMachineSettings({
			"troupe.providers": { fake: { type: "openai-compatible", baseUrl: server.url, models: [priced, "small"] } },
		});
		const { workbench, chat, page, folder } = await openWindow({ settings: { "troupe.model": "auto" } });
		await workbench.sideBar.open("Troupe");
		await chat.ready();

		await workbench.begin("troupe.setApiKey");
		await workbench.quickInput.choose("fake");
		await workbench.quickInput.answer("wrong");
		const refused = await workbench.notifications.find(/the check failed/);
		await takeScreenshot(page, "keyRefused");
		await refused.getByText("Enter Again").click();
		await workbench.quickInput.answer(CANARY);
		await workbench.notifications.find("The API key for fake works.");
		await page.keyboard.press("Escape");

		await chat.message("Hello");
		await chat.text("Hello from large.").waitFor();
		await chat.text("Using large: fake is running on this machine.").waitFor();
		await takeScreenshot(page, "modelChosen");

		await chat.press(chat.combobox("Model"));
		const row = (text: string | RegExp) => page.locator(".quick-input-list .monaco-list-row").filter({ hasText: text });
		await row(/200k · \$3 in, \$15 out per million tokens/).waitFor();
		await takeScreenshot(page, "selectModel");
		assert.equal(await row("text-embedding").count(), 0);
		await row("small").first().hover();
		await row("small").first().locator(".quick-input-list-entry-action-bar .action-label").first().click();
		await expect(chat.combobox("Model")).toContainText("small");
		await chat.press(chat.combobox("Model"));
		await row("fake is running on this machine.").first().click();
		await expect(chat.combobox("Model")).toContainText("large");

		const kept = await everyFile(dirname(dirname(String(process.env["E2E_SETTINGS"]))));
		const here = await everyFile(folder);
		assert.ok(
			[...kept.values()].some((text) => text.includes("Hello from large.")),
			"what is searched holds the transcript",
		);
		const holding = [...kept, ...here].filter(([, text]) => text.includes(CANARY)).map(([file]) => file);
		assert.deepEqual(holding, [], "the key is in no file: settings, logs, transcripts");
	});
});

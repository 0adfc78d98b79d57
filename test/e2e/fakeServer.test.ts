// Tests the main task on an HTTP model server, and the chat's messages when it fails.

// Covers every provider type, configured as a user would.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { planThenActScript } from "../fakes/modelServer/planThenAct.ts";
import type { Script } from "../fakes/modelServer/script.ts";
import { type ModelServer, type ModelServerOptions, startModelServer } from "../fakes/modelServer/server.ts";
import { expect } from "./expect.ts";
import { removeMachineSettings, writeMachineSettings } from "./machineSettings.ts";
import { openWindow, type TestWindow, takeScreenshot } from "./testWindow.ts";

const request = "Rename formatPrice to formatMoney everywhere";
const changed = [
	"README.md",
	"src/cart.ts",
	"src/inventory.ts",
	"src/invoice.ts",
	"src/money.ts",
	"test/invoice.test.ts",
	"test/money.test.ts",
];

let server: ModelServer | undefined;

/** How a person sets each of them up. */
const ways: Record<string, { model: string; settings(url: string): Record<string, unknown> }> = {
	"an OpenAI-compatible server": {
		model: "fake/fake",
		settings: (baseUrl) => ({ "troupe.providers": { fake: { type: "openai-compatible", baseUrl } } }),
	},
	"OpenAI's Responses API": { model: "fake/fake", settings: (baseUrl) => ({ "troupe.providers": { fake: { type: "openai", baseUrl } } }) },
	"Anthropic's Messages API": {
		model: "fake/fake",
		settings: (baseUrl) => ({ "troupe.providers": { fake: { type: "anthropic", baseUrl } } }),
	},
	"a language model of the editor": {
		model: "vscode/troupe-relay/relay",
		settings: (url) => ({ "troupeRelay.server": url, "chat.disableAIFeatures": false }),
	},
};

interface Options extends Omit<ModelServerOptions, "script"> {
	way?: string;
}

/** A window whose settings name a server that answers by this script. */
async function openOn(
	script: Script,
	{ way = "an OpenAI-compatible server", ...options }: Options = {},
): Promise<TestWindow & { server: ModelServer }> {
	server = await startModelServer({ models: ["fake"], ...options, script });
	const chosen = ways[way] as (typeof ways)[string];
	await writeMachineSettings(chosen.settings(server.url));
	const testWindow = await openWindow({ settings: { "troupe.model": chosen.model } });
	await testWindow.workbench.sideBar.open("Troupe");
	return { ...testWindow, server };
}

async function filesWith(folder: string, word: string): Promise<string[]> {
	const contents = await Promise.all(changed.map((path) => readFile(join(folder, path), "utf8")));
	return changed.filter((_, index) => contents[index]?.includes(word));
}

describe("models from outside Troupe", () => {
	afterEach(async () => {
		await server?.close();
		server = undefined;
		await removeMachineSettings();
	});

	for (const way of Object.keys(ways))
		it(`a plan made through ${way} is executed after approval, and its chat survives a reload`, async () => {
			const { workbench, chat, folder, page, server } = await openOn(planThenActScript("formatPrice", "formatMoney"), { way });
			await chat.message(request);
			await chat.plan("Rename formatPrice to formatMoney").waitUntilSettled();
			assert.equal(await chat.plan().steps().count(), 2);
			assert.deepEqual(await filesWith(folder, "formatPrice"), changed, "a planner changes nothing");

			await chat.plan().execute();
			await chat.role("Actor", { checked: true }).waitFor();
			await chat.approval("Run npm test").waitUntilSettled();
			assert.deepEqual(await filesWith(folder, "formatPrice"), [], "the edits come before the tests");
			assert.equal(await workbench.terminal.shown().count(), 0, "nothing runs unasked");
			await chat.approval("Run npm test").allow();
			await chat.text("I renamed formatPrice to formatMoney in 7 files. The tests pass.").waitFor();
			await chat.waitUntilIdle();
			assert.match(JSON.stringify(server.requests.at(-1)?.messages), /pass 13/, "the model is told that 13 tests pass");
			assert.equal(await workbench.terminal.shown().count(), 0, "what it prints stays in the chat");
			await takeScreenshot(page, "fake-server-done");
			assert.deepEqual(await filesWith(folder, "formatMoney"), changed);

			const spoken = await chat.articles().allTextContents();
			const asked = server.requests.length;
			await workbench.reload();
			await workbench.sideBar.shows("Troupe");
			await chat.text("The tests pass.").waitFor();
			await chat.plan("Rename formatPrice to formatMoney").card.waitFor();
			await chat.toolCall("Ran npm test").first().waitFor();
			await chat.role("Actor", { checked: true }).waitFor();
			// Items out of view are rendered when the page is idle.
			await expect(chat.articles()).toHaveCount(spoken.length);
			assert.deepEqual(await chat.articles().allTextContents(), spoken);
			assert.equal(server.requests.length, asked, "nothing runs again by itself");
		});

	it("a message without an API key is answered after the person sets the key", async () => {
		const { workbench, chat, page } = await openOn([{ text: "Now I can answer." }], { key: "right" });
		await chat.message("Hello");
		await chat.text(/requires an API key, but none is set/).waitFor();
		await takeScreenshot(page, "no-key");
		await chat.press("Set API Key");
		await workbench.quickInput.answer("right");
		await chat.press("Retry");
		await chat.text("Now I can answer.").waitFor();
		await chat.waitUntilIdle();
		assert.equal(await chat.button("Set API Key").count(), 0, "what was settled offers nothing any more");
		assert.equal(await chat.articles("You").count(), 1, "the same question is asked, and stands there once");
		assert.doesNotMatch((await chat.session().textContent()) ?? "", /right/, "the key is nowhere in the conversation");
	});

	it("an answer cut off by the server is kept, and Retry continues it", async () => {
		const { chat, page, server } = await openOn([
			{ text: "The shop sells apples, and these words were said before the connection was cut.", fault: { cut: "text" } },
			{ text: "As I was saying." },
		]);
		await chat.message("What does the shop sell?");
		await chat.text(/was interrupted/).waitFor();
		await chat.text(/^The shop sells apples/).waitFor();
		await takeScreenshot(page, "cut");
		await chat.press("Retry");
		await chat.text("As I was saying.").waitFor();
		const spoken = server.requests.at(-1)?.messages.filter((message) => message.role === "assistant") ?? [];
		assert.match(spoken[0]?.text ?? "", /^The shop sells apples/, "the model gets the words it had said");
	});
});

// Tests the context window end to end: the meter below the composer, and /compact.
import { type ModelServer, startModelServer } from "../fakes/modelServer/server.ts";
import { removeMachineSettings, writeMachineSettings } from "./machineSettings.ts";
import { openWindow, takeScreenshot } from "./testWindow.ts";

let server: ModelServer | undefined;

describe("the context window", () => {
	afterEach(async () => {
		await server?.close();
		server = undefined;
		await removeMachineSettings();
	});

	it("/compact sends the model a summary, and the full conversation can still be opened", async () => {
		server = await startModelServer({
			models: ["fake"],
			script: ({ messages, tools }) => {
				if (tools.length === 0) return { text: "## Goal\nTalk about the cart.", usage: { input: 400, output: 20 } };
				const summed = messages.some(({ text }) => text.includes("What came before, in short"));
				return { text: summed ? "I remember the cart." : "The cart holds items.", usage: { input: 1_500, output: 10 } };
			},
		});
		await writeMachineSettings({ "troupe.providers": { fake: { type: "openai-compatible", baseUrl: server.url } } });
		const { workbench, chat } = await openWindow({ settings: { "troupe.model": "fake/fake" } });
		await workbench.sideBar.open("Troupe");
		await chat.message("What is a cart?");
		await chat.waitUntilIdle();
		await chat.button("Context: 1.5k tokens in context").waitFor();
		await chat.button("1.5k tokens").hover();
		await chat.explanation().getByText("Last turn").waitFor();
		await chat.message("/compact");
		await chat.session().getByText("Earlier conversation summarized.").waitFor();
		await takeScreenshot(workbench.page, "compacted");
		await chat.message("What do you remember?");
		await chat.session().getByText("I remember the cart.").waitFor();
		await chat.press("Open Full Conversation");
		await workbench.page.locator(".monaco-editor .view-lines").getByText("The cart holds items.").first().waitFor();
	});
});

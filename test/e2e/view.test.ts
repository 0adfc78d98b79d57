// The first thing a person sees: the view behind the icon in the activity bar.
import assert from "node:assert/strict";
import { openWindow } from "./testWindow.ts";

describe("the chat view", () => {
	it("the chat opens from the activity bar and keeps text typed while the conversation loads", async () => {
		const { workbench, chat } = await openWindow();
		await workbench.sideBar.pressIcon("Troupe");
		await chat.textbox().fill("Hello");
		await chat.ready();
		assert.equal(await chat.textbox().inputValue(), "Hello");
	});

	it("a new chat starts in the Planner role, which the status bar shows", async () => {
		const { workbench, chat } = await openWindow();
		await workbench.sideBar.open("Troupe");
		await chat.role("Planner", { checked: true }).waitFor();
		await workbench.statusItem("Planner").waitFor();
	});

	it("the tree of agents shows the agent and its session after the first message", async () => {
		const { workbench, chat, tree } = await openWindow();
		await workbench.sideBar.open("Troupe");
		await chat.message("Find discount");
		await chat.waitUntilIdle();
		await tree.item("General Assistant").waitFor();
		await tree.item(/discount/i).waitFor();
	});

	it("the command Troupe: Open Chat opens the chat and focuses the composer", async () => {
		const { workbench, chat } = await openWindow();
		await workbench.quickInput.runFromPalette("Troupe: Open Chat");
		await chat.focused(chat.textbox());
	});
});

// The first thing a person sees: the view behind the icon in the activity bar.
import assert from "node:assert/strict";
import { openWindow } from "./testWindow.ts";

describe("the view", () => {
	it("opens from the activity bar and keeps what is typed while the conversation loads", async () => {
		const { workbench, chat } = await openWindow();
		await workbench.sideBar.pressIcon("Troupe");
		await chat.textbox().fill("Hello");
		await chat.ready();
		assert.equal(await chat.textbox().inputValue(), "Hello");
	});

	it("starts as planner, in the chat and in the status bar", async () => {
		const { workbench, chat } = await openWindow();
		await workbench.sideBar.open("Troupe");
		await chat.role("Planner", { checked: true }).waitFor();
		await workbench.statusItem("Planner").waitFor();
	});

	it("shows the agent and its session in a tree once there is one", async () => {
		const { workbench, chat, tree } = await openWindow();
		await workbench.sideBar.open("Troupe");
		await chat.message("Find discount");
		await chat.waitUntilIdle();
		await tree.item("General Assistant").waitFor();
		await tree.item(/discount/i).waitFor();
	});

	it("opens by its command, too", async () => {
		const { workbench, chat } = await openWindow();
		await workbench.quickInput.runFromPalette("Troupe: Open Chat");
		await chat.focused(chat.textbox());
	});
});

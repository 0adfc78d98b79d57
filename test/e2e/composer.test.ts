// Tests the composer end to end: file mentions, pasted images and slash commands.
import assert from "node:assert/strict";
import { expect } from "./expect.ts";
import { openWindow, takeScreenshot } from "./testWindow.ts";

/** A picture of 8 by 8 pixels, as the clipboard brings it. */
const PASTE = async (box: Element): Promise<void> => {
	const canvas = new OffscreenCanvas(8, 8);
	canvas.getContext("2d")?.fillRect(0, 0, 4, 4);
	const data = new DataTransfer();
	data.items.add(new File([await canvas.convertToBlob()], "Screenshot.png", { type: "image/png" }));
	box.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
};

describe("the composer", () => {
	it("a file chosen at an @ is sent along and opens from the sent message", async () => {
		const { workbench, chat, page } = await openWindow();
		await workbench.sideBar.open("Troupe");
		await chat.ready();
		await chat.textbox().pressSequentially("Explain @cart");
		await chat.option(/^cart\.ts/).waitFor();
		await takeScreenshot(page, "composer-mention");
		await chat.textbox().press("Enter");
		assert.match(await chat.textbox().inputValue(), /^Explain @src\/cart\.ts $/);
		await chat.textbox().press("Enter");
		await chat.press("src/cart.ts");
		await workbench.editors.tab("cart.ts").waitFor();
	});

	it("a pasted image is shown in the conversation and opens in the editor", async () => {
		const { workbench, chat, page } = await openWindow();
		await workbench.sideBar.open("Troupe");
		await chat.ready();
		await chat.textbox().evaluate(PASTE);
		await chat.button("Remove Screenshot.png").waitFor();
		await chat.message("What is this?");
		await chat.waitUntilIdle();
		await chat.press("Image");
		await workbench.editors.tab("Image.png").waitFor();
		await page.frameLocator("iframe.webview:not([src*='troupe'])").frameLocator("#active-frame").locator("img").first().waitFor();
		await takeScreenshot(page, "composer-picture");
	});

	it("/help lists what can be typed, and an unknown command stays in the composer", async () => {
		const { workbench, chat } = await openWindow();
		await workbench.sideBar.open("Troupe");
		await chat.message("/help");
		await chat.session().getByText("At the start of a message:").waitFor();
		await chat.message("/frobnicate it");
		await expect(chat.textbox()).toHaveValue("/frobnicate it");
	});
});

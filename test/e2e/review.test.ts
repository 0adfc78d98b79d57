// Tests reviewing a turn's changes in Source Control, the editor and the chat, and undoing them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "./expect.ts";
import { openWindow, type TestWindow, takeScreenshot, takeScreenshots } from "./testWindow.ts";

/** A plan was carried out up to its tests, which are denied. */
async function renamed(): Promise<TestWindow> {
	const testWindow = await openWindow({ width: 1400, height: 900 });
	const { chat, workbench } = testWindow;
	await workbench.editors.open("src/cart.ts");
	await workbench.sideBar.open("Troupe");
	await workbench.sideBar.widen(400);
	await chat.message("Rename formatPrice to formatMoney everywhere");
	await chat.plan().waitUntilSettled();
	await chat.plan().execute();
	await chat.approval("Run npm test").waitUntilSettled();
	await chat.approval("Run npm test").deny();
	await chat.waitUntilIdle();
	await chat.toolCall(/^Changed \d+ files$/).waitFor();
	return testWindow;
}

describe("changes of a turn", () => {
	it("a turn's changes are listed in Source Control and can be undone all at once", async () => {
		const testWindow = await renamed();
		const { page, workbench, folder } = testWindow;
		await takeScreenshot(page, "review-chat");
		await workbench.sideBar.pressIcon("Source Control");
		const scm = page.locator(".scm-view");
		const entry = scm
			.locator(".monaco-list-row")
			.filter({ hasText: "inventory.ts" })
			.filter({ has: page.locator(".resource") })
			.first();
		await entry.waitFor();
		await entry.hover();
		await takeScreenshot(page, "review-scm-dark");
		await workbench.editors.open("src/cart.ts");
		await workbench.run("editor.action.dirtydiff.next");
		await page.locator(".peekview-widget").first().waitFor();
		await takeScreenshots(testWindow, "review-peek");
		await workbench.run("troupe.reviewChanges");
		await workbench.editors.tab(/Changes by Troupe/).waitFor();
		await page.locator(".multiDiffEntry .view-line").first().waitFor();
		await takeScreenshot(page, "review-all-dark-modern");
		await workbench.begin("troupe.undoAllChanges");
		const dialog = workbench.dialogs.asking(/Undo the changes to/);
		await dialog.waitFor();
		await takeScreenshot(page, "review-undo-all");
		await dialog.getByRole("button", { name: "Undo All" }).click();
		await expect.poll(() => readFile(join(folder, "src/money.ts"), "utf8")).toContain("function formatPrice");
	});

	it("Undo to Here restores the files from before a message, and messages can be edited", async () => {
		const testWindow = await renamed();
		const { page, workbench, folder, chat } = testWindow;
		const bubble = chat.articles("You").first();
		await takeScreenshots(testWindow, "actions", () => bubble.hover());
		await chat.scrollToStart();
		await bubble.hover();
		await chat.press(bubble.getByRole("button", { name: "Undo to Here" }));
		const dialog = workbench.dialogs.asking(/Restore to the point before/);
		await dialog.waitFor();
		await takeScreenshot(page, "rewind-dialog");
		await dialog.getByRole("button", { name: "Restore Files", exact: true }).click();
		await chat.text(/^Restored \d+ files to their state before/).waitFor();
		assert.match(await readFile(join(folder, "src/money.ts"), "utf8"), /formatPrice/);
		await takeScreenshot(page, "rewind-restored");
		await chat.message("Explain src/cart.ts");
		await chat.waitUntilIdle();
		const last = chat.articles("You").filter({ hasText: "Explain src/cart.ts" });
		await last.hover();
		await chat.press(last.getByRole("button", { name: "Edit" }));
		await chat.editBox().fill("Explain src/money.ts");
		await takeScreenshot(page, "edit-message");
		await chat.editBox().press("Enter");
		await chat.editBox().waitFor({ state: "detached" });
		await chat.articles("You").filter({ hasText: "Explain src/money.ts" }).waitFor();
		await chat.waitUntilIdle();
		assert.equal(await last.count(), 0);
	});
});

// Tests reviewing a turn's changes in Source Control, the editor and the chat, and undoing them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openShop, picture, type Stage, until } from "./stage.ts";
import type { Theme } from "./workbench.ts";

const THEMES: Theme[] = ["Light Modern", "Dark High Contrast", "Dark Modern"];

/** A plan was carried out up to its tests, which are denied. */
async function renamed(): Promise<Stage> {
	const stage = await openShop({ width: 1400, height: 900 });
	const { chat, workbench } = stage;
	await workbench.openFile("src/cart.ts");
	await workbench.openView("Troupe");
	await workbench.widenSideBar(400);
	await chat.message("Rename formatPrice to formatMoney everywhere");
	await chat.plan().settled();
	await chat.plan().execute();
	await chat.approval("Run npm test").settled();
	await chat.approval("Run npm test").deny();
	await chat.idle();
	await chat.toolCall(/^Changed \d+ files$/).waitFor();
	return stage;
}

describe("what a turn changed", () => {
	it("stands in Source Control, beside the lines and in one editor, and is undone all at once", async () => {
		const { page, workbench, folder } = await renamed();
		await picture(page, "review-chat");
		// Its tab carries the number of changes in its name.
		await page
			.locator(".activitybar")
			.getByRole("tab", { name: /^Source Control/ })
			.click();
		const scm = page.locator(".scm-view");
		const entry = scm
			.locator(".monaco-list-row")
			.filter({ hasText: "inventory.ts" })
			.filter({ has: page.locator(".resource") })
			.first();
		await entry.waitFor();
		await entry.hover();
		await picture(page, "review-scm-dark");
		await workbench.openFile("src/cart.ts");
		await workbench.command("Show Next Change");
		await page.locator(".peekview-widget").first().waitFor();
		for (const theme of THEMES) {
			await workbench.theme(theme);
			await picture(page, `review-peek-${theme.replaceAll(" ", "-").toLowerCase()}`);
		}
		await workbench.command("Troupe: Review Changes");
		await page
			.locator(".editor-group-container")
			.getByRole("tab", { name: /Changes by Troupe/ })
			.waitFor();
		await page.locator(".multiDiffEntry .view-line").first().waitFor();
		await picture(page, "review-all-dark-modern");
		await workbench.command("Troupe: Undo All Changes");
		const dialog = workbench.dialog(/Undo the changes to/);
		await dialog.waitFor();
		await picture(page, "review-undo-all");
		await dialog.getByRole("button", { name: "Undo All" }).click();
		await until("the file is as it was", async () =>
			(await readFile(join(folder, "src/money.ts"), "utf8")).includes("function formatPrice"),
		);
	});

	it("is restored from the message that asked for it, and the answer can be had again", async () => {
		const { page, workbench, folder, chat } = await renamed();
		const bubble = chat.articles("You").first();
		await bubble.hover();
		for (const theme of THEMES) {
			await workbench.theme(theme);
			await bubble.hover();
			await picture(page, `actions-${theme.replaceAll(" ", "-").toLowerCase()}`);
		}
		await chat.scrollToStart();
		await bubble.hover();
		await bubble.getByRole("button", { name: "Undo to Here" }).click();
		const dialog = workbench.dialog(/Restore to the point before/);
		await dialog.waitFor();
		await picture(page, "rewind-dialog");
		await dialog.getByRole("button", { name: "Restore Files", exact: true }).click();
		await chat.text(/^Restored \d+ files to their state before/).waitFor();
		assert.match(await readFile(join(folder, "src/money.ts"), "utf8"), /formatPrice/);
		await picture(page, "rewind-restored");
		await chat.message("Explain src/cart.ts");
		await chat.idle();
		const last = chat.articles("You").filter({ hasText: "Explain src/cart.ts" });
		await last.hover();
		await last.getByRole("button", { name: "Edit" }).click();
		await chat.editBox().fill("Explain src/money.ts");
		await picture(page, "edit-message");
		await chat.editBox().press("Enter");
		await chat.editBox().waitFor({ state: "detached" });
		await chat.articles("You").filter({ hasText: "Explain src/money.ts" }).waitFor();
		await chat.idle();
		assert.equal(await last.count(), 0);
	});
});

// Tests notes, lists and views end to end: the sidebar view, editors and saving to the workspace.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expect } from "./expect.ts";
import { openWindow, type TestWindow, takeScreenshot } from "./testWindow.ts";

/** The view below the agents; it is closed until somebody opens it. */
async function openArtifacts({ page, workbench }: TestWindow): Promise<void> {
	await workbench.sideBar.open("Troupe");
	const header = page.getByRole("button", { name: "Artifacts Section" });
	if ((await header.getAttribute("aria-expanded")) !== "true") await header.click();
}

function row({ page }: TestWindow, label: string | RegExp): Locator {
	return page.getByRole("tree", { name: "Artifacts" }).getByRole("treeitem", { name: label });
}

async function pressOn(testWindow: TestWindow, label: string | RegExp, action: string): Promise<void> {
	await row(testWindow, label).first().hover();
	await row(testWindow, label).first().getByRole("button", { name: action }).click();
}

describe("notes, lists and views", function () {
	this.timeout(240_000);

	it("a note can be created, renamed and restored from the trash, and survives a reload", async () => {
		const testWindow = await openWindow();
		const { page, workbench } = testWindow;
		await openArtifacts(testWindow);
		await page.getByRole("button", { name: "New Note", exact: true }).last().click();
		await workbench.quickInput.answer("Release ideas");
		await workbench.editors.tab("Release ideas").waitFor();
		await workbench.editors.typeAtEnd("# Soon");
		await workbench.editors.save();
		await row(testWindow, "Notes, 1").waitFor();
		await pressOn(testWindow, /^Release ideas/, "Rename");
		await workbench.quickInput.answer("Release plan");
		await workbench.editors.tab("Release plan").waitFor();
		await row(testWindow, /^Release plan, now/).waitFor();
		assert.match(await workbench.editors.text(), /# Soon/);
		await expect.poll(() => workbench.editors.isKept("Release%20plan.md"), { message: "the editor's tabs are kept" }).toBe(true);
		await workbench.reload();
		await workbench.editors.tab("Release plan").waitFor();
		await workbench.editors.line("# Soon").waitFor();
		await openArtifacts(testWindow);
		await pressOn(testWindow, /^Release plan/, "Delete");
		await workbench.editors.tab("Release plan").waitFor({ state: "detached" });
		await row(testWindow, /^Release plan/).waitFor({ state: "detached" });
		await workbench.notifications.press("was moved to the trash", "Undo");
		await row(testWindow, /^Release plan/).waitFor();
	});

	it("a view shows matching list items, and a list can be saved to the workspace", async () => {
		const testWindow = await openWindow();
		const { page, folder, workbench } = testWindow;
		await openArtifacts(testWindow);
		await workbench.begin("troupe.newList");
		await workbench.quickInput.answer("Launch");
		await workbench.editors.tab("Launch").waitFor();
		await workbench.editors.typeAtEnd("Write the notes #docs\nTag the version\n");
		await workbench.editors.save();
		await row(testWindow, /^Launch, 0 of 2 done/).waitFor();
		await workbench.begin("troupe.newView");
		await workbench.quickInput.answer("To document");
		await workbench.quickInput.answer("tag:docs done:false", "Filter by text or keys");
		await workbench.editors.tab("To document").waitFor();
		await workbench.editors.line("- [ ] Write the notes #docs").waitFor();
		await row(testWindow, /^To document/).waitFor();
		await takeScreenshot(page, "artifacts");
		await row(testWindow, /^Launch/).click();
		await workbench.editors.tab("Launch").waitFor();
		// What the editor calls Save As knows only where notes are kept: its key saves to the workspace, with what is not saved yet.
		await workbench.editors.typeAtEnd("Announce it");
		await page.keyboard.press("Control+Shift+S");
		await workbench.quickInput.accept("Save to Workspace");
		const saved = () => readFile(join(folder, "Launch.md"), "utf8").catch(String);
		await expect.poll(saved, { message: "the list is a file of the workspace" }).toMatch(/Write the notes #docs(.|\n)*Announce it/);
	});
});

// Tests notes, lists and views end to end: the sidebar view, editors and saving to the workspace.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { openShop, picture, type Stage, until } from "./stage.ts";

/** The view below the agents; it is closed until somebody opens it. */
async function openArtifacts({ page, workbench }: Stage): Promise<void> {
	await workbench.openView("Troupe");
	const header = page.getByRole("button", { name: "Artifacts Section" });
	if ((await header.getAttribute("aria-expanded")) !== "true") await header.click();
}

function row({ page }: Stage, label: string | RegExp): Locator {
	return page.getByRole("tree", { name: "Artifacts" }).getByRole("treeitem", { name: label });
}

async function pressOn(stage: Stage, label: string | RegExp, action: string): Promise<void> {
	await row(stage, label).first().hover();
	await row(stage, label).first().getByRole("button", { name: action }).click();
}

describe("notes, lists and views", function () {
	this.timeout(240_000);

	it("begin from an empty view, are typed and saved in an editor, renamed, deleted and brought back, and survive a reload", async () => {
		const stage = await openShop();
		const { page, workbench } = stage;
		await openArtifacts(stage);
		await page.getByRole("button", { name: "New Note", exact: true }).last().click();
		await workbench.answerInput("Release ideas");
		await workbench.editorTab("Release ideas").waitFor();
		await workbench.typeAtEnd("# Soon");
		await workbench.save();
		await row(stage, "Notes, 1").waitFor();
		await pressOn(stage, /^Release ideas/, "Rename");
		await workbench.answerInput("Release plan");
		await workbench.editorTab("Release plan").waitFor();
		await row(stage, /^Release plan, now/).waitFor();
		assert.match(await workbench.editorText(), /# Soon/);
		await until("the editor's tabs are kept", () => workbench.keepsTab("Release%20plan.md"));
		await workbench.reload();
		await workbench.editorTab("Release plan").waitFor();
		await until("the note is shown again", async () => /# Soon/.test(await workbench.editorText()));
		await openArtifacts(stage);
		await pressOn(stage, /^Release plan/, "Delete");
		await workbench.editorTab("Release plan").waitFor({ state: "detached" });
		await row(stage, /^Release plan/).waitFor({ state: "detached" });
		await workbench.notification("was moved to the trash").getByRole("button", { name: "Undo" }).click();
		await row(stage, /^Release plan/).waitFor();
	});

	it("count what is ticked, show what a view finds, and are saved into the workspace", async () => {
		const stage = await openShop();
		const { page, folder, workbench } = stage;
		await openArtifacts(stage);
		await workbench.command("Troupe: New List…");
		await workbench.answerInput("Launch");
		await workbench.editorTab("Launch").waitFor();
		await workbench.typeAtEnd("Write the notes #docs\nTag the version\n");
		await workbench.save();
		await row(stage, /^Launch, 0 of 2 done/).waitFor();
		await workbench.command("Troupe: New View…");
		await workbench.answerInput("To document");
		await page.locator(".quick-input-widget").getByText("Filter by text or keys").waitFor();
		await workbench.answerInput("tag:docs done:false");
		await workbench.editorTab("To document").waitFor();
		await until("the view finds the item", async () => /- \[ \] Write the notes #docs/.test(await workbench.editorText()));
		await row(stage, /^To document/).waitFor();
		await picture(page, "artifacts");
		await row(stage, /^Launch/).click();
		await workbench.editorTab("Launch").waitFor();
		// What the editor calls Save As knows only where notes are kept: its key saves to the workspace, with what is not saved yet.
		await workbench.typeAtEnd("Announce it");
		await page.keyboard.press("Control+Shift+S");
		await page.locator(".quick-input-titlebar").filter({ hasText: "Save to Workspace" }).waitFor();
		await page.locator(".quick-input-widget input").first().press("Enter");
		const saved = () => readFile(join(folder, "Launch.md"), "utf8");
		await until("the list is a file of the workspace", async () => /Write the notes #docs(.|\n)*Announce it/.test(await saved()));
	});
});

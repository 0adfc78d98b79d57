// Tests reviewing what a task changed in its copy, taking it by part, by file and all, and undoing that.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "./expect.ts";
import { updating } from "./taskModel.ts";
import { useTaskWindows } from "./taskWindows.ts";
import { takeScreenshot, takeScreenshots } from "./testWindow.ts";

const NAME = "Tidy up the prices";
const EDITS = [
	["src/money.ts", "/** Writes an amount of cents for people", "/** Formats an amount of cents for people"],
	["src/money.ts", "/** A share of an amount", "/** A part of an amount"],
	["src/invoice.ts", "const width = 40;", "const width = 60;"],
	["src/cart.ts", "/** In cents. */", "/** In whole cents. */"],
	["src/inventory.ts", "/** Pieces in stock, by SKU. */", "/** Pieces that are left, by SKU. */"],
	["README.md", "Run the tests with", "Test it with"],
] as const;
const OWN_LINE = "// The person was here.\n";

describe("changes of a background task", function () {
	this.timeout(300_000);
	const { open, closed } = useTaskWindows();

	it("a background task's changes can be reviewed, taken part by part, merged and undone", async () => {
		const last = closed({ text: "The prices are tidy." });
		const calls = EDITS.map(([path, old, replacement]) => updating(path, old, replacement));
		const answers = [{ text: "I edit five files.", calls }, last.answer];
		const testWindow = await open([{ name: NAME, input: "Give the prices better names.", answers }]);
		const { chat, workbench, page, folder } = testWindow;
		const contentOf = (path: string) => readFile(join(folder, path), "utf8");
		const task = chat.task(NAME);
		await chat.message(`${NAME}, in the background`);
		await task.card.getByText("I edit five files.").waitFor();
		await writeFile(join(folder, "src/inventory.ts"), `${OWN_LINE}${await contentOf("src/inventory.ts")}`);
		const original = new Map<string, string>();
		for (const [path] of EDITS) original.set(path, await contentOf(path));
		last.gate.open();
		await task.is("Completed");
		await chat.text(`I heard that “${NAME}” is done.`).waitFor();
		await chat.waitUntilIdle();

		await task.card.getByText("5 files changed").waitFor();
		for (const [path, content] of original) assert.equal(await contentOf(path), content, `${path} is left alone`);
		await task.card.scrollIntoViewIfNeeded();
		await takeScreenshot(page, "task-changes-folded");
		await task.press(`Review Changes of ${NAME}`);
		await task.press("Edited: src/money.ts");
		await takeScreenshots(testWindow, "task-changes", () => task.part("Take Part 1 of src/money.ts").scrollIntoViewIfNeeded());

		await task.press("Open Changes of src/money.ts");
		await workbench.editors.tab("src/money.ts").waitFor();
		await page.locator(".monaco-diff-editor .view-line").getByText("Formats").first().waitFor();
		await takeScreenshots(testWindow, "task-diff");

		await task.press("Take Part 1 of src/money.ts");
		await expect.poll(() => contentOf("src/money.ts"), { message: "the first part is taken" }).toMatch(/Formats an amount/);
		assert.match(await contentOf("src/money.ts"), /A share of an amount/, "the second part is not");
		await task.press("Take src/invoice.ts");
		await expect.poll(() => contentOf("src/invoice.ts"), { message: "the file is taken" }).toMatch(/const width = 60/);
		await task.part("Take src/invoice.ts").waitFor({ state: "detached" });

		await task.press("Merge src/inventory.ts");
		await page.locator(".merge-editor .view-line").getByText("The person was here").first().waitFor();
		await takeScreenshots(testWindow, "task-merge");
		await task.press(`Take All Changes of ${NAME}`);
		await expect.poll(() => contentOf("src/money.ts"), { message: "the rest is taken" }).toMatch(/A part of an amount/);
		await expect.poll(() => contentOf("README.md"), { message: "all of it" }).toMatch(/Test it with/);
		assert.match(await contentOf("src/cart.ts"), /In whole cents/);
		assert.equal(await contentOf("src/inventory.ts"), original.get("src/inventory.ts"), "what the person changed is left alone");
		await task.part("Merge src/inventory.ts").waitFor();
		await takeScreenshots(testWindow, "task-changes-taken", () => task.card.scrollIntoViewIfNeeded());

		await workbench.begin("troupe.undoAllChanges");
		await workbench.dialogs
			.asking(/Undo the changes to/)
			.getByRole("button", { name: "Undo All" })
			.click();
		for (const [path, content] of original) await expect.poll(() => contentOf(path), { message: `${path} is as it was` }).toBe(content);
	});
});

// Tests a rename end to end: plan, approval, edits, test run and the result after a reload.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "./expect.ts";
import { openWindow, type TestWindow, takeScreenshot, takeScreenshots } from "./testWindow.ts";

const request = "Rename formatPrice to formatMoney everywhere";
const files = [
	"README.md",
	"src/cart.ts",
	"src/inventory.ts",
	"src/invoice.ts",
	"src/money.ts",
	"test/invoice.test.ts",
	"test/money.test.ts",
];

async function filesWith(folder: string, word: string): Promise<string[]> {
	const contents = await Promise.all(files.map((path) => readFile(join(folder, path), "utf8")));
	return files.filter((_, index) => contents[index]?.includes(word));
}

async function askForPlan({ workbench, chat }: TestWindow): Promise<void> {
	await workbench.editors.open("src/money.ts");
	await workbench.sideBar.open("Troupe");
	await workbench.sideBar.widen(400);
	await chat.message(request);
	await chat
		.toolCall(/Searched|Read/)
		.first()
		.waitFor();
	await chat.plan().waitUntilSettled();
}

async function executeIt({ workbench, chat }: TestWindow): Promise<void> {
	await chat.plan().execute();
	await chat.role("Actor", { checked: true }).waitFor();
	await workbench.statusItem("Actor").waitFor();
	await chat.approval("Run npm test").waitUntilSettled();
}

async function finishIt({ workbench, chat }: TestWindow): Promise<void> {
	await chat.approval("Run npm test").allow();
	await chat.waitUntilIdle();
	assert.equal(await workbench.terminal.shown().count(), 0, "output stays in the chat");
	const ran = chat.toolCall("Ran npm test").first();
	await chat.press(ran.getByRole("button").first());
	await ran.getByText(/pass 13/).waitFor();
	await chat.press(ran.getByRole("button", { name: "Show Terminal", exact: true }));
	await expect.poll(() => workbench.terminal.text()).toMatch(/pass 13/);
}

describe("a rename through plan and approval", () => {
	it("a planned rename changes nothing before Execute, runs real tests, and survives a reload", async function () {
		this.timeout(480_000);
		const testWindow = await openWindow({ width: 1360, height: 980 });
		const { workbench, chat, folder, page } = testWindow;

		await askForPlan(testWindow);
		assert.ok((await chat.plan().steps().count()) > 0, "the plan has steps");
		assert.deepEqual(await filesWith(folder, "formatPrice"), files, "a planner changes nothing");
		await chat.role("Planner", { checked: true }).waitFor();
		await takeScreenshots(testWindow, "plan");

		await executeIt(testWindow);
		await takeScreenshots(testWindow, "approval");
		await finishIt(testWindow);
		await takeScreenshot(page, "done");
		assert.deepEqual(await filesWith(folder, "formatPrice"), []);
		assert.deepEqual(await filesWith(folder, "formatMoney"), files);
		assert.match((await chat.articles().last().textContent()) ?? "", /\w/, "a summary closes the turn");

		assert.match(await workbench.editors.text(), /function formatMoney/);
		await workbench.editors.undo();
		await workbench.editors.line("function formatPrice").waitFor();

		const spoken = await chat.articles().count();
		await workbench.reload();
		await workbench.sideBar.shows("Troupe");
		await chat.role("Actor", { checked: true }).waitFor();
		await chat.toolCall("Ran npm test").first().waitFor();
		await expect(chat.articles()).toHaveCount(spoken);
		await takeScreenshots(testWindow, "reloaded");
		await chat.scrollToStart();
		await chat.text(request).waitFor();
		await chat.plan().card.waitFor();
	});

	it("a denied test run starts nothing, and the conversation shows the person's reason", async () => {
		const testWindow = await openWindow();
		await askForPlan(testWindow);
		await executeIt(testWindow);
		await testWindow.chat.approval("Run npm test").deny("The tests are slow today");
		await testWindow.chat
			.text(/The tests are slow today/)
			.first()
			.waitFor();
		await testWindow.chat.waitUntilIdle();
		assert.equal(await testWindow.workbench.terminal.shown().count(), 0, "nothing ran");
	});

	it("a rename can be requested, executed and approved by keyboard alone", async () => {
		const { workbench, chat, page, folder } = await openWindow();
		await workbench.run("troupe.open");
		await chat.ready();
		await chat.focused(chat.textbox());
		await page.keyboard.type("See @money");
		await chat.option(/^money\.test\.ts/).waitFor();
		while (!(await chat.option(/^money\.ts/).getAttribute("aria-selected"))?.includes("true")) await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Enter");
		await page.keyboard.type(`and ${request[0]?.toLowerCase()}${request.slice(1)}`);
		assert.equal(await chat.textbox().inputValue(), "See @src/money.ts and rename formatPrice to formatMoney everywhere");
		await page.keyboard.press("Enter");
		await chat.button("src/money.ts").waitFor();
		await chat.plan().card.waitFor();
		await chat
			.status()
			.filter({ hasText: /Plan: .*, \d steps/ })
			.waitFor({ state: "attached" });
		await chat.tabTo(chat.plan().executeButton());
		await expect(chat.plan().executeButton()).toBeEnabled();
		await page.keyboard.press("Enter");
		const allow = chat.approval("Run npm test").allowButton();
		await allow.waitFor();
		await chat.tabTo(allow);
		await expect(allow).toBeEnabled();
		await page.keyboard.press("Enter");
		await chat.toolCall("Ran npm test").first().waitFor({ timeout: 60_000 });
		await chat.waitUntilIdle();
		assert.deepEqual(await filesWith(folder, "formatPrice"), []);
	});
});

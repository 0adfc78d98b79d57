// Tests the editor integrations end to end: code actions, menus, the badge, the walkthrough and the empty chat.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Script } from "../fakes/modelServer/script.ts";
import { type ModelServer, startModelServer } from "../fakes/modelServer/server.ts";
import { Chat } from "./chat.ts";
import { expect } from "./expect.ts";
import { removeMachineSettings, writeMachineSettings } from "./machineSettings.ts";
import { openWindow, type TestWindow, takeScreenshot } from "./testWindow.ts";

let server: ModelServer | undefined;

async function openOn(script: Script, settings: Record<string, unknown> = {}): Promise<TestWindow> {
	server = await startModelServer({ models: ["fake"], script });
	await writeMachineSettings({ "troupe.providers": { fake: { type: "openai-compatible", baseUrl: server.url } } });
	return openWindow({ settings: { "troupe.model": "fake/fake", ...settings } });
}

/** A view that shows again has an address without its purpose, as an editor tab has. */
const shownAgain = (page: Page): Chat => new Chat(page, "editor");

/** Resolves when the walkthrough shows that image, whole. */
async function imageShown(page: Page, file: string): Promise<void> {
	await page.waitForFunction((name) => {
		const images = [...document.querySelectorAll<HTMLImageElement>(".getting-started-media img")];
		return images.some(({ currentSrc, complete, naturalWidth }) => currentSrc.includes(name) && complete && naturalWidth > 0);
	}, file);
}

describe("ways from the editor into chat", () => {
	afterEach(async () => {
		await server?.close();
		server = undefined;
		await removeMachineSettings();
	});

	it("Fix with Troupe in a problem's light bulb opens the chat with the problem", async () => {
		const { workbench, chat, page } = await openOn([{ text: "Then do this." }], { "files.associations": {} });
		await workbench.editors.open("src/money.ts");
		await workbench.editors.typeAtEnd("\nconst wrong: number = missing;");
		await page.locator(".squiggly-error").first().waitFor();
		await page.keyboard.press("Home");
		for (let presses = 0; presses < 24; presses += 1) await page.keyboard.press("ArrowRight");
		await page.keyboard.press("ControlOrMeta+.");
		const fix = page.locator(".action-widget .action-item, .action-widget .monaco-list-row").filter({ hasText: "Fix with Troupe" });
		await fix.waitFor();
		await takeScreenshot(page, "codeActions");
		await fix.click();
		await chat.text(/Cannot find name 'missing'/).waitFor();
		await chat.text("Then do this.").waitFor();
		assert.match(server?.requests[0]?.messages.at(-1)?.text ?? "", /Cannot find name 'missing'/);
		await takeScreenshot(page, "fixInChat");
	});

	it("a selection, an Explorer file and a terminal can be added to a draft", async () => {
		const { workbench, chat, page } = await openWindow();
		await workbench.editors.open("src/money.ts");
		await page.keyboard.press("ControlOrMeta+Home");
		await page.keyboard.press("Shift+ArrowDown");
		await page.keyboard.press("Shift+ArrowDown");
		await page.keyboard.press("ControlOrMeta+K");
		await page.keyboard.press("ControlOrMeta+A");
		await expect(chat.textbox()).toHaveValue(/@src\/money\.ts:1-2/);
		await chat.focused(chat.textbox());
		await workbench.sideBar.open("Explorer");
		await page.locator(".explorer-folders-view .monaco-list-row").filter({ hasText: "README.md" }).click({ button: "right" });
		const entry = page.locator(".context-view, .monaco-menu-container").getByRole("menuitem", { name: "Add to Troupe Chat" });
		await entry.waitFor();
		await takeScreenshot(page, "explorerMenu");
		await entry.click();
		const again = shownAgain(page);
		await expect(again.textbox()).toHaveValue(/@README\.md/);
		await workbench.run("workbench.action.terminal.new");
		await workbench.terminal.shown().first().waitFor();
		await workbench.run("troupe.addTerminal");
		await expect(again.textbox()).toHaveValue(/@terminal/);
		assert.match(await again.textbox().inputValue(), /@src\/money\.ts:1-2[\s\S]*@README\.md/);
		await takeScreenshot(page, "addedToChat");
	});

	it("a hidden chat's approval shows on the icon and in a notification that opens it", async () => {
		let goOn = (): void => undefined;
		const left = new Promise<void>((resolve) => {
			goOn = resolve;
		});
		const { workbench, chat, page } = await openOn(async ({ number }) => {
			if (number > 0) return { text: "Done." };
			await left;
			return { calls: [{ name: "execute_command", input: { command: "mkdir -p hello" } }] };
		});
		await workbench.sideBar.open("Troupe");
		await chat.ready();
		await chat.press(chat.role("Actor"));
		await chat.message("Say hello");
		await chat.button("Stop").waitFor();
		await workbench.sideBar.open("Explorer");
		goOn();
		const toast = await workbench.notifications.find(/Troupe needs your approval: .*mkdir -p hello/);
		const badge = page.locator(".activitybar").getByRole("tab", { name: /^Troupe.* 1 approval or question pending/ });
		await badge.waitFor();
		await takeScreenshot(page, "approvalOutOfSight");
		await toast.getByRole("button", { name: "Show" }).click();
		const again = shownAgain(page);
		await again.approval(/mkdir -p hello/).waitUntilSettled();
		await again.approval(/mkdir -p hello/).allow();
		await again.text("Done.").waitFor();
		await badge.waitFor({ state: "detached" });
	});

	it("the commit message button in Source Control says that the offline model can't write one", async () => {
		const { workbench, page } = await openWindow();
		await workbench.editors.open("src/money.ts");
		await workbench.editors.typeAtEnd("\n// more\n");
		await workbench.editors.save();
		await workbench.sideBar.open("Source Control");
		const button = page.locator(".sidebar").getByRole("button", { name: "Generate Commit Message with Troupe" }).first();
		// A header that is drawn again loses the pointer.
		await expect(async () => {
			await page.locator(".sidebar .pane-header, .sidebar .scm-provider").first().hover();
			await expect(button).toBeVisible({ timeout: 1_000 });
		}).toPass({ timeout: 60_000 });
		await takeScreenshot(page, "sourceControl");
		await button.click();
		await workbench.notifications.find(/The offline model can't write commit messages/);
		await takeScreenshot(page, "commitOffline");
	});

	it("the walkthrough shows a picture for each step", async () => {
		const { workbench, page } = await openWindow({ width: 1400, height: 900 });
		await workbench.run("troupe.openWalkthrough");
		const steps = {
			open: "Open the chat",
			model: "Select a model",
			plan: "Ask for a plan",
			execute: "Review the plan and execute it",
			permissions: "Choose what needs your approval",
			yours: "Make it yours",
		};
		for (const [index, [id, title]] of Object.entries(steps).entries()) {
			await page.locator(".getting-started-step").filter({ hasText: title }).locator(".step-title").first().click();
			await imageShown(page, `${id}-dark.webp`);
			await takeScreenshot(page, `walkthrough${index + 1}`);
		}
		await workbench.theme("Light Modern");
		await imageShown(page, "yours-light.webp");
		await takeScreenshot(page, "walkthroughLight");
	});

	it("an empty chat suggests planning the missing tests", async () => {
		const { workbench, chat, page } = await openOn([]);
		await workbench.sideBar.open("Troupe");
		await chat.ready();
		await chat.button("Plan the missing tests for @src/inventory.ts").waitFor();
		await takeScreenshot(page, "empty");
	});
});

// Tests the editor integrations end to end: code actions, menus, the badge, the walkthrough and the empty chat.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Script } from "../fakes/modelServer/script.ts";
import { type ModelServer, startModelServer } from "../fakes/modelServer/server.ts";
import { Chat } from "./chat.ts";
import { removeMachineSettings, writeMachineSettings } from "./machineSettings.ts";
import { openShop, picture, type Stage, until } from "./stage.ts";

let server: ModelServer | undefined;

async function openOn(script: Script): Promise<Stage> {
	server = await startModelServer({ models: ["fake"], script });
	await writeMachineSettings({ "troupe.providers": { fake: { type: "openai-compatible", baseUrl: server.url } } });
	return openShop({ settings: { "troupe.model": "fake/fake" } });
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

describe("the ways into the chat from the editor", () => {
	afterEach(async () => {
		await server?.close();
		server = undefined;
		await removeMachineSettings();
	});

	it("a problem's light bulb offers to fix it, and the chat opens with it", async () => {
		const { workbench, chat, page } = await openOn([{ text: "Then do this." }]);
		await workbench.openFile("src/money.ts");
		await workbench.typeAtEnd("\nconst wrong: number = missing;");
		await page.locator(".squiggly-error").first().waitFor();
		await page.keyboard.press("Home");
		for (let presses = 0; presses < 24; presses += 1) await page.keyboard.press("ArrowRight");
		await page.keyboard.press("ControlOrMeta+.");
		const fix = page.locator(".action-widget .action-item, .action-widget .monaco-list-row").filter({ hasText: "Fix with Troupe" });
		await fix.waitFor();
		await picture(page, "codeActions");
		await fix.click();
		await chat.text(/Cannot find name 'missing'/).waitFor();
		await chat.text("Then do this.").waitFor();
		assert.match(server?.requests[0]?.messages.at(-1)?.text ?? "", /Cannot find name 'missing'/);
		await picture(page, "fixInChat");
	});

	it("a selection, a file of the explorer and a terminal are added to the message that is being written", async () => {
		const { workbench, chat, page } = await openShop();
		await workbench.openFile("src/money.ts");
		await page.keyboard.press("ControlOrMeta+Home");
		await page.keyboard.press("Shift+ArrowDown");
		await page.keyboard.press("Shift+ArrowDown");
		await page.keyboard.press("ControlOrMeta+K");
		await page.keyboard.press("ControlOrMeta+A");
		await until("the selection is in the composer", async () =>
			/@src\/money\.ts:1-2/.test(await chat.textbox().inputValue({ timeout: 2_000 })),
		);
		await until("the textbox has the focus", () => chat.hasFocus(chat.textbox()));
		await workbench.openView("Explorer");
		await page.locator(".explorer-folders-view .monaco-list-row").filter({ hasText: "README.md" }).click({ button: "right" });
		const entry = page.locator(".context-view, .monaco-menu-container").getByRole("menuitem", { name: "Add to Troupe Chat" });
		await entry.waitFor();
		await picture(page, "explorerMenu");
		await entry.click();
		const again = shownAgain(page);
		await until("the file is in the composer", async () => /@README\.md/.test(await again.textbox().inputValue({ timeout: 2_000 })));
		await workbench.command("Terminal: Create New Terminal");
		await workbench.terminal().first().waitFor();
		await workbench.command("Add Terminal to Troupe Chat");
		await until("the terminal is in the composer", async () => /@terminal/.test(await again.textbox().inputValue({ timeout: 2_000 })));
		assert.match(await again.textbox().inputValue(), /@src\/money\.ts:1-2[\s\S]*@README\.md/);
		await picture(page, "addedToChat");
	});

	it("an approval out of sight shows on the icon and in a message that leads to it", async () => {
		let goOn = (): void => undefined;
		const left = new Promise<void>((resolve) => {
			goOn = resolve;
		});
		const { workbench, chat, page } = await openOn(async ({ number }) => {
			if (number > 0) return { text: "Done." };
			await left;
			return { calls: [{ name: "execute_command", input: { command: "mkdir -p hello" } }] };
		});
		await workbench.openView("Troupe");
		await chat.ready();
		await chat.role("Actor").click();
		await chat.message("Say hello");
		await chat.button("Stop").waitFor();
		await workbench.openView("Explorer");
		goOn();
		const toast = workbench.notification(/Troupe needs your approval: .*mkdir -p hello/);
		await toast.waitFor();
		const badge = page.locator(".activitybar").getByRole("tab", { name: /^Troupe.* 1 approval or question pending/ });
		await badge.waitFor();
		await picture(page, "approvalOutOfSight");
		await toast.getByRole("button", { name: "Show" }).click();
		const again = shownAgain(page);
		await again.approval(/mkdir -p hello/).settled();
		await again.approval(/mkdir -p hello/).allow();
		await again.text("Done.").waitFor();
		await badge.waitFor({ state: "detached" });
	});

	it("source control has a button for the commit message, which says what it needs", async () => {
		const { workbench, page } = await openShop();
		await workbench.openFile("src/money.ts");
		await workbench.typeAtEnd("\n// more\n");
		await workbench.save();
		await page
			.locator(".activitybar")
			.getByRole("tab", { name: /^Source Control/ })
			.click();
		const button = page.locator(".sidebar").getByRole("button", { name: "Generate Commit Message with Troupe" }).first();
		await until("the button is there", async () => {
			await page.locator(".sidebar .pane-header, .sidebar .scm-provider").first().hover();
			return button.isVisible();
		});
		await picture(page, "sourceControl");
		await button.click();
		await workbench.notification(/The offline model can't write commit messages/).waitFor();
		await picture(page, "commitOffline");
	});

	it("the walkthrough shows its steps with pictures", async () => {
		const { workbench, page } = await openShop({ width: 1400, height: 900 });
		await workbench.command("Troupe: Get Started");
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
			await picture(page, `walkthrough${index + 1}`);
		}
		await workbench.theme("Light Modern");
		await imageShown(page, "yours-light.webp");
		await picture(page, "walkthroughLight");
	});

	it("an empty chat offers three things to try and says which model answers", async () => {
		const { workbench, chat, page } = await openOn([]);
		await workbench.openView("Troupe");
		await chat.ready();
		await chat.button("Plan the missing tests for @src/inventory.ts").waitFor();
		await picture(page, "empty");
	});
});

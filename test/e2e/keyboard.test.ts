// Tests the chat by keyboard: the focus after opening, after switching views and after each answer.
import { Chat } from "./chat.ts";
import { expect } from "./expect.ts";
import { openWindow, takeScreenshot } from "./testWindow.ts";

const composerHasFocus = (chat: Chat) => chat.focused(chat.textbox());

const holds = (chat: Chat, text: string) => expect(chat.textbox()).toHaveValue(text);

describe("the keyboard", () => {
	it("the composer has the focus when the view opens, and again after another view", async () => {
		const testWindow = await openWindow();
		await testWindow.workbench.sideBar.pressIcon("Troupe");
		await testWindow.chat.ready();
		await composerHasFocus(testWindow.chat);
		await testWindow.page.keyboard.type("Find discount");
		await holds(testWindow.chat, "Find discount");
		// A view that shows again has an address without its purpose, as an editor tab has.
		const again = new Chat(testWindow.page, "editor");
		const thereAndBack = async (): Promise<void> => {
			await testWindow.workbench.sideBar.pressIcon("Explorer");
			await testWindow.workbench.sideBar.pressIcon("Troupe");
			await composerHasFocus(again);
		};
		// A busy VS Code may still give the focus to the view that was left.
		await thereAndBack().catch(thereAndBack);
		await holds(again, "Find discount");
		await again.textbox().pressSequentially(" in src");
		await holds(again, "Find discount in src");
	});

	it("the focus returns to the composer after a plan and an approval answered by keyboard", async () => {
		const testWindow = await openWindow();
		const { chat, page, workbench } = testWindow;
		await workbench.sideBar.open("Troupe");
		await composerHasFocus(chat);
		await page.keyboard.type("Rename formatPrice to formatMoney everywhere");
		await chat.ready();
		await holds(chat, "Rename formatPrice to formatMoney everywhere");
		await composerHasFocus(chat);
		await page.keyboard.press("Enter");
		await chat.plan().waitUntilSettled();
		await chat.tabTo(chat.plan().executeButton());
		await page.keyboard.press("Enter");
		await composerHasFocus(chat);
		const approval = chat.approval("Run npm test");
		await approval.waitUntilSettled();
		await chat.tabTo(approval.allowButton());
		await takeScreenshot(page, "keyboardApproval");
		await page.keyboard.press("Enter");
		await composerHasFocus(chat);
		await chat.waitUntilIdle();
		await composerHasFocus(chat);
	});
});

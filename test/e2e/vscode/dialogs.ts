// VS Code's modal dialogs.
import { setTimeout as pause } from "node:timers/promises";
import type { Locator, Page } from "playwright-core";

/** Milliseconds: in a dialog's first half second, our questions take no yes, since nobody can have read them. */
const READING = 600;

export class Dialogs {
	private readonly page: Page;

	constructor(page: Page) {
		this.page = page;
	}

	/** The dialog that has this text. */
	asking(question: string | RegExp): Locator {
		return this.page.locator(".monaco-dialog-box").filter({ hasText: question });
	}

	/** Answers a question of ours. */
	async answer(question: string | RegExp, button: string): Promise<void> {
		const dialog = this.asking(question);
		await dialog.waitFor();
		await pause(READING);
		await dialog.getByRole("button", { name: button, exact: true }).click();
		await dialog.waitFor({ state: "detached" });
	}
}

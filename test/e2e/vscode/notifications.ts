// VS Code's notifications: pop-ups, and the list that keeps them.
import type { Locator, Page } from "playwright-core";
import type { Driver } from "../driver.ts";

/** Milliseconds for a pop-up to appear before the list is opened. */
const POP_UP = 5_000;

export class Notifications {
	private readonly page: Page;
	private readonly driver: Driver;

	constructor(page: Page, driver: Driver) {
		this.page = page;
		this.driver = driver;
	}

	/**
	 * The notification with this text, wherever VS Code shows it. Beside a progress, VS Code may put one in its list without a
	 * pop-up, and closes the list when the progress ends: it is opened again.
	 */
	async find(text: string | RegExp): Promise<Locator> {
		const shown = this.page.locator(".notification-list-item:visible").filter({ hasText: text }).first();
		for (let attempt = 0; attempt < 12; attempt += 1) {
			const found = await shown.waitFor({ timeout: POP_UP }).then(
				() => true,
				() => false,
			);
			if (found) return shown;
			await this.driver.command("notifications.showList");
		}
		await shown.waitFor();
		return shown;
	}

	/** Presses a button of the notification with this text. */
	async press(text: string | RegExp, button: string): Promise<void> {
		await (await this.find(text)).getByRole("button", { name: button }).click();
	}
}

// VS Code's terminal that is open.
import type { Locator, Page } from "playwright-core";

export class Terminal {
	private readonly page: Page;

	constructor(page: Page) {
		this.page = page;
	}

	shown(): Locator {
		return this.page.locator(".terminal-wrapper.active");
	}

	/** What it shows; empty lines are left out. */
	async text(): Promise<string> {
		const rows = await this.page.locator(".terminal-wrapper.active .xterm-rows > div").allTextContents();
		return rows
			.map((row) => row.replaceAll("\u00a0", " ").trimEnd())
			.filter((row) => row !== "")
			.join("\n");
	}

	/** Types a line into it; keys reach it only once it has the focus. */
	async type(line: string): Promise<void> {
		await this.shown().click();
		await this.shown().locator(".xterm.focus").waitFor();
		await this.page.keyboard.type(line);
		await this.page.keyboard.press("Enter");
	}
}

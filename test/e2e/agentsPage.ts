// The page "Manage Agents" as a person sees or hears it: everything is found by its accessible name.
import type { FrameLocator, Locator, Page } from "playwright-core";

export class AgentsPage {
	private readonly frame: FrameLocator;

	constructor(page: Page) {
		this.frame = page
			.frameLocator('iframe.webview:not([src*="purpose=webviewView"])[src*="extensionId=troupe.troupe"]')
			.frameLocator("#active-frame");
	}

	/** Nothing is on its way between the page and its host, and what came is painted. */
	async waitUntilSettled(): Promise<void> {
		await this.frame.locator("html[data-settled]").waitFor({ state: "attached" });
	}

	/** Presses a button by its name. One that takes no press yet is waited for. */
	async press(name: string): Promise<void> {
		await this.waitUntilSettled();
		await this.button(name).click();
	}

	button(name: string): Locator {
		return this.frame.getByRole("button", { name, exact: true });
	}

	/** An agent in the list, by what is said of it. */
	row(name: string | RegExp): Locator {
		return this.frame.getByRole("listbox", { name: "Agents" }).getByRole("option", { name });
	}

	textbox(name: string): Locator {
		return this.frame.getByRole("textbox", { name, exact: true });
	}

	select(name: string): Locator {
		return this.frame.getByRole("combobox", { name, exact: true });
	}

	checkbox(name: string): Locator {
		return this.frame.getByRole("checkbox", { name, exact: true });
	}

	heading(name: string): Locator {
		return this.frame.getByRole("heading", { level: 1, name });
	}

	/** Limits the list to what is typed, one pattern a line. */
	async allowOnly(name: string, patterns: readonly string[]): Promise<void> {
		await this.frame.getByRole("group", { name, exact: true }).getByRole("radio", { name: "Only these" }).check();
		await this.textbox(name).fill(patterns.join("\n"));
	}

	async color(name: string): Promise<void> {
		await this.frame.locator(`label[title="${name}"]`).click();
	}

	/** Which tools result, and what cuts the others. */
	scope(): Locator {
		return this.frame.getByRole("region", { name: "Resulting tools" });
	}

	/** A definition of the workspace that waits. */
	review(name: string): Locator {
		return this.frame.getByRole("article", { name: `Review ${name}` });
	}
}

// VS Code's quick input: its lists, boxes and the Command Palette.

// A list closes when something else takes the focus, such as a view that loads, and a list that was left a moment ago may
// close late. So tests open lists by their commands, and the palette only where it is what they test.
import type { Locator, Page } from "playwright-core";

export class QuickInput {
	private readonly page: Page;

	constructor(page: Page) {
		this.page = page;
	}

	private get input(): Locator {
		return this.page.locator(".quick-input-widget input").first();
	}

	/** The list or box with this title or placeholder, or any that is open. Boxes follow each other in one widget. */
	async opened(title?: string): Promise<void> {
		const widget = this.page.locator(".quick-input-widget:visible");
		if (title === undefined) return widget.locator("input").first().waitFor();
		const titled = widget.filter({ hasText: title });
		const placeholder = this.page.locator(`.quick-input-widget:visible input[placeholder*=${JSON.stringify(title)}]`);
		await titled.or(placeholder).first().waitFor();
	}

	/** An entry of the list that is open. */
	option(label: string): Locator {
		return this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: label }).first();
	}

	/** Takes an entry of the list that is open, once `typed` has found it. */
	async choose(label: string, typed = label): Promise<void> {
		await this.opened();
		if (!(await this.option(label).isVisible())) await this.input.fill(typed);
		await this.option(label).click();
	}

	/** Presses a button on an entry. */
	async pressOn(label: string, button: string): Promise<void> {
		await this.option(label).hover();
		await this.option(label).getByRole("button", { name: button, exact: true }).click();
	}

	/** Answers the box that is open, which has this title or placeholder if one is given. */
	async answer(text: string, title?: string): Promise<void> {
		await this.opened(title);
		await this.input.fill(text);
		await this.input.press("Enter");
	}

	/** Types into the box that is open, as a search does. */
	async type(text: string, title?: string): Promise<void> {
		await this.opened(title);
		await this.input.fill(text);
	}

	/** Accepts what the box holds. */
	async accept(title?: string): Promise<void> {
		await this.opened(title);
		await this.input.press("Enter");
	}

	async close(): Promise<void> {
		await this.page.keyboard.press("Escape");
		await this.page.locator(".quick-input-widget:visible").waitFor({ state: "detached" });
	}

	/** Runs a command by its title in the palette, such as "Troupe: Open Chat". */
	async runFromPalette(title: string): Promise<void> {
		const entry = this.option(title);
		const step = { timeout: 2_000 };
		for (let attempt = 0; attempt < 10; attempt += 1) {
			if (!(await this.input.isVisible())) await this.page.keyboard.press("F1");
			// What an extension adds may come later than the list, and a list that is open does not show it: it is typed again.
			const found = await this.input
				.fill(`>${title}`, step)
				.then(() => entry.click(step))
				.then(
					() => true,
					() => false,
				);
			if (found) return;
			await this.input.fill(">", step).catch(() => undefined);
		}
		await entry.click();
	}
}

// A tree in VS Code's side bar, such as the agents and their sessions.

// A row is drawn anew at any news, so that a click on it may go nowhere: actions are repeated until they have an effect. Rows
// out of view are not in the page.
import type { Locator, Page } from "playwright-core";

export class TreeView {
	private readonly page: Page;
	private readonly name: string;

	constructor(page: Page, name: string) {
		this.page = page;
		this.name = name;
	}

	view(): Locator {
		return this.page.getByRole("tree", { name: this.name });
	}

	/** A row by a part of its label. */
	item(label: string | RegExp): Locator {
		return this.view().getByRole("treeitem", { name: label });
	}

	/** A row that is selected. */
	selected(label: string | RegExp): Locator {
		return this.view().getByRole("treeitem", { name: label, selected: true });
	}

	/** Labels of the rows that are drawn, from the top. */
	async labels(): Promise<string[]> {
		const drawn = await this.view().getByRole("treeitem").all();
		const placed = await Promise.all(
			drawn.map(async (row) => ({ top: (await row.boundingBox())?.y ?? 0, label: (await row.getAttribute("aria-label")) ?? "" })),
		);
		return placed.sort((one, other) => one.top - other.top).map(({ label }) => label);
	}

	/** Opens a row below another one, which is expanded as often as it collapses when it is drawn anew. */
	async openIn(parent: string, label: string | RegExp): Promise<void> {
		const collapsed = this.page.locator('[role="treeitem"][aria-expanded="false"]').filter({ hasText: parent });
		const row = this.item(label).first();
		await this.item(parent).first().waitFor();
		for (let tries = 0; tries < 10; tries += 1) {
			if ((await collapsed.count()) > 0) await collapsed.first().click();
			const isThere = await row.click({ timeout: 5_000 }).then(
				() => true,
				() => false,
			);
			if (isThere) return;
		}
		await row.click();
	}

	async open(label: string | RegExp): Promise<void> {
		await this.item(label).first().click();
	}

	/** Runs an entry of a row's context menu. */
	async act(label: string | RegExp, action: string): Promise<void> {
		await this.item(label).first().click({ button: "right" });
		await this.page.locator(".monaco-menu").getByRole("menuitem", { name: action }).click();
	}

	/** Presses an action that a row shows under the pointer, until what it brings is there. */
	async press(label: string | RegExp, action: string, done: Locator): Promise<void> {
		const row = this.item(label).first();
		for (let tries = 0; tries < 5; tries += 1) {
			await row
				.hover()
				.then(() => row.getByRole("button", { name: action }).click({ timeout: 5_000 }))
				.catch(() => undefined);
			const shown = await done.waitFor({ timeout: 5_000 }).then(
				() => true,
				() => false,
			);
			if (shown) return;
		}
		await done.waitFor();
	}
}

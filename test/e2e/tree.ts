// The tree of agents and their sessions in the sidebar.
import type { Locator, Page } from "playwright-core";

export class Tree {
	private readonly page: Page;

	constructor(page: Page) {
		this.page = page;
	}

	view(): Locator {
		return this.page.getByRole("tree", { name: "Agents" });
	}

	/** A row by a part of its label. */
	item(label: string | RegExp): Locator {
		return this.view().getByRole("treeitem", { name: label });
	}

	/** A row that is selected. */
	selected(label: string | RegExp): Locator {
		return this.view().getByRole("treeitem", { name: label, selected: true });
	}

	/** Opens a row below another one, which is expanded as often as a row that is drawn anew collapses it. */
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

	/** Presses an action that appears on a row when the pointer is over it. `done`: appears once it has been taken. */
	async inlineAction(label: string | RegExp, action: string, done?: Locator): Promise<void> {
		const row = this.item(label).first();
		const press = async (): Promise<void> => {
			await row.hover();
			await row.getByRole("button", { name: action }).click({ timeout: 5_000 });
		};
		// A row that is drawn anew under the pointer takes no click.
		for (let tries = 0; done && tries < 3; tries += 1) {
			await press().catch(() => undefined);
			const shown = await done.waitFor({ timeout: 5_000 }).then(
				() => true,
				() => false,
			);
			if (shown) return;
		}
		await press();
	}
}

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

	async expand(label: string): Promise<void> {
		const row = this.item(label).first();
		const expanded = this.page.locator('[role="treeitem"][aria-expanded="true"]').filter({ hasText: label });
		await row.waitFor();
		// A row that is drawn anew between the question and the click would be collapsed by it.
		for (let tries = 0; tries < 5 && (await expanded.count()) === 0; tries += 1) {
			await row.click();
			await expanded.waitFor({ timeout: 5_000 }).catch(() => undefined);
		}
		await expanded.waitFor();
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

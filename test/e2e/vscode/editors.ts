// VS Code's editors and their tabs.
import { basename, join } from "node:path";
import type { Locator, Page } from "playwright-core";
import type { Driver } from "../driver.ts";

export class Editors {
	private readonly page: Page;
	private readonly driver: Driver;
	private readonly folder: string;

	constructor(page: Page, driver: Driver, folder: string) {
		this.page = page;
		this.driver = driver;
		this.folder = folder;
	}

	/** Opens a file of the workspace. */
	async open(path: string): Promise<void> {
		await this.driver.open(join(this.folder, path));
		await this.tab(basename(path)).waitFor();
		await this.active().waitFor();
	}

	tab(name: string | RegExp): Locator {
		const begins = typeof name === "string" ? new RegExp(`^${name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}`) : name;
		return this.page.locator(".editor-group-container").getByRole("tab", { name: begins });
	}

	/** The editor that has, or last had, the focus. */
	active(): Locator {
		return this.page.locator(".editor-group-container.active .monaco-editor").first();
	}

	/** Text that an editor shows, also one that compares. */
	line(text: string | RegExp, inside = ".monaco-editor"): Locator {
		return this.page.locator(`${inside} .view-line`).getByText(text).first();
	}

	/** The whole text in the active editor, saved or not. */
	text(): Promise<string> {
		return this.driver.text();
	}

	/** Ctrl+Z in the active editor. */
	async undo(): Promise<void> {
		await this.focus();
		await this.page.keyboard.press("ControlOrMeta+Z");
	}

	/** Types at the end of the file in the active editor. */
	async typeAtEnd(text: string): Promise<void> {
		await this.focus();
		await this.page.keyboard.press("ControlOrMeta+End");
		await this.page.keyboard.type(text);
	}

	async save(): Promise<void> {
		await this.focus();
		await this.page.keyboard.press("ControlOrMeta+S");
	}

	/** Keys reach an editor only once it has the focus. */
	async focus(): Promise<void> {
		await this.driver.command("workbench.action.focusActiveEditorGroup");
		await this.page.locator(".editor-group-container.active .monaco-editor.focused").first().waitFor();
	}

	/** Whether VS Code in the browser has written down that a tab is open: it does so now and then, and not before a reload. */
	isKept(uriPart: string): Promise<boolean> {
		return this.page.evaluate(async (part) => {
			const done = <T>(request: IDBRequest<T>): Promise<T> =>
				new Promise((resolve, reject) => {
					request.onsuccess = () => resolve(request.result);
					request.onerror = () => reject(request.error);
				});
			for (const { name = "" } of await indexedDB.databases()) {
				if (!name.startsWith("vscode-web-state-db-")) continue;
				const database = await done(indexedDB.open(name));
				const kept: unknown = await done(database.transaction("ItemTable").objectStore("ItemTable").get("memento/workbench.parts.editor"));
				database.close();
				if (String(kept).includes(part)) return true;
			}
			return false;
		}, uriPart);
	}
}

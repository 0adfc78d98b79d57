// The VS Code window as a person sees it.
import type { Locator, Page } from "playwright-core";

export type Theme = "Dark Modern" | "Light Modern" | "Dark High Contrast" | "Light High Contrast";

export class Workbench {
	readonly page: Page;

	constructor(page: Page) {
		this.page = page;
	}

	/** The workbench is drawn, and what extensions add to it is there. */
	async ready(): Promise<void> {
		await this.viewTab("Troupe").waitFor({ timeout: 60_000 });
	}

	private viewTab(name: string): Locator {
		return this.page.locator(".activitybar").getByRole("tab", { name: new RegExp(`^${name}\\b`) });
	}

	/** Presses the view's icon in the activity bar, unless its view is already open. */
	async openView(name: string): Promise<void> {
		const tab = this.viewTab(name);
		await tab.waitFor();
		// The sidebar may still be changing, so that a click closes the view or opens none: look again.
		for (let attempt = 0; attempt < 5; attempt += 1) {
			if ((await tab.getAttribute("aria-selected")) !== "true") await tab.click();
			if (await isVisible(this.viewTitle(name), 10_000)) return;
		}
		await this.showsView(name);
	}

	private viewTitle(name: string): Locator {
		return this.page.locator(".sidebar .composite.title").filter({ hasText: new RegExp(name, "i") });
	}

	/** The sidebar shows the view, as it does by itself after a reload. */
	async showsView(name: string): Promise<void> {
		await this.viewTitle(name).waitFor();
	}

	/** Drags the edge of the sidebar until it is this wide. */
	async widenSideBar(width: number): Promise<void> {
		const box = await this.page.locator(".part.sidebar").boundingBox();
		if (!box) throw new Error("The sidebar is not open");
		const middle = box.y + box.height / 2;
		await this.page.mouse.move(box.x + box.width, middle);
		await this.page.mouse.down();
		await this.page.mouse.move(box.x + width, middle, { steps: 5 });
		await this.page.mouse.up();
	}

	/** Runs a command by its title in the palette, such as "Troupe: New Session". */
	async command(title: string): Promise<void> {
		const open = () => this.page.keyboard.press("F1");
		await open();
		await this.choose(title, `>${title}`, open);
	}

	/** Types into the quick input that is open, and takes the entry of that name. `reopen` is for one that VS Code closes. */
	async choose(label: string, typed = label, reopen?: () => Promise<void>): Promise<void> {
		const input = this.page.locator(".quick-input-widget input").first();
		if (!reopen) await input.waitFor();
		const entry = this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: label }).first();
		const patience = { timeout: 2_000 };
		let shown = await entry.isVisible();
		for (let attempt = 0; attempt < 10; attempt += 1) {
			try {
				// A view that is still loading may take the focus, and a list that was left a moment ago may close late: both close it.
				if (reopen && !(await isVisible(input, 2_000))) await reopen();
				// What an extension adds may come later than its icon, and a list that is open does not take it in: type again.
				if (!shown && attempt > 0) await input.fill("", patience);
				if (!shown) await input.fill(typed, patience);
				return await entry.click(patience);
			} catch (error) {
				// Some commands load the window anew, which ends the click after it was done.
				if (/performing click action/.test(String(error))) return;
				shown = false;
			}
		}
		await entry.click();
	}

	/** An entry of the list that is open. */
	picked(label: string): Locator {
		return this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: label }).first();
	}

	/** Answers the input box that is open. */
	async answerInput(text: string): Promise<void> {
		const input = this.page.locator(".quick-input-widget input").first();
		await input.waitFor();
		await input.fill(text);
		await input.press("Enter");
	}

	async theme(name: Theme): Promise<void> {
		await this.command("Preferences: Color Theme");
		await this.choose(name);
		const kind = { "Dark Modern": "vs-dark", "Light Modern": "vs", "Dark High Contrast": "hc-black", "Light High Contrast": "hc-light" }[
			name
		];
		await this.page.locator(`.monaco-workbench.${kind}`).waitFor();
	}

	/** An entry of the status bar, by what it shows. */
	statusItem(text: string | RegExp): Locator {
		return this.page.locator(".statusbar-item").filter({ hasText: text });
	}

	/** Opens a file by its name or path in the workspace. */
	async openFile(path: string): Promise<void> {
		await this.page.keyboard.press("ControlOrMeta+P");
		const name = path.split("/").at(-1) ?? path;
		await this.choose(name, path);
		await this.editorTab(name).waitFor();
		await this.editor().waitFor();
	}

	editorTab(name: string): Locator {
		return this.page.locator(".editor-group-container").getByRole("tab", { name: new RegExp(`^${name.replaceAll(".", "\\.")}`) });
	}

	editor(): Locator {
		return this.page.locator(".editor-group-container.active .monaco-editor").first();
	}

	/** The text that the active editor shows. */
	async editorText(): Promise<string> {
		const lines = await this.editor().locator(".view-line").all();
		const drawn = await Promise.all(
			lines.map(async (line) => ({ top: (await line.boundingBox())?.y ?? 0, text: await line.textContent() })),
		);
		// The editor reuses its lines: their order in the page is not the one on the screen.
		drawn.sort((one, other) => one.top - other.top);
		return drawn.map(({ text }) => text?.replaceAll("\u00a0", " ") ?? "").join("\n");
	}

	/** Ctrl+Z in the active editor. */
	async undo(): Promise<void> {
		await this.focusEditor();
		await this.page.keyboard.press("ControlOrMeta+Z");
	}

	/** Types at the end of the file in the active editor. */
	async typeAtEnd(text: string): Promise<void> {
		await this.focusEditor();
		await this.page.keyboard.press("ControlOrMeta+End");
		await this.page.keyboard.type(text);
	}

	async save(): Promise<void> {
		await this.focusEditor();
		await this.page.keyboard.press("ControlOrMeta+S");
	}

	private async focusEditor(): Promise<void> {
		await this.command("View: Focus Active Editor Group");
		await this.page.locator(".editor-group-container.active .monaco-editor.focused").first().waitFor();
	}

	/** A notification by a part of its text. */
	notification(text: string | RegExp): Locator {
		return this.page.locator(".notification-toast").filter({ hasText: text });
	}

	/** As a pop-up or in the list: beside a progress that ends, the editor may keep one from popping up, or close the list. */
	async keptNotification(text: string | RegExp): Promise<Locator> {
		const shown = this.page.locator(".notification-list-item:visible").filter({ hasText: text }).first();
		for (let attempt = 0; attempt < 12 && !(await shown.isVisible()); attempt += 1) {
			await this.command("Notifications: Show Notifications");
			await shown.waitFor({ timeout: 5_000 }).catch(() => undefined);
		}
		await shown.waitFor();
		return shown;
	}

	/** A modal dialog by a part of its text. */
	dialog(text: string | RegExp): Locator {
		return this.page.locator(".monaco-dialog-box").filter({ hasText: text });
	}

	/** What the terminal that is open shows; empty lines are left out. */
	async terminalText(): Promise<string> {
		const rows = await this.page.locator(".terminal-wrapper.active .xterm-rows > div").allTextContents();
		return rows
			.map((row) => row.replaceAll("\u00a0", " ").trimEnd())
			.filter((row) => row !== "")
			.join("\n");
	}

	terminal(): Locator {
		return this.page.locator(".terminal-wrapper.active");
	}

	/** Types a line into the terminal that is open. */
	async typeInTerminal(line: string): Promise<void> {
		await this.terminal().click();
		await this.terminal().locator(".xterm.focus").waitFor();
		await this.page.keyboard.type(line);
		await this.page.keyboard.press("Enter");
	}

	/** Whether VS Code in the browser has written down that a tab is open: it does so now and then, and not before a reload. */
	keepsTab(uriPart: string): Promise<boolean> {
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

	/** As a person reloads: what the editor keeps of its tabs and views is written first. */
	async reloadWindow(): Promise<void> {
		await Promise.all([this.page.waitForEvent("load"), this.command("Developer: Reload Window")]);
		await this.ready();
	}

	/** The page goes away at once and is loaded anew; what it has kept for the folder stays. */
	async reload(): Promise<void> {
		await this.page.reload();
		await this.ready();
	}
}

/** `patience` in milliseconds. */
async function isVisible(locator: Locator, patience: number): Promise<boolean> {
	return locator.waitFor({ timeout: patience }).then(
		() => true,
		() => false,
	);
}

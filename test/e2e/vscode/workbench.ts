// The VS Code window: its parts, its theme, and reloading it.
import type { Locator, Page } from "playwright-core";
import { type Driver, driverOf } from "../driver.ts";
import { Dialogs } from "./dialogs.ts";
import { Editors } from "./editors.ts";
import { Notifications } from "./notifications.ts";
import { QuickInput } from "./quickInput.ts";
import { SideBar } from "./sideBar.ts";
import { Terminal } from "./terminal.ts";

/** By `vscode.ColorThemeKind`. */
const THEMES = { "Light Modern": 1, "Dark Modern": 2, "Dark High Contrast": 3, "Light High Contrast": 4 };
export type Theme = keyof typeof THEMES;

export class Workbench {
	readonly page: Page;
	readonly quickInput: QuickInput;
	readonly notifications: Notifications;
	readonly sideBar: SideBar;
	readonly editors: Editors;
	readonly terminal: Terminal;
	readonly dialogs: Dialogs;
	private readonly driver: Driver;

	/** `folder`: the absolute path of the first folder that is open. */
	constructor(page: Page, folder: string) {
		this.page = page;
		this.driver = driverOf(folder);
		this.quickInput = new QuickInput(page);
		this.notifications = new Notifications(page, this.driver);
		this.sideBar = new SideBar(page, this.driver);
		this.editors = new Editors(page, this.driver, folder);
		this.terminal = new Terminal(page);
		this.dialogs = new Dialogs(page);
	}

	/** Loads a page that has the folder open; resolves when what extensions add is there, and they run. */
	async load(url: string): Promise<void> {
		await this.startsWith(this.page.goto(url));
	}

	/** Resolves when extensions have started anew after what was done. */
	private async startsWith(done: Promise<unknown>): Promise<void> {
		await Promise.all([this.driver.started(), done]);
		await this.sideBar.icon("Troupe").waitFor();
	}

	/** Runs a command by its id and resolves when it is done. */
	async run(command: string, ...parameters: unknown[]): Promise<void> {
		await this.driver.command(command, ...parameters);
	}

	/** Runs a command that asks something in a list, a box or a dialog. */
	async begin(command: string, ...parameters: unknown[]): Promise<void> {
		await this.driver.begin(command, ...parameters);
	}

	async theme(name: Theme): Promise<void> {
		await this.driver.theme(name, THEMES[name]);
		const shown = { "Light Modern": "vs", "Dark Modern": "vs-dark", "Dark High Contrast": "hc-black", "Light High Contrast": "hc-light" };
		await this.page.locator(`.monaco-workbench.${shown[name]}`).waitFor();
	}

	/** An entry of the status bar, by what it shows. */
	statusItem(text: string | RegExp): Locator {
		return this.page.locator(".statusbar-item").filter({ hasText: text });
	}

	/** As a person reloads: what the editor keeps of its tabs and views is written first. */
	async reloadWindow(): Promise<void> {
		await this.startsWith(this.driver.begin("workbench.action.reloadWindow"));
	}

	/** The page goes away at once and is loaded again; what it has saved for the folder stays. */
	async reload(): Promise<void> {
		await this.startsWith(this.page.reload());
	}
}

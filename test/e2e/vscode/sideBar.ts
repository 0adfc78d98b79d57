// VS Code's side bar and activity bar.
import type { Locator, Page } from "playwright-core";
import type { Driver } from "../driver.ts";

/** Commands that show a view by the name on its icon. */
const VIEWS = {
	Troupe: "workbench.view.extension.troupe",
	Explorer: "workbench.view.explorer",
	"Source Control": "workbench.view.scm",
};
export type ViewName = keyof typeof VIEWS;

export class SideBar {
	private readonly page: Page;
	private readonly driver: Driver;

	constructor(page: Page, driver: Driver) {
		this.page = page;
		this.driver = driver;
	}

	/** The icon of a view. Its name may end with keys and a count: "Source Control (Ctrl+Shift+G) - 3 pending changes". */
	icon(name: string): Locator {
		return this.page.locator(".activitybar").getByRole("tab", { name: new RegExp(`^${name}\\b`) });
	}

	private title(name: string): Locator {
		return this.page.locator(".sidebar .composite.title").filter({ hasText: new RegExp(name, "i") });
	}

	/** Shows a view, whether or not it is open. */
	async open(name: ViewName): Promise<void> {
		await this.driver.command(VIEWS[name]);
		await this.shows(name);
	}

	/** The view is shown, as it is by itself after a reload. */
	async shows(name: ViewName): Promise<void> {
		await this.title(name).waitFor();
	}

	/** Presses the icon of a view that is not open: a second click would close it. */
	async pressIcon(name: ViewName): Promise<void> {
		await this.icon(name).click();
		await this.shows(name);
	}

	/** Drags the edge of the side bar until it is this wide. */
	async widen(width: number): Promise<void> {
		const box = await this.page.locator(".part.sidebar").boundingBox();
		if (!box) throw new Error("The side bar is not open");
		const middle = box.y + box.height / 2;
		await this.page.mouse.move(box.x + box.width, middle);
		await this.page.mouse.down();
		await this.page.mouse.move(box.x + width, middle, { steps: 5 });
		await this.page.mouse.up();
	}
}

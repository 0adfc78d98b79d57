// Records the README's animation and the walkthrough's pictures in every theme.

// `npm run e2e -- demo --readme`
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Locator } from "playwright-core";
import { asWebp, Film } from "./film.ts";
import { openWindow, type TestWindow } from "./testWindow.ts";
import type { Theme } from "./vscode/workbench.ts";

const media = process.env["E2E_MEDIA"];
const request = "Rename formatPrice to formatMoney everywhere";
const LENGTH = 12_000;
/** As walkthroughs name them. */
const THEMES: Record<string, Theme> = {
	dark: "Dark Modern",
	light: "Light Modern",
	hc: "Dark High Contrast",
	hcLight: "Light High Contrast",
};
const agents = [
	{ agentId: "release-notes", displayName: "Release Notes", systemPrompt: "Write.", icon: "book", color: "charts.green" },
	{ agentId: "reviewer", displayName: "Code Reviewer", systemPrompt: "Review.", icon: "eye", color: "charts.purple" },
	{ agentId: "tests", displayName: "Test Writer", systemPrompt: "Test.", icon: "beaker", color: "charts.red" },
];

async function save(name: string, bytes: Uint8Array): Promise<void> {
	const file = join(media ?? "", name);
	await mkdir(dirname(file), { recursive: true });
	await writeFile(file, bytes);
}

async function openBeside(testWindow: TestWindow): Promise<void> {
	const { workbench, chat } = testWindow;
	await workbench.editors.open("src/money.ts");
	await workbench.sideBar.open("Troupe");
	await workbench.sideBar.widen(430);
	await chat.ready();
	await foldAgents(testWindow);
}

/** Leaves the side bar to the chat. */
async function foldAgents({ page }: TestWindow): Promise<void> {
	await page.locator(".sidebar .pane-header").filter({ hasText: "Agents" }).click();
	await page.mouse.move(700, 420);
	await page.keyboard.press("Escape");
	await page
		.locator(".editor-group-container")
		.first()
		.click({ position: { x: 200, y: 300 } });
}

(media === undefined ? describe.skip : describe)("the pictures of Troupe", function () {
	this.timeout(600_000);

	it("the demo film shows a request, its plan, an approval and the result", async () => {
		const testWindow = await openWindow({ settings: { "files.associations": {} }, width: 1100, height: 700 });
		const { workbench, chat, page } = testWindow;
		await openBeside(testWindow);
		const film = new Film(page);
		await film.caption("1. Ask for a change");
		await film.hold(900);
		await chat.textbox().click();
		for (const words of request.match(/\S+\s*\S*\s*/g) ?? []) {
			await page.keyboard.type(words);
			await film.hold(170);
		}
		await film.hold(400);
		await chat.button("Send").click();
		await film.watch(chat.plan().waitUntilSettled(), 350, 3);
		await film.caption("2. Read the plan: nothing has changed");
		await chat.plan().card.evaluate((card) => card.scrollIntoView({ block: "start" }));
		await film.hold(1_900);
		await chat.plan().executeButton().scrollIntoViewIfNeeded();
		await film.hold(900);
		await film.caption("3. The actor carries it out");
		await film.press(chat.plan().executeButton(), () => chat.plan().executeButton().click());
		await film.watch(chat.approval("Run npm test").waitUntilSettled(), 300, 5);
		await film.caption("4. Commands ask first");
		await film.hold(1_500);
		await film.press(chat.approval("Run npm test").allowButton(), () => chat.approval("Run npm test").allowButton().click());
		await film.watch(chat.waitUntilIdle(), 300, 3);
		await workbench.editors.active().waitFor();
		await film.caption("Done. Every edit can be undone.");
		await film.hold(2_200);
		await save("demo.webp", await film.develop(page.context().browser() ?? fail(), LENGTH));
	});

	it("the walkthrough gets a picture of each step in every theme", async () => {
		const testWindow = await openWindow({ settings: { "troupe.agents": agents }, width: 1000, height: 780 });
		const { workbench, chat, tree, page } = testWindow;
		const sideBar = page.locator(".part.sidebar");
		const take = async (name: string, what: Locator = sideBar): Promise<void> => {
			await page.mouse.move(900, 300);
			const picture = await what.screenshot({ animations: "disabled" });
			await save(join("walkthrough", `${name}.webp`), await asWebp(page.context().browser() ?? fail(), picture));
		};
		const inEachTheme = async (pictures: (theme: string) => Promise<void>): Promise<void> => {
			for (const [name, theme] of Object.entries(THEMES)) {
				await workbench.theme(theme);
				await pictures(name);
			}
		};
		await workbench.sideBar.open("Troupe");
		await workbench.sideBar.widen(430);
		await chat.ready();
		await tree.item("Test Writer").waitFor();
		await inEachTheme(async (theme) => {
			await take(`yours-${theme}`, tree.view());
			await workbench.begin("troupe.selectModel");
			const picker = page.locator(".quick-input-widget");
			await picker.getByText("Offline").first().waitFor();
			await take(`model-${theme}`, picker);
			await page.keyboard.press("Escape");
		});
		await foldAgents(testWindow);
		await inEachTheme((theme) => take(`open-${theme}`));
		await chat.message(request);
		await chat.plan().waitUntilSettled();
		await inEachTheme(async (theme) => {
			await chat.plan().card.evaluate((card) => card.scrollIntoView({ block: "start" }));
			await take(`plan-${theme}`);
		});
		await chat.plan().execute();
		await chat.approval("Run npm test").waitUntilSettled();
		await inEachTheme(async (theme) => {
			await chat.plan().card.evaluate((card) => card.scrollIntoView({ block: "start" }));
			await take(`execute-${theme}`);
			await chat.approval("Run npm test").card.evaluate((card) => card.scrollIntoView({ block: "end" }));
			await take(`permissions-${theme}`);
		});
	});
});

function fail(): never {
	throw new Error("The window belongs to no browser");
}

// Makes the moving picture of the README, and the pictures of the walkthrough in every theme: `npm run e2e -- demo --readme`.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Film } from "./film.ts";
import { openShop, type Stage } from "./stage.ts";

const media = process.env["E2E_MEDIA"];
const request = "Rename formatPrice to formatMoney everywhere";
const LENGTH = 12_000;

async function save(name: string, bytes: Uint8Array): Promise<void> {
	const file = join(media ?? "", name);
	await mkdir(dirname(file), { recursive: true });
	await writeFile(file, bytes);
}

async function openBeside({ workbench, chat, page }: Stage): Promise<void> {
	await workbench.openFile("src/money.ts");
	await workbench.openView("Troupe");
	await workbench.widenSideBar(430);
	await chat.ready();
	await page.locator(".sidebar .pane-header").filter({ hasText: "Agents" }).click();
	await page.mouse.move(700, 420);
}

(media === undefined ? describe.skip : describe)("the pictures of Troupe", function () {
	this.timeout(600_000);

	it("move through a request, its plan, an approval and the result", async () => {
		const stage = await openShop({ width: 1180, height: 740 });
		const { workbench, chat, page } = stage;
		await openBeside(stage);
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
		await film.watch(chat.plan().settled(), 350, 3);
		await film.caption("2. Read the plan: nothing has changed");
		await chat.plan().card.evaluate((card) => card.scrollIntoView({ block: "start" }));
		await film.hold(1_900);
		await chat.plan().executeButton().scrollIntoViewIfNeeded();
		await film.hold(900);
		await film.caption("3. The actor carries it out");
		await film.press(chat.plan().executeButton(), () => chat.plan().executeButton().click());
		await film.watch(chat.approval("Run npm test").settled(), 300, 6);
		await film.caption("4. Commands ask first");
		await film.hold(1_500);
		await film.press(chat.approval("Run npm test").allowButton(), () => chat.approval("Run npm test").allowButton().click());
		await film.watch(chat.idle(), 300, 4);
		await workbench.editor().waitFor();
		await film.caption("Done. Every edit can be undone.");
		await film.hold(2_200);
		await save("demo.webp", await film.develop(page.context().browser() ?? fail(), LENGTH));
	});
});

function fail(): never {
	throw new Error("The window belongs to no browser");
}

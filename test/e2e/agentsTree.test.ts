// Tests the agents tree: colors, reasons on broken and unapproved agents, hidden agents, pinned sessions and search.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "./expect.ts";
import { openWindow, type TestWindow, takeScreenshot } from "./testWindow.ts";

const agents = [
	{ agentId: "writer", displayName: "Writer", description: "Writes notes", systemPrompt: "Write.", icon: "pencil", color: "charts.purple" },
	{ agentId: "secret", displayName: "Secret", systemPrompt: "Hide.", uiVisible: false },
	{ agentId: "damaged", displayName: "Damaged", systemPrompt: "", toolAllowlist: "read_file" },
];

describe("the tree of agents", function () {
	this.timeout(240_000);

	it("the tree of agents says why an agent is unusable, and omits hidden agents", async () => {
		const testWindow = await openWindow({ settings: { "troupe.agents": agents }, width: 1360, height: 1_180 });
		const { workbench, chat, tree, folder, page } = testWindow;
		await workbench.sideBar.open("Troupe");
		await workbench.sideBar.widen(420);
		await chat.ready();
		await tree.item("Writer").waitFor();
		// A row is drawn anew when the first session comes.
		const shown = async () => (await tree.labels()).filter((label) => /^(General Assistant|Writer|Secret|damaged)\b/.test(label));
		await expect
			.poll(shown, { message: "in order, without the hidden one" })
			.toEqual([
				expect.stringMatching(/^General Assistant/),
				expect.stringMatching(/^Writer/),
				expect.stringMatching(/^damaged.*can't be used: Entry 3 in troupe\.agents, toolAllowlist: /),
			]);
		const colors = await Promise.all(["General Assistant", "Writer"].map((name) => colorOf(testWindow, name)));
		assert.equal(new Set(colors).size, 2, colors.join());

		await mkdir(join(folder, ".troupe", "agents"), { recursive: true });
		const brought = { agentId: "brought", displayName: "Brought", systemPrompt: "Obey." };
		await writeFile(join(folder, ".troupe", "agents", "brought.json"), JSON.stringify(brought));
		await tree.item(/brought.*needs your review/i).waitFor();
		await takeScreenshot(page, "tree");
		await tree.open(/brought.*needs your review/i);
		await workbench.editors.tab("Manage Agents").waitFor();
	});

	it("the tree of agents lists pinned sessions first, and search finds words of a conversation", async () => {
		const testWindow = await openWindow({ settings: { "troupe.agents": agents }, width: 1360, height: 1_180 });
		const { workbench, chat, tree, page } = testWindow;
		// Rows move when one is added: what is pressed next waits for it.
		const ask = async (word: string): Promise<void> => {
			await chat.message(`Find ${word}`);
			await chat.waitUntilIdle();
			await tree.item(new RegExp(`^Find ${word}`)).waitFor();
		};
		await workbench.sideBar.open("Troupe");
		await workbench.sideBar.widen(420);
		await ask("discount");
		await tree.press(/^Writer/, "New Session", chat.agent("Writer"));
		await chat.waitUntilSettled();
		await ask("formatPrice");
		await tree.press(/^Writer/, "New Session", chat.emptyConversation());
		await chat.waitUntilSettled();
		await ask("inventory");
		const order = async (): Promise<string> =>
			(await tree.labels())
				.filter((label) => !/Main Agent/.test(label))
				.map((label) => /Assistant|Writer|discount|formatPrice|inventory/i.exec(label)?.[0] ?? label)
				.join(" ");
		await expect.poll(order, { message: "the newest is first" }).toMatch(/^Assistant discount Writer inventory formatPrice/);
		await tree.press(/formatPrice/, "Pin Session", tree.item(/formatPrice.*pinned/));
		await expect.poll(order, { message: "the pinned one is" }).toMatch(/^Assistant discount Writer formatPrice inventory/);
		await tree.item(/formatPrice.*pinned/).waitFor();

		await workbench.begin("troupe.searchSessions");
		// Words of an answer, which no title has.
		await workbench.quickInput.type("Searching `discount");
		const hit = workbench.quickInput.option("Find discount");
		await hit.waitFor();
		await takeScreenshot(page, "search");
		await hit.click();
		await chat.text("Find discount").first().waitFor();
		await chat.agentIs("General Assistant");
	});
});

async function colorOf({ tree }: TestWindow, name: string): Promise<string> {
	return tree
		.item(name)
		.first()
		.locator(".custom-view-tree-node-item-icon")
		.evaluate((icon) => getComputedStyle(icon).color || getComputedStyle(icon, "::before").color);
}

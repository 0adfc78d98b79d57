// Tests the agents tree: colors, reasons on broken and unapproved agents, hidden agents, pinned sessions and search.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openShop, picture, type Stage, until } from "./stage.ts";

const agents = [
	{ agentId: "writer", displayName: "Writer", description: "Writes notes", systemPrompt: "Write.", icon: "pencil", color: "charts.purple" },
	{ agentId: "secret", displayName: "Secret", systemPrompt: "Hide.", uiVisible: false },
	{ agentId: "damaged", displayName: "Damaged", systemPrompt: "", toolAllowlist: "read_file" },
];

describe("the tree of agents", function () {
	this.timeout(240_000);

	/** Labels of the rows, agents of other tests among them, from the top, as far as they are drawn. */
	async function rows({ tree }: Stage): Promise<string[]> {
		const drawn = await tree.view().getByRole("treeitem").all();
		const placed = await Promise.all(
			drawn.map(async (row) => ({ top: (await row.boundingBox())?.y ?? 0, label: (await row.getAttribute("aria-label")) ?? "" })),
		);
		return placed.sort((one, other) => one.top - other.top).map(({ label }) => label);
	}

	it("shows agents in their colors, the broken and the waiting with their reason, and no hidden ones", async () => {
		const stage = await openShop({ settings: { "troupe.agents": agents }, width: 1360, height: 1_180 });
		const { workbench, chat, tree, folder, page } = stage;
		await workbench.openView("Troupe");
		await workbench.widenSideBar(420);
		await chat.ready();
		await tree.item("Writer").waitFor();
		// A row is drawn anew when the first session comes.
		const shown = await until("they stand in order, without the hidden one", async () => {
			const labels = (await rows(stage)).filter((label) => /^(General Assistant|Writer|Secret|damaged)\b/.test(label));
			assert.deepEqual(
				labels.map((label) => label.split(",")[0]),
				["General Assistant", "Writer", "damaged"],
			);
			return labels;
		});
		assert.match(shown.at(-1) ?? "", /can't be used: Entry 3 in troupe\.agents, toolAllowlist: /);
		const colors = await Promise.all(["General Assistant", "Writer"].map((name) => colorOf(stage, name)));
		assert.equal(new Set(colors).size, 2, colors.join());

		await mkdir(join(folder, ".troupe", "agents"), { recursive: true });
		const brought = { agentId: "brought", displayName: "Brought", systemPrompt: "Obey." };
		await writeFile(join(folder, ".troupe", "agents", "brought.json"), JSON.stringify(brought));
		await tree.item(/brought.*needs your review/i).waitFor();
		await picture(page, "tree");
		await tree.open(/brought.*needs your review/i);
		await workbench.editorTab("Manage Agents").waitFor();
	});

	it("shows sessions below their agent, pinned ones first, and finds them by what was said", async () => {
		const stage = await openShop({ settings: { "troupe.agents": agents }, width: 1360, height: 1_180 });
		const { workbench, chat, tree, page } = stage;
		// Rows move when one is added: what is pressed next waits for it.
		const ask = async (word: string): Promise<void> => {
			await chat.message(`Find ${word}`);
			await chat.idle();
			await tree.item(new RegExp(`^Find ${word}`)).waitFor();
		};
		await workbench.openView("Troupe");
		await workbench.widenSideBar(420);
		await ask("discount");
		await tree.inlineAction(/^Writer/, "New Session");
		await until("it is the writer's", async () => /Writer/.test((await chat.combobox("Agent").getAttribute("title")) ?? ""));
		await ask("formatPrice");
		await tree.inlineAction(/^Writer/, "New Session");
		await until("it is empty", async () => (await chat.articles().count()) === 0);
		await ask("inventory");
		const order = async (): Promise<string> =>
			(await rows(stage))
				.filter((label) => !/Main Agent/.test(label))
				.map((label) => /Assistant|Writer|discount|formatPrice|inventory/i.exec(label)?.[0] ?? label)
				.join(" ");
		await until("the newest is first", async () => (await order()).startsWith("Assistant discount Writer inventory formatPrice"));
		await tree.inlineAction(/formatPrice/, "Pin Session", tree.item(/formatPrice.*pinned/));
		await until("the pinned one is", async () => (await order()).startsWith("Assistant discount Writer formatPrice inventory"));
		await tree.item(/formatPrice.*pinned/).waitFor();

		await workbench.command("Troupe: Search Sessions");
		const input = page.locator(".quick-input-widget input").first();
		await input.waitFor();
		// Words of an answer, which no title has.
		await input.fill("Searching `discount");
		const hit = page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "Find discount" }).first();
		await hit.waitFor();
		await picture(page, "search");
		await hit.click();
		await chat.text("Find discount").first().waitFor();
		await until("it is the other agent's", async () =>
			/General Assistant/.test((await chat.combobox("Agent").getAttribute("title")) ?? ""),
		);
	});
});

async function colorOf({ tree }: Stage, name: string): Promise<string> {
	return tree
		.item(name)
		.first()
		.locator(".custom-view-tree-node-item-icon")
		.evaluate((icon) => getComputedStyle(icon).color || getComputedStyle(icon, "::before").color);
}

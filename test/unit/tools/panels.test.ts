// The open panels as tools tell them: bounded, as JSON, and without protected files.
import assert from "node:assert/strict";
import { filterVisibleEditors } from "../../../src/core/openEditors.ts";
import type { ToolContext } from "../../../src/core/ports/tool.ts";
import type { OpenEditor } from "../../../src/core/prompt.ts";
import { panelTools } from "../../../src/tools/openEditors.ts";

const file = (id: string, over: Partial<OpenEditor> = {}): OpenEditor => {
	const name = id.slice(id.lastIndexOf("/") + 1);
	return { id: `tab-${id}`, type: "editor", title: name, active: false, visible: false, item: { type: "file", id, name }, ...over };
};

/** A disk on which everything in the folder but `hidden` may be shown. */
async function call(name: string, panels: readonly OpenEditor[], input: object = {}): Promise<Record<string, unknown>> {
	const tool = panelTools(() => panels).find((candidate) => candidate.name === name);
	const context = {
		visible: async (path: string) => path.startsWith("/home/shop/") && !path.includes("hidden"),
		workspace: { folders: () => [{ name: "shop", path: "/home/shop" }] },
	} as unknown as ToolContext;
	const { output = "" } = (await tool?.run?.(tool.input.parse(input), context)) ?? {};
	return JSON.parse(output) as Record<string, unknown>;
}

describe("tools about open panels", () => {
	it("list what is open, with what is in it where that is asked for", async () => {
		const panels = [
			file("src/cart.ts", { active: true, visible: true, lines: [12, 20], selected: ["a1", "b2"] }),
			{ ...file("x"), item: undefined } as never,
		];
		const basic = { id: "tab-src/cart.ts", type: "editor", title: "cart.ts", active: true, visible: true };
		assert.deepEqual((await call("panels_list", panels))["panels"], [
			basic,
			{ id: "tab-x", type: "editor", title: "x", active: false, visible: false },
		]);
		assert.deepEqual(await call("panels_selected", panels), { panel: basic });
		assert.deepEqual(await call("panels_selected", panels, { includeContext: true }), {
			panel: { ...basic, item: { type: "file", id: "src/cart.ts", name: "cart.ts" }, lines: "12-20", selected: ["a1", "b2"] },
		});
	});

	it("tell a view by its name and query", async () => {
		const { item: _, ...view } = file("v", { active: true, view: { name: "Open tasks", query: "tag:open" } });
		const { panel } = await call("panels_selected", [view], { includeContext: true });
		assert.deepEqual((panel as { view: unknown }).view, { name: "Open tasks", query: "tag:open" });
	});

	it("leave protected files out and say how many, by path and by title", async () => {
		const diff = { ...file("src/a.ts"), title: ".env (Working Tree)" };
		const panels = [file("hidden/key.ts"), file("/etc/passwd"), diff, file("src/b.ts", { active: true })];
		const listed = await call("panels_list", panels);
		assert.equal((listed["panels"] as unknown[]).length, 1);
		assert.equal(listed["protected_left_out"], 3);
		assert.deepEqual(await call("panels_selected", [file("hidden/x", { active: true })]), { panel: null, protected_left_out: 1 });
	});

	it("leave out what cannot be judged, and look for a file in the folder that its path names", async () => {
		const folders = ["shop", "bank"].map((name) => ({ name, path: `/home/${name}` }));
		const looked: string[] = [];
		const told = await filterVisibleEditors([file("bank/vault.ts"), file("shop/src/a.ts"), file("shop/gone.ts")], {
			folders: () => folders,
			async visible(path) {
				looked.push(path);
				if (path.includes("gone")) throw new Error("The disk is away.");
				return path.startsWith("/home/shop/src");
			},
		});
		assert.deepEqual(looked, ["/home/bank/vault.ts", "/home/shop/src/a.ts", "/home/shop/gone.ts"]);
		assert.deepEqual([told.shown.map(({ id }) => id), told.left], [["tab-shop/src/a.ts"], 2]);
	});

	it("say when nothing is selected", async () => {
		assert.deepEqual(await call("panels_selected", []), { panel: null });
	});

	it("are bounded", async () => {
		const panels = Array.from({ length: 500 }, (_, index) => file(`src/${index}.ts`, { title: "t".repeat(100_000) }));
		const listed = await call("panels_list", panels);
		assert.equal((listed["panels"] as unknown[]).length, 100);
		assert.equal(listed["more"], 400);
		assert.ok(JSON.stringify(listed).length < 40_000);
	});
});

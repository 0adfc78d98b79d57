// "Manage Agents": what keys reach and choose, and its texts in every language.

import assert from "node:assert/strict";
import { checkPage } from "../accessibility.ts";
import { boxOf, hasFocus, nextFrame, ofType, textOf } from "../browser.ts";
import { agentStates } from "../states/agents.ts";
import { answerCheck, limited, releaseNotes } from "../states/agentsHost.ts";
import { lastPosted, openAgents, openEditor, waitForPosted } from "./openAgents.ts";

it("Tab in Manage Agents leads through the list and the editor in reading order", async () => {
	const { chat } = await openEditor();
	await chat.getByRole("button", { name: "New", exact: true }).focus();
	const names: string[] = [];
	for (let presses = 0; presses < 100; presses += 1) {
		await chat.keyboard.press("Tab");
		const name = await chat.evaluate(() => {
			const { activeElement: at } = document;
			if (!at || at === document.body) return undefined;
			return at.getAttribute("aria-label") ?? (at as HTMLInputElement).labels?.[0]?.textContent ?? at.textContent ?? "";
		});
		if (name === undefined) break;
		names.push(name.trim());
	}
	const order = [
		"Agents",
		"Save",
		"Revert",
		"Duplicate",
		"Delete",
		"Name",
		"Description",
		"Icon",
		"Prompt",
		"Model",
		"Extends",
		"Default role",
	];
	assert.deepEqual(
		names.filter((name) => order.includes(name)),
		order,
	);
	assert.equal(names[0], "Agents", "one stop for the whole list");
	assert.ok(names.indexOf("Allow tools") < names.indexOf("Deny tools") && names.indexOf("Deny tools") < names.indexOf("Linear"));
	assert.equal(new Set(names).size >= 25, true, names.join(", "));
	assert.ok(names.length < 60, "the focus came to an end");
});

it("arrow keys, Home and End in the list of agents select what they reach", async () => {
	const page = await openAgents(agentStates.agentsMany.update, agentStates.agentsEmpty.after);
	const { chat, posted } = page;
	await posted();
	const list = chat.getByRole("listbox", { name: "Agents" });
	await list.focus();
	const selected = async () => {
		const id = await list.getAttribute("aria-activedescendant");
		const option = chat.locator(`[id="${id}"]`);
		assert.equal(await option.getAttribute("aria-selected"), "true");
		const [row, box] = [await boxOf(option), await boxOf(list)];
		assert.ok(row.y >= box.y && row.y + row.height <= box.y + box.height + 1, "it is in sight");
		return await option.getAttribute("aria-label");
	};
	await chat.keyboard.press("ArrowDown");
	assert.equal(await selected(), "Agent 1");
	await chat.keyboard.press("End");
	assert.equal(await selected(), "Agent 100");
	await chat.keyboard.press("ArrowDown");
	await chat.keyboard.press("ArrowUp");
	assert.equal(await selected(), "Agent 99");
	await chat.keyboard.press("Home");
	assert.equal(await selected(), "General Assistant");
	const ways = ofType(await posted(), "choose").map(({ key }) => key);
	assert.deepEqual(ways, ["agent:a0", "agent:a99", "agent:a99", "agent:a98", "agent:default"]);
	await chat.getByRole("textbox", { name: "Search agents" }).fill("agent 7");
	assert.equal(await list.getByRole("option").count(), 11);
	await list.focus();
	await chat.keyboard.press("ArrowDown");
	assert.equal(await selected(), "Agent 7");
	await chat.getByRole("textbox", { name: "Search agents" }).fill("nobody");
	await chat.getByText("No matching agents").waitFor();
});

it("an agent's icon can be searched and chosen by keyboard, and Escape changes nothing", async () => {
	const { chat } = await openEditor();
	const button = chat.getByRole("button", { name: "Icon" });
	await button.focus();
	await chat.keyboard.press("Enter");
	const search = chat.getByRole("combobox", { name: "Search icons" });
	await search.waitFor();
	const marked = async () => (await search.getAttribute("aria-activedescendant"))?.replace(/^icon-/, "") ?? "";
	assert.equal(await marked(), "book", "it opens at the one it has");
	for (const [query, first] of [
		["flask", "beaker"],
		["version control", "source-control"],
		["robot", "hubot"],
		["experimental", "beaker"],
		["bug", "bug"],
	] as const) {
		await search.fill(query);
		const found = await chat
			.getByRole("listbox", { name: "Icons" })
			.getByRole("option")
			.evaluateAll((all) => all.map((one) => (one as HTMLElement).title));
		assert.ok(found.includes(first), `${query}: ${found.slice(0, 8)}`);
	}
	await search.fill("arrow");
	const names = await chat
		.getByRole("listbox", { name: "Icons" })
		.getByRole("option")
		.evaluateAll((all) => all.map((one) => (one as HTMLElement).title));
	const at = async () => names.indexOf(await marked());
	for (const [key, index] of [
		["ArrowRight", 1],
		["ArrowDown", 11],
		["ArrowLeft", 10],
		["ArrowUp", 0],
		["ArrowUp", 0],
	] as const) {
		await chat.keyboard.press(key);
		assert.equal(await at(), index, key);
	}
	await chat.keyboard.press("Escape");
	assert.match(await textOf(button), /book/);
	assert.equal(await hasFocus(button), true);
	await chat.keyboard.press("Enter");
	await search.fill("flask");
	await chat.keyboard.press("Enter");
	assert.match(await textOf(button), /beaker/);
	assert.equal(await hasFocus(button), true);
});

it("an agent's MCP server says that its tools are excluded, and one click allows them", async () => {
	const page = await openEditor();
	const servers = page.chat.getByRole("group", { name: "MCP servers" });
	await servers.getByText("Its allowed tools exclude every tool of Linear.").waitFor();
	await servers.getByRole("button", { name: "Allow Tools of Linear" }).click();
	await waitForPosted(page, "check");
	const draft = await page.chat.evaluate(() => window.posted.findLast((message) => message.type === "check")?.draft);
	assert.deepEqual(draft?.toolAllowlist, [...releaseNotes.toolAllowlist, "mcp__linear__*"]);
	await answerCheck(page, { ...limited, shut: [] });
	await servers.getByText("exclude every tool of").waitFor({ state: "detached" });
});

it("colors of an agent are radio buttons, and arrow keys choose one", async () => {
	const page = await openEditor();
	const { chat } = page;
	await chat.getByRole("radio", { name: "No color" }).focus();
	await chat.keyboard.press("ArrowRight");
	const first = await chat.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");
	assert.notEqual(first, "No color");
	assert.equal(await chat.getByRole("radio", { name: first, exact: true }).isChecked(), true);
	const { draft } = await lastPosted(page, "check");
	assert.notEqual(draft.color, releaseNotes.color);
});

it("an agent's colors are in groups of four, and the chosen color is named", async () => {
	const { chat } = await openEditor();
	const fours = await chat.locator(".swatches .four").evaluateAll((all) => all.map((four) => four.querySelectorAll("input").length));
	assert.deepEqual(fours, [4, 4, 4, 4, 4, 4]);
	const edges = await chat.locator(".four .codicon").evaluateAll((all) => all.map((one) => getComputedStyle(one).boxShadow));
	assert.equal(edges.includes("none"), false);
	await chat.getByRole("radio", { name: "Terminal bright red" }).check({ force: true });
	await chat.locator(".field-hint", { hasText: /^Terminal bright red$/ }).waitFor();
});

for (const language of ["de", "zh-cn"] as const) {
	it(`Manage Agents in ${language} is translated, fits at every width, and has no accessibility fault`, async () => {
		for (const name of ["agentsEdit", "agentsInherit", "agentsWaiting", "agentsFixed"] as const) {
			const { update, after } = agentStates[name];
			const { chat, errors } = await openAgents(update, after, { language });
			await chat.waitForFunction(() => !document.querySelector(".review .buttons [aria-disabled=true]"));
			for (const width of [1_100, 700, 380]) {
				await chat.setViewportSize({ width, height: 900 });
				await nextFrame(chat);
				await chat.screenshot({ path: `out/ui/${name}-${language}-${width}.png` });
				assert.deepEqual(await chat.evaluate(cutOff), [], `${name} at ${width}`);
			}
			const violations = await checkPage(chat);
			assert.deepEqual(
				violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`),
				[],
				name,
			);
			assert.deepEqual(errors, []);
		}
	});
}

/** What is wider than the page, and buttons whose words do not fit into them. */
function cutOff(): string[] {
	const wide = [...document.querySelectorAll(".agents *")].filter(
		(part) => part.getBoundingClientRect().right > innerWidth + 1 && !part.closest(".sr-only, .diff, .globs"),
	);
	const full = [...document.querySelectorAll("button")].filter(
		(one) => one.scrollWidth > one.clientWidth + 1 && !one.closest(".row, .chooser"),
	);
	return [...wide, ...full].map((node) => node.outerHTML.slice(0, 120));
}

// The page "Manage Agents" in the hand: what keys reach and choose, and its words in every language.
import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import { agentStates } from "./agentStates.mjs";
import { answerCheck, limited, releaseNotes } from "./agentsHost.mjs";
import { agentsOpen, asked, last } from "./agentsOpen.mjs";

export function agentsPage(test, open) {
	const { opened, editing } = agentsOpen(open);

	test("agents page: Tab leads from the list through the editor in the order it is read, and nothing traps it", async () => {
		const { chat } = await editing();
		await chat.getByRole("button", { name: "New", exact: true }).focus();
		const names = [];
		for (let presses = 0; presses < 100; presses += 1) {
			await chat.keyboard.press("Tab");
			const name = await chat.evaluate(() => {
				const { activeElement: at } = document;
				return at === document.body ? undefined : (at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent ?? at.textContent);
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

	test("agents page: arrows, Home and End go through the list and show what they lead to; 100 agents are found by name", async () => {
		const page = await opened(agentStates.agentsMany.update, agentStates.agentsEmpty.after);
		const { chat, posted } = page;
		await posted();
		const list = chat.getByRole("listbox", { name: "Agents" });
		await list.focus();
		const selected = async () => {
			const id = await list.getAttribute("aria-activedescendant");
			const option = chat.locator(`[id="${id}"]`);
			assert.equal(await option.getAttribute("aria-selected"), "true");
			const [row, box] = [await option.boundingBox(), await list.boundingBox()];
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
		const ways = (await posted()).filter(({ type }) => type === "choose").map(({ key }) => key);
		assert.deepEqual(ways, ["agent:a0", "agent:a99", "agent:a99", "agent:a98", "agent:default"]);
		await chat.getByRole("textbox", { name: "Find an agent" }).fill("agent 7");
		assert.equal(await list.getByRole("option").count(), 11);
		await list.focus();
		await chat.keyboard.press("ArrowDown");
		assert.equal(await selected(), "Agent 7");
		await chat.getByRole("textbox", { name: "Find an agent" }).fill("nobody");
		await chat.getByText("No agent is called that.").waitFor();
	});

	test("agents page: the icons are searched and chosen by keyboard, and Escape leaves the icon as it was", async () => {
		const { chat } = await editing();
		const button = chat.getByRole("button", { name: "Icon" });
		await button.focus();
		await chat.keyboard.press("Enter");
		const search = chat.getByRole("combobox", { name: "Search icons" });
		await search.waitFor();
		const marked = async () => (await search.getAttribute("aria-activedescendant")).replace(/^icon-/, "");
		assert.equal(await marked(), "book", "it opens at the one it has");
		for (const [query, first] of [
			["flask", "beaker"],
			["version control", "source-control"],
			["robot", "hubot"],
			["experimental", "beaker"],
			["bug", "bug"],
		]) {
			await search.fill(query);
			const found = await chat
				.getByRole("listbox", { name: "Icons" })
				.getByRole("option")
				.evaluateAll((all) => all.map((one) => one.title));
			assert.ok(found.includes(first), `${query}: ${found.slice(0, 8)}`);
		}
		await search.fill("arrow");
		const names = await chat
			.getByRole("listbox", { name: "Icons" })
			.getByRole("option")
			.evaluateAll((all) => all.map((one) => one.title));
		const at = async () => names.indexOf(await marked());
		for (const [key, index] of [
			["ArrowRight", 1],
			["ArrowDown", 11],
			["ArrowLeft", 10],
			["ArrowUp", 0],
			["ArrowUp", 0],
		]) {
			await chat.keyboard.press(key);
			assert.equal(await at(), index, key);
		}
		await chat.keyboard.press("Escape");
		assert.match(await button.textContent(), /book/);
		assert.equal(await button.evaluate((one) => one === document.activeElement), true);
		await chat.keyboard.press("Enter");
		await search.fill("flask");
		await chat.keyboard.press("Enter");
		assert.match(await button.textContent(), /beaker/);
		assert.equal(await button.evaluate((one) => one === document.activeElement), true);
	});

	test("agents page: beside the servers stands which of them the list leaves out, and one press lets it in", async () => {
		const page = await editing();
		const servers = page.chat.getByRole("group", { name: "MCP servers" });
		await servers.getByText("What it may use leaves out every tool of Linear.").waitFor();
		await servers.getByRole("button", { name: "Allow the tools of Linear" }).click();
		await asked(page, "check");
		const { draft } = await page.chat.evaluate(() => window.posted.findLast(({ type }) => type === "check"));
		assert.deepEqual(draft.toolAllowlist, [...releaseNotes.toolAllowlist, "mcp__linear__*"]);
		await answerCheck(page, { ...limited, shut: [] });
		await servers.getByText("leaves out every tool").waitFor({ state: "detached" });
	});

	test("agents page: colours are radio buttons, and arrows choose among them", async () => {
		const page = await editing();
		const { chat } = page;
		await chat.getByRole("radio", { name: "No color" }).focus();
		await chat.keyboard.press("ArrowRight");
		const first = await chat.evaluate(() => document.activeElement.getAttribute("aria-label"));
		assert.notEqual(first, "No color");
		assert.equal(await chat.getByRole("radio", { name: first, exact: true }).isChecked(), true);
		const { draft } = await last(page, "check");
		assert.notEqual(draft.color, releaseNotes.color);
	});

	test("agents page: colours stand in fours, each with an edge, and the chosen one is named", async () => {
		const { chat } = await editing();
		const fours = await chat.locator(".swatches .four").evaluateAll((all) => all.map((four) => four.querySelectorAll("input").length));
		assert.deepEqual(fours, [4, 4, 4, 4, 4, 4]);
		const edges = await chat.locator(".four .codicon").evaluateAll((all) => all.map((one) => getComputedStyle(one).boxShadow));
		assert.equal(edges.includes("none"), false);
		await chat.getByRole("radio", { name: "Terminal bright red" }).check({ force: true });
		await chat.locator(".field-hint", { hasText: /^Terminal bright red$/ }).waitFor();
	});

	for (const language of ["de", "zh-cn"]) {
		test(`agents page: it speaks ${language}, its words fit at every width, and axe finds nothing`, async () => {
			for (const name of ["agentsEdit", "agentsInherit", "agentsWaiting", "agentsFixed"]) {
				const { update, after } = agentStates[name];
				const { chat, errors } = await opened(update, after, { language });
				await chat.waitForFunction(() => !document.querySelector(".review .buttons [aria-disabled=true]"));
				for (const width of [1_100, 700, 380]) {
					await chat.setViewportSize({ width, height: 900 });
					await chat.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
					await chat.screenshot({ path: `out/ui/${name}-${language}-${width}.png` });
					assert.deepEqual(await chat.evaluate(cutOff), [], `${name} at ${width}`);
				}
				const { violations } = await new AxeBuilder({ page: chat }).disableRules(["heading-order"]).analyze();
				assert.deepEqual(
					violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`),
					[],
					name,
				);
				assert.deepEqual(errors, []);
			}
		});
	}
}

/** What is wider than the page, and buttons whose words do not fit into them. */
function cutOff() {
	const wide = [...document.querySelectorAll(".agents *")].filter(
		(part) => part.getBoundingClientRect().right > innerWidth + 1 && !part.closest(".sr-only, .diff, .globs"),
	);
	const full = [...document.querySelectorAll("button")].filter(
		(one) => one.scrollWidth > one.clientWidth + 1 && !one.closest(".row, .chooser"),
	);
	return [...wide, ...full].map((node) => node.outerHTML.slice(0, 120));
}

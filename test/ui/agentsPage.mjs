// The page "Manage Agents" in the hand: keys, drafts, problems, approvals that cannot be forged, and names that attack.
import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import { agentStates, answerCheck, detailOf, everything, limited, releaseNotes, snapshotOf, waitingDetail } from "./agentStates.mjs";

const KEY = "agent:release-notes";
const { rows: ROWS } = agentStates.agentsEdit.update.view;
const WAITING = agentStates.agentsWaiting.update;
const REVIEWER = WAITING.view.rows.find(({ kind }) => kind === "waiting").key;
const HASH = waitingDetail().hash;
const EVIL = "<img src=https://evil.example/x onerror=alert(1)><b>x</b>\u202e [a](command:x)";

export function agentsPage(test, open) {
	const opened = async (update, after = [], options = {}) => {
		const page = await open({ bundle: "agents", width: 1_100, reducedMotion: "reduce", ...options });
		await page.send(update);
		await page.sendAll(after);
		await page.chat.waitForSelector(".editor-body");
		return page;
	};
	const editing = async (draft = releaseNotes, over = {}, options = {}) => {
		const page = await opened(
			snapshotOf(ROWS, options.view),
			[{ type: "select", key: KEY }, detailOf(KEY, draft, { scope: limited, ...over })],
			options.page,
		);
		await page.chat.waitForFunction((name) => document.querySelector("#f-displayName")?.value === name, draft.displayName);
		await page.posted();
		return page;
	};
	const waiting = async () => {
		const page = await opened(WAITING, [
			{ type: "select", key: REVIEWER },
			{ type: "detail", key: REVIEWER, detail: waitingDetail() },
		]);
		await page.chat.getByRole("button", { name: "Approve" }).waitFor();
		await page.posted();
		return page;
	};
	const asked = (page, type) => page.chat.waitForFunction((wanted) => window.posted.some((message) => message.type === wanted), type);
	const last = async (page, type) => {
		await asked(page, type);
		return (await page.posted()).findLast((message) => message.type === type);
	};

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

	test("agents page: an agent is made without a pointer, and Ctrl+S keeps it", async () => {
		const page = await opened(agentStates.agentsEmpty.update, agentStates.agentsEmpty.after);
		const { chat, send, posted } = page;
		await chat.getByRole("button", { name: "New", exact: true }).focus();
		await chat.keyboard.press("Enter");
		await chat.waitForFunction(() => document.activeElement?.id === "f-displayName");
		await chat.keyboard.type("Release notes");
		await chat.keyboard.press("Enter");
		await chat.keyboard.press("Tab");
		await chat.keyboard.type("Writes what is new");
		await answerCheck(page, everything);
		await chat.keyboard.press("Control+s");
		const saved = await last(page, "save");
		assert.deepEqual(saved, { type: "save", key: "new:1", draft: { displayName: "Release notes", description: "Writes what is new" } });
		await send({ type: "view", view: snapshotOf(ROWS).view });
		await send(detailOf(KEY, saved.draft));
		await send({ type: "saved", key: "new:1", as: KEY });
		await chat.getByRole("option", { name: "Release notes", exact: true }).and(chat.locator("[aria-selected=true]")).waitFor();
		await chat.waitForFunction(() => [...document.querySelectorAll("[role=status]")].some(({ textContent }) => textContent === "Saved"));
		await chat.waitForFunction(() => document.activeElement !== document.body);
		await posted();
		await chat.keyboard.press("Control+s");
		assert.deepEqual(
			(await posted()).filter(({ type }) => type === "save"),
			[],
			"there is nothing to save",
		);
	});

	test("agents page: what keeps an agent from being saved is at its field, the first takes the focus, and it is said", async () => {
		const page = await editing();
		const { chat, send } = page;
		await chat.getByRole("textbox", { name: "Name" }).fill("");
		await chat.getByRole("textbox", { name: "Description" }).focus();
		await chat.keyboard.press("Control+s");
		await last(page, "save");
		const problems = [
			{ field: "displayName", problem: "An agent needs a name." },
			{ field: "capabilityDenylist.0", problem: "`{a` is no pattern." },
		];
		await send({ type: "refused", key: KEY, problems });
		await chat.waitForFunction(() => document.activeElement?.id === "f-displayName");
		const name = chat.getByRole("textbox", { name: "Name" });
		assert.equal(await name.getAttribute("aria-invalid"), "true");
		assert.match(await name.getAttribute("aria-describedby"), /f-displayName-problem/);
		assert.equal(await chat.locator("#f-displayName-problem").textContent(), "An agent needs a name.");
		assert.equal(await chat.locator("details.further").getAttribute("open"), "", "what is wrong is not hidden");
		await chat.keyboard.press("Control+s");
		await last(page, "save");
		await send({ type: "refused", key: KEY, problems });
		await chat.waitForFunction(() => document.querySelector(".agents > [role=status]")?.textContent === "An agent needs a name.");
	});

	test("agents page: a problem that comes while one types in its field is said politely", async () => {
		const page = await editing();
		const deny = page.chat.getByRole("textbox", { name: "Deny tools" });
		await deny.fill("{a,b");
		await answerCheck(page, limited, [{ field: "toolDenylist.0", problem: "Its brace is not closed." }]);
		await page.chat.waitForFunction(() => document.querySelector(".agents > [role=status]")?.textContent === "Its brace is not closed.");
		assert.equal(await deny.evaluate((box) => box === document.activeElement), true);
	});

	test("agents page: a bare execute_command among the standing approvals is refused at the field, with its reason", async () => {
		const page = await editing();
		const { chat, send } = page;
		const box = chat.getByRole("textbox", { name: "Standing approvals" });
		await box.fill("execute_command");
		await box.press("Enter");
		assert.deepEqual((await last(page, "check")).draft.allowedTools, [...releaseNotes.allowedTools, "execute_command"]);
		await chat.keyboard.press("Control+s");
		await last(page, "save");
		const problem = "Commands are never allowed all at once.";
		await send({ type: "refused", key: KEY, problems: [{ field: "allowedTools.2", problem }] });
		await chat.locator("#f-allowedTools-problem").getByText(problem).waitFor();
		assert.equal(await box.getAttribute("aria-invalid"), "true");
		assert.equal(await box.evaluate((input) => input === document.activeElement), true);
		await chat.getByRole("button", { name: "Remove execute_command", exact: true }).click();
		assert.deepEqual((await last(page, "check")).draft.allowedTools, releaseNotes.allowedTools);
	});

	test("agents page: standing approvals that were not changed here are saved as they are by now", async () => {
		const page = await editing();
		const { chat, send } = page;
		await chat.getByRole("textbox", { name: "Description" }).fill("Changed");
		await answerCheck(page, limited);
		await send(detailOf(KEY, { ...releaseNotes, allowedTools: ["notes_write"] }, { scope: limited }));
		await chat.getByText("This agent was changed elsewhere").waitFor();
		await chat.keyboard.press("Control+s");
		assert.deepEqual((await last(page, "save")).draft.allowedTools, ["notes_write"], "what was taken back meanwhile does not return");
	});

	test("agents page: a list is inherited, cleared, or one's own, and stays so through a save", async () => {
		const page = await editing({ displayName: "Child", extends: "default", toolDenylist: null, toolAllowlist: null });
		const { chat, send } = page;
		const deny = chat.getByRole("group", { name: "Deny tools" });
		const choice = async () => await deny.getByRole("radio", { checked: true }).evaluate((radio) => radio.labels[0].textContent);
		assert.equal(await choice(), "None");
		assert.equal(await chat.getByRole("group", { name: "Allow tools" }).getByRole("radio", { name: "Every tool" }).isChecked(), true);
		await chat.getByRole("textbox", { name: "Description" }).fill("x");
		await chat.keyboard.press("Control+s");
		let { draft } = await last(page, "save");
		assert.deepEqual(draft, { displayName: "Child", extends: "default", toolDenylist: null, toolAllowlist: null, description: "x" });
		await deny.getByRole("radio", { name: "Only these" }).check();
		await deny.getByRole("textbox").fill("web_*\n");
		await chat.keyboard.press("Control+s");
		({ draft } = await last(page, "save"));
		assert.deepEqual(draft.toolDenylist, ["web_*"]);
		await deny.getByRole("textbox").fill("");
		assert.equal(await choice(), "Only these", "it stays open while one types");
		await chat.keyboard.press("Control+s");
		({ draft } = await last(page, "save"));
		assert.equal(draft.toolDenylist, null, "an empty list of one's own denies nothing");
		await deny.getByRole("radio", { name: "As General Assistant" }).check();
		await chat.keyboard.press("Control+s");
		({ draft } = await last(page, "save"));
		assert.equal("toolDenylist" in draft, false);
		await send(detailOf(KEY, draft));
		assert.equal(await choice(), "As General Assistant");
	});

	test("agents page: a draft outlives the page, whether it has its own state or the host's alone", async () => {
		const page = await editing();
		const { chat, send } = page;
		await chat.getByRole("textbox", { name: "Description" }).fill("Half a thought");
		const { drafts } = await last(page, "keep");
		assert.equal(drafts[KEY].draft.description, "Half a thought");
		await chat.reload();
		await asked(page, "ready");
		await send(snapshotOf(ROWS));
		await send(detailOf(KEY, releaseNotes, { scope: limited }));
		await chat.getByRole("option", { name: "Release notes, not saved" }).waitFor();
		assert.equal(await chat.getByRole("textbox", { name: "Description" }).inputValue(), "Half a thought");
		const other = await opened({ ...snapshotOf(ROWS), drafts }, [
			{ type: "select", key: KEY },
			detailOf(KEY, releaseNotes, { scope: limited }),
		]);
		await other.chat.getByRole("img", { name: "Not saved" }).waitFor();
		assert.equal(await other.chat.getByRole("textbox", { name: "Description" }).inputValue(), "Half a thought");
		await other.chat.getByRole("button", { name: "Revert" }).click();
		assert.equal(await other.chat.getByRole("textbox", { name: "Description" }).inputValue(), releaseNotes.description);
		assert.deepEqual((await last(other, "keep")).drafts, {});
	});

	test("agents page: the resulting tools are told politely as they change, and an answer to an older draft is not shown", async () => {
		const page = await editing();
		const { chat, send } = page;
		const sum = chat.getByRole("region", { name: "Resulting tools" }).getByRole("status");
		assert.match(await sum.textContent(), /^7 of 22 tools/);
		await sum.evaluate((node) => {
			window.sum = node;
		});
		const allow = chat.getByRole("textbox", { name: "Allow tools" });
		await allow.fill("*");
		const { ask } = await last(page, "check");
		await allow.fill("read_*");
		await answerCheck(page, { ...limited, offered: 3 });
		await chat.getByText("3 of 22 tools").waitFor();
		await send({ type: "checked", ask, key: KEY, problems: [], scope: everything });
		await chat.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
		assert.match(await sum.textContent(), /^3 of 22 tools/);
		assert.equal(await sum.evaluate((node) => node === window.sum), true, "a live region that is made anew is not read");
		assert.equal(await allow.evaluate((box) => box === document.activeElement), true);
	});

	test("agents page: an approval comes of a person's own click alone, not at once, with the newest token", async () => {
		const page = await waiting();
		const { chat, send, posted } = page;
		const button = chat.getByRole("button", { name: "Approve" });
		await button.evaluate((one) => one.click());
		await button.dispatchEvent("click");
		await chat.waitForSelector(".buttons [aria-disabled=false]");
		await button.evaluate((one) => one.click());
		await button.dispatchEvent("click");
		await button.evaluate((one) => one.dispatchEvent(new PointerEvent("click", { bubbles: true, isTrusted: true })));
		assert.deepEqual(await posted(), [], "what no person did");
		await send({ type: "token", token: "token-2" });
		await button.click();
		assert.deepEqual(await posted(), [{ type: "approve", key: REVIEWER, hash: HASH, token: "token-2" }]);
		await button.press("Enter");
		assert.deepEqual(await posted(), [], "a token goes out once");
		const words = await chat.evaluate(() => `${document.documentElement.outerHTML} ${JSON.stringify(sessionStorage)}`);
		assert.doesNotMatch(words, /token-[12]/, "no token can be read from the page");
	});

	test("agents page: another content of a definition must be looked at anew before it can be approved", async () => {
		const { chat, send, posted } = await waiting();
		await chat.waitForSelector(".buttons [aria-disabled=false]");
		await send({ type: "detail", key: REVIEWER, detail: waitingDetail({ hash: "b".repeat(64), text: "{}" }) });
		await chat.waitForSelector(".buttons [aria-disabled=true]");
		await chat.waitForSelector(".buttons [aria-disabled=false]");
		await chat.getByRole("button", { name: "Approve" }).click();
		const [intent] = await posted();
		assert.equal(intent.hash, "b".repeat(64));
	});

	test("agents page: names, prompts, paths and reasons of others are words, whatever is in them", async () => {
		const view = snapshotOf(ROWS).view;
		const rows = [
			...ROWS.map((row) => ({ ...row, label: EVIL, description: EVIL, place: EVIL, icon: EVIL, color: "red;x", notes: [EVIL], grants: 2 })),
			{ kind: "broken", key: "broken:x", label: EVIL, origin: "workspace", place: EVIL, problem: EVIL },
			{ kind: "waiting", key: REVIEWER, label: EVIL, origin: "workspace", place: EVIL, icon: EVIL, changed: true },
		];
		const evil = {
			...releaseNotes,
			displayName: EVIL,
			description: EVIL,
			systemPrompt: EVIL,
			icon: EVIL,
			model: EVIL,
			extends: EVIL,
			roles: [EVIL],
			mcpServers: [EVIL],
			allowedTools: [EVIL],
			toolDenylist: [EVIL],
		};
		const scope = {
			...limited,
			groups: [
				{ plugin: EVIL, label: EVIL, offered: [EVIL], cut: [{ list: "toolDenylist", pattern: EVIL, tools: [EVIL], capabilities: [EVIL] }] },
			],
			roles: [{ id: "x", label: EVIL, tools: 1 }],
			shut: [{ name: EVIL, pattern: EVIL }],
			unknown: [EVIL],
			idle: [EVIL],
		};
		const update = {
			type: "snapshot",
			drafts: {},
			token: "token-1",
			view: {
				...view,
				rows,
				roles: [{ id: "x", label: EVIL, icon: EVIL, may: EVIL }],
				servers: [{ id: "x", name: EVIL, description: EVIL, icon: EVIL, problem: EVIL }],
				models: [{ label: EVIL, models: [{ id: "x/y", name: EVIL }], problem: EVIL }],
				auto: EVIL,
			},
		};
		const { chat, send, errors, requests } = await opened(update, [
			{ type: "select", key: KEY },
			detailOf(KEY, evil, {
				scope,
				problems: [
					{ field: "", problem: EVIL },
					{ field: "systemPrompt", problem: EVIL },
				],
			}),
		]);
		const inspect = () =>
			chat.evaluate(() => {
				const all = [...document.querySelectorAll("#root *")];
				const attributes = all.flatMap((element) =>
					[...element.attributes].filter(({ name }) => /^on|^(?:src|srcset|href|action|style)$/i.test(name)),
				);
				const texts = all.flatMap((element) => [...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data));
				const turned = texts.filter((text) => /[\u202a-\u202e]/.test(text));
				return [
					all.filter((element) => /^(?:img|script|iframe|object|embed|base|svg)$/.test(element.localName)).length,
					attributes.map(({ name, value }) => `${name}=${value}`),
					turned,
				];
			});
		await chat.getByText("evil.example").first().waitFor();
		assert.deepEqual(await inspect(), [0, [], []]);
		assert.equal(await chat.getByRole("textbox", { name: "Prompt" }).inputValue(), EVIL);
		await send({ type: "select", key: "broken:x" });
		await chat.getByText("This definition is left out").waitFor();
		assert.deepEqual(await inspect(), [0, [], []]);
		await send({ type: "select", key: REVIEWER });
		await send({
			type: "detail",
			key: REVIEWER,
			detail: waitingDetail({
				text: EVIL,
				diff: `@@ -1,1 +1,1 @@\n-${EVIL}\n+${EVIL}x`,
				scope,
				roles: EVIL,
				may: EVIL,
				servers: [EVIL],
				ignored: [EVIL],
			}),
		});
		await chat.getByRole("button", { name: "Approve" }).waitFor();
		assert.deepEqual((await inspect()).slice(0, 2), [0, []]);
		assert.deepEqual([errors, requests], [[], []]);
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

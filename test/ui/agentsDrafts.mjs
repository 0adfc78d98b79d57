// Drafts on the page "Manage Agents": how they are kept, checked, refused and saved.
import assert from "node:assert/strict";
import { agentStates } from "./agentStates.mjs";
import { answerCheck, detailOf, everything, limited, releaseNotes, snapshotOf } from "./agentsHost.mjs";
import { agentsOpen, asked, KEY, last, ROWS } from "./agentsOpen.mjs";

export function agentsDrafts(test, open) {
	const { opened, editing } = agentsOpen(open);

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
		await send(detailOf(KEY, saved.draft));
		await send({ type: "saved", key: "new:1", as: KEY, view: snapshotOf(ROWS).view });
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
}

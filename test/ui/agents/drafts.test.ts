// Drafts in "Manage Agents": how they are kept, checked, refused and saved.

import assert from "node:assert/strict";
import type { AgentDraft } from "../../../src/core/agent.ts";
import { hasFocus, nextFrame, ofType, textOf } from "../browser.ts";
import { agentStates } from "../states/agents.ts";
import { answerCheck, detailOf, everything, limited, releaseNotes, snapshotOf } from "../states/agentsHost.ts";
import { KEY, lastPosted, openAgents, openEditor, ROWS, waitForPosted } from "./openAgents.ts";

it("an agent can be created without a pointer, and Ctrl+S saves it", async () => {
	const page = await openAgents(agentStates.agentsEmpty.update, agentStates.agentsEmpty.after);
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
	const saved = await lastPosted(page, "save");
	assert.deepEqual(saved, { type: "save", key: "new:1", draft: { displayName: "Release notes", description: "Writes what is new" } });
	await send(detailOf(KEY, saved.draft));
	await send({ type: "saved", key: "new:1", as: KEY, view: snapshotOf(ROWS).view });
	await chat.getByRole("option", { name: "Release notes", exact: true }).and(chat.locator("[aria-selected=true]")).waitFor();
	await chat.waitForFunction(() => [...document.querySelectorAll("[role=status]")].some(({ textContent }) => textContent === "Saved"));
	await chat.waitForFunction(() => document.activeElement !== document.body);
	await posted();
	await chat.keyboard.press("Control+s");
	assert.deepEqual(ofType(await posted(), "save"), [], "there is nothing to save");
});

it("opt-in plugins are named one per line, and an empty list is saved as none", async () => {
	const saved = async (draft: AgentDraft, text: string) => {
		const page = await openEditor(draft);
		await page.chat.getByRole("textbox", { name: "Opt-in plugins" }).fill(text);
		await page.chat.keyboard.press("Control+s");
		return (await lastPosted(page, "save")).draft.optIn;
	};
	assert.deepEqual(await saved(releaseNotes, " tasks \n\nmemory"), ["tasks", "memory"]);
	assert.equal(await saved({ ...releaseNotes, optIn: ["tasks"] }, "\n"), undefined);
});

it("problems that keep an agent from being saved are shown at their fields", async () => {
	const page = await openEditor();
	const { chat, send } = page;
	await chat.getByRole("textbox", { name: "Name" }).fill("");
	await chat.getByRole("textbox", { name: "Description" }).focus();
	await chat.keyboard.press("Control+s");
	await lastPosted(page, "save");
	const problems = [
		{ field: "displayName", problem: "An agent needs a name." },
		{ field: "capabilityDenylist.0", problem: "`{a` is no pattern." },
	];
	await send({ type: "refused", key: KEY, problems });
	await chat.waitForFunction(() => document.activeElement?.id === "f-displayName");
	const name = chat.getByRole("textbox", { name: "Name" });
	assert.equal(await name.getAttribute("aria-invalid"), "true");
	assert.match((await name.getAttribute("aria-describedby")) ?? "", /f-displayName-problem/);
	assert.equal(await textOf(chat.locator("#f-displayName-problem")), "An agent needs a name.");
	assert.equal(await chat.locator("details.further").getAttribute("open"), "", "what is wrong is not hidden");
	await chat.keyboard.press("Control+s");
	await lastPosted(page, "save");
	await send({ type: "refused", key: KEY, problems });
	await chat.waitForFunction(() => document.querySelector(".agents > [role=status]")?.textContent === "An agent needs a name.");
});

it("a problem that appears while typing is announced and leaves the focus in the field", async () => {
	const page = await openEditor();
	const deny = page.chat.getByRole("textbox", { name: "Deny tools" });
	await deny.fill("{a,b");
	await answerCheck(page, limited, [{ field: "toolDenylist.0", problem: "Its brace is not closed." }]);
	await page.chat.waitForFunction(() => document.querySelector(".agents > [role=status]")?.textContent === "Its brace is not closed.");
	assert.equal(await hasFocus(deny), true);
});

it("an agent's approval of execute_command without a command is refused at the field", async () => {
	const page = await openEditor();
	const { chat, send } = page;
	const box = chat.getByRole("textbox", { name: "Saved approvals" });
	await box.fill("execute_command");
	await box.press("Enter");
	assert.deepEqual((await lastPosted(page, "check")).draft.allowedTools, [...releaseNotes.allowedTools, "execute_command"]);
	await chat.keyboard.press("Control+s");
	await lastPosted(page, "save");
	const problem = "Commands are never allowed all at once.";
	await send({ type: "refused", key: KEY, problems: [{ field: "allowedTools.2", problem }] });
	await chat.locator("#f-allowedTools-problem").getByText(problem).waitFor();
	assert.equal(await box.getAttribute("aria-invalid"), "true");
	assert.equal(await hasFocus(box), true);
	await chat.getByRole("button", { name: "Remove execute_command", exact: true }).click();
	assert.deepEqual((await lastPosted(page, "check")).draft.allowedTools, releaseNotes.allowedTools);
});

it("saving a draft keeps approvals of the agent that were changed elsewhere meanwhile", async () => {
	const page = await openEditor();
	const { chat, send } = page;
	await chat.getByRole("textbox", { name: "Description" }).fill("Changed");
	await answerCheck(page, limited);
	await send(detailOf(KEY, { ...releaseNotes, allowedTools: ["notes_write"] }, { scope: limited }));
	await chat.getByText("This agent was changed elsewhere").waitFor();
	await chat.keyboard.press("Control+s");
	assert.deepEqual((await lastPosted(page, "save")).draft.allowedTools, ["notes_write"], "what was taken back meanwhile does not return");
});

it("an agent's tool list is saved as inherited, empty or its own", async () => {
	const page = await openEditor({ displayName: "Child", extends: "default", toolDenylist: null, toolAllowlist: null });
	const { chat, send } = page;
	const deny = chat.getByRole("group", { name: "Deny tools" });
	const choice = async () =>
		await deny.getByRole("radio", { checked: true }).evaluate((radio) => (radio as HTMLInputElement).labels?.[0]?.textContent);
	assert.equal(await choice(), "None");
	assert.equal(await chat.getByRole("group", { name: "Allow tools" }).getByRole("radio", { name: "Every tool" }).isChecked(), true);
	await chat.getByRole("textbox", { name: "Description" }).fill("x");
	await chat.keyboard.press("Control+s");
	let { draft } = await lastPosted(page, "save");
	assert.deepEqual(draft, { displayName: "Child", extends: "default", toolDenylist: null, toolAllowlist: null, description: "x" });
	await deny.getByRole("radio", { name: "Only these" }).check();
	await deny.getByRole("textbox").fill("web_*\n");
	await chat.keyboard.press("Control+s");
	({ draft } = await lastPosted(page, "save"));
	assert.deepEqual(draft.toolDenylist, ["web_*"]);
	await deny.getByRole("textbox").fill("");
	assert.equal(await choice(), "Only these", "it stays open while one types");
	await chat.keyboard.press("Control+s");
	({ draft } = await lastPosted(page, "save"));
	assert.equal(draft.toolDenylist, null, "an empty list of one's own denies nothing");
	await deny.getByRole("radio", { name: "Same as General Assistant" }).check();
	await chat.keyboard.press("Control+s");
	({ draft } = await lastPosted(page, "save"));
	assert.equal("toolDenylist" in draft, false);
	await send(detailOf(KEY, draft));
	assert.equal(await choice(), "Same as General Assistant");
});

it("a draft of an agent survives closing the page, even with only the host's state", async () => {
	const page = await openEditor();
	const { chat, send } = page;
	await chat.getByRole("textbox", { name: "Description" }).fill("Half a thought");
	const { drafts } = await lastPosted(page, "keep");
	assert.equal(drafts[KEY]?.draft.description, "Half a thought");
	await chat.reload();
	await waitForPosted(page, "ready");
	await send(snapshotOf(ROWS));
	await send(detailOf(KEY, releaseNotes, { scope: limited }));
	await chat.getByRole("option", { name: "Release notes, Unsaved changes" }).waitFor();
	assert.equal(await chat.getByRole("textbox", { name: "Description" }).inputValue(), "Half a thought");
	const other = await openAgents({ ...snapshotOf(ROWS), drafts }, [
		{ type: "select", key: KEY },
		detailOf(KEY, releaseNotes, { scope: limited }),
	]);
	await other.chat.getByRole("img", { name: "Unsaved changes" }).waitFor();
	assert.equal(await other.chat.getByRole("textbox", { name: "Description" }).inputValue(), "Half a thought");
	await other.chat.getByRole("button", { name: "Revert" }).click();
	assert.equal(await other.chat.getByRole("textbox", { name: "Description" }).inputValue(), releaseNotes.description);
	assert.deepEqual((await lastPosted(other, "keep")).drafts, {});
});

it("the last letter of an agent's draft is kept if the window closes at once", async () => {
	const { chat } = await openEditor();
	const field = chat.getByRole("textbox", { name: "Description" });
	await field.fill("Half a thought");
	const kept = await field.evaluate((element) => {
		(element as HTMLInputElement).value = "Half a thought!";
		element.dispatchEvent(new InputEvent("input", { bubbles: true }));
		return sessionStorage.getItem("kept");
	});
	assert.match(kept ?? "", /"Half a thought!"/);
});

it("a draft's resulting tools are announced, and a result for an older draft is ignored", async () => {
	const page = await openEditor();
	const { chat, send } = page;
	const sum = chat.getByRole("region", { name: "Resulting tools" }).getByRole("status");
	assert.match(await textOf(sum), /^7 of 22 tools/);
	await sum.evaluate((node) => {
		window.marked = node;
	});
	const allow = chat.getByRole("textbox", { name: "Allow tools" });
	await allow.fill("*");
	const { ask } = await lastPosted(page, "check");
	await allow.fill("read_*");
	await answerCheck(page, { ...limited, offered: 3 });
	await chat.getByText("3 of 22 tools").waitFor();
	await send({ type: "checked", ask, key: KEY, problems: [], scope: everything });
	await nextFrame(chat);
	assert.match(await textOf(sum), /^3 of 22 tools/);
	assert.equal(await sum.evaluate((node) => node === window.marked), true, "a live region that is made anew is not read");
	assert.equal(await hasFocus(allow), true);
});

it("an agent's output is saved only if it differs from the usual output", async () => {
	const saved = async (draft: AgentDraft, now: string, next: string) => {
		const page = await openEditor(draft);
		const { chat } = page;
		const output = chat.getByRole("group", { name: "Output" });
		assert.ok(await output.getByRole("radio", { name: now }).isChecked());
		await output.getByRole("radio", { name: next }).check();
		await chat.keyboard.press("Control+s");
		return (await lastPosted(page, "save")).draft.output;
	};
	assert.equal(await saved(releaseNotes, "Text", "Replies"), "reply");
	assert.equal(await saved({ ...releaseNotes, output: "reply" }, "Replies", "Text"), undefined);
});

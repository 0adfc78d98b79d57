// Cards and lines of the conversation before, during and after what they show.
import assert from "node:assert/strict";
import type { DisplayEvent } from "../../../src/shared/protocol/chat.ts";
import { boxOf, continueSession, hasFocus, type OpenOptions, openChat, showSnapshot, textOf } from "../browser.ts";
import { blob, FILES, keptAll, putBack, reasons, sevenFiles, several } from "../states/calls.ts";
import { states } from "../states/conversation.ts";
import { change, ended, event, planEvent, result, snapshot, started, user } from "../states/events.ts";

/** Pixels of the view in a window of 1,080, below the tabs and above the status bar. */
const SCREEN = 960;

const shown = async (events: DisplayEvent[], options?: OpenOptions) => showSnapshot(await openChat(options), snapshot(events));

it("waiting tool calls say so and stay folded until the host runs them", async () => {
	const events = several();
	const page = await shown(events);
	const { chat, send } = page;
	const happens = continueSession(page, events);
	const group = chat.getByRole("group", { name: "Waiting: Run rm -rf dist" });
	await group.waitFor();
	await chat.getByRole("group", { name: "Waiting: Edit src/a.ts" }).waitFor();
	const quiet = async () => {
		assert.equal(await chat.getByText(/^Running/).count(), 0);
		assert.equal(await chat.locator(".calls .codicon-modifier-spin, .calls .spinner").count(), 0);
		assert.equal(await group.getByRole("button").getAttribute("aria-expanded"), "false");
		assert.equal(await chat.getByRole("button", { name: "Show Terminal" }).count(), 0);
	};
	await quiet();
	await happens(
		event("answered", { request: "rw", hash: "hash-w1", answer: { allow: true } }, "person"),
		result("w1", "ok", { kind: "command", command: "npm test", cwd: ".", exitCode: 0, output: "o1", changed: [] }),
	);
	await chat.getByRole("group", { name: "Ran npm test" }).waitFor();
	await quiet();
	await group.getByRole("button").click();
	assert.equal(await chat.getByRole("button", { name: "Show Terminal" }).count(), 0);
	await send({ type: "live", event: { type: "progress", call: "w2", text: "" } });
	await chat.getByRole("group", { name: "Running rm -rf dist" }).getByRole("button", { name: "Show Terminal" }).waitFor();
	await chat.getByRole("group", { name: "Waiting: Edit src/a.ts" }).waitFor();
});

it("a chat opened while a command runs shows the command's output so far", async () => {
	const events = several().slice(0, 3);
	const { chat } = await showSnapshot(await openChat(), { ...snapshot(events), printed: { w1: "12 passed\n" } });
	await chat.getByRole("group", { name: "Running npm test" }).getByText("12 passed").waitFor();
	await chat.getByRole("group", { name: "Waiting: Run rm -rf dist" }).waitFor();
});

it("the first file change of a turn is open, and the others take one line", async () => {
	const { chat, posted } = await shown(sevenFiles(), { width: 300, height: SCREEN });
	assert.equal(
		await chat
			.getByRole("group", { name: `Edited ${FILES[0]}` })
			.getByRole("button", { name: "Undo" })
			.count(),
		1,
	);
	const last = chat.getByRole("group", { name: `Edited ${FILES[6]}` });
	const { height } = await boxOf(last);
	assert.ok(height <= 26, `${height}px`);
	const beyond = await chat.locator(".scroller").evaluate((box) => box.scrollHeight - box.clientHeight);
	assert.ok(beyond <= 0, `${beyond}px beyond the screen`);
	await last.getByRole("button").click();
	await last.getByRole("button", { name: "Undo" }).click();
	assert.deepEqual(await posted(), [{ type: "undo", session: "s1", call: "s6", path: FILES[6] }]);
});

it("an undone change folds, says so and can be redone, even after a reload", async () => {
	const events = sevenFiles();
	const page = await shown(events);
	const { chat, posted } = page;
	const happens = continueSession(page, events);
	const first = chat.getByRole("group", { name: `Edited ${FILES[0]}` });
	const second = chat.getByRole("group", { name: `Edited ${FILES[1]}` });
	await first.getByRole("button", { name: "Undo" }).waitFor();
	const more = [putBack(FILES[0]), keptAll(FILES[1])];
	await happens(...more);
	const settled = async () => {
		await first.getByText("Undone").waitFor();
		await second.getByText("Kept").waitFor();
		assert.equal(await first.getByText("+2").count(), 0);
		assert.equal(await chat.getByRole("button", { name: "Undo", exact: true }).count(), 1, "the turn's own");
		await first.getByRole("button").first().click();
		assert.equal(await first.getByRole("button", { name: "Undo", exact: true }).count(), 0);
		await first.getByRole("button", { name: "Redo" }).click();
		assert.deepEqual(await posted(), [{ type: "redo", session: "s1", call: "s0", path: FILES[0] }]);
		await second.getByRole("button").first().click();
		assert.equal(await second.getByRole("button", { name: /Undo|Redo/ }).count(), 0);
	};
	await settled();
	await chat.evaluate(() => sessionStorage.clear());
	const again = await showSnapshot(await openChat(), snapshot([...events, ...more]));
	assert.equal(await again.chat.getByText("Undone").count(), 1);
	await happens(
		event("status", { level: "info", text: "Redid it.", redo: true, changes: [change(FILES[0], { diff: "", ...blob(FILES[0]) })] }),
	);
	await first.getByRole("button", { name: "Undo" }).waitFor();
});

it("a turn whose changes are all undone says so and has nothing to review", async () => {
	const { chat } = await shown([...sevenFiles(), putBack(...FILES)]);
	const line = chat.getByRole("group", { name: "Changed 7 files" });
	await line.getByText("Undone").waitFor();
	assert.equal(await line.getByRole("button").count(), 0);
});

it("an approval gives its reason in one line that expands to all reasons", async () => {
	const { chat, posted } = await shown(reasons(), { width: 300, height: 900 });
	const why = chat.getByRole("button", { name: /Makefile is a protected location/ });
	assert.ok((await boxOf(why)).height <= 24);
	assert.equal(await chat.getByText("Deleting always requires approval.").count(), 0);
	await why.click();
	await chat.getByText("Deleting always requires approval.").waitFor();
	await chat.getByText("This command uses the network.").waitFor();
	await chat.getByText("Requested by General Assistant.").waitFor();
	assert.deepEqual(await posted(), []);
});

it("Escape closes More Ways to Allow and returns the focus to its button", async () => {
	const { chat } = await shown(states.approval.update.events);
	const more = chat.getByRole("button", { name: "More Ways to Allow" });
	await more.click();
	assert.equal(await more.getAttribute("aria-expanded"), "true");
	await chat.locator(".scopes button").first().focus();
	await chat.keyboard.press("Escape");
	assert.equal(await more.getAttribute("aria-expanded"), "false");
	assert.ok(await hasFocus(more));
});

it("Escape cancels a denial that was started, and Ctrl+Enter in its reason denies", async () => {
	const { chat, posted } = await shown(reasons());
	const deny = chat.getByRole("button", { name: "Deny", exact: true, disabled: false });
	await deny.click();
	await chat.keyboard.press("Escape");
	await chat.getByRole("button", { name: "Allow", exact: true }).waitFor();
	await deny.click();
	await chat.keyboard.press("Control+Enter");
	assert.deepEqual(
		(await posted()).map((intent) => (intent.type === "answer" ? intent.answer : intent.type)),
		[{ allow: false }],
	);
});

it("the number of files that a turn changed leaves out those that were undone", async () => {
	const { chat } = await shown([...sevenFiles(), putBack(FILES[0], FILES[2])]);
	await chat.getByRole("group", { name: "Changed 5 files" }).waitFor();
});

it("sending a message while scrolled up scrolls to the message", async () => {
	const { chat, send } = await shown([...sevenFiles(), ...sevenFiles().map((one, index) => ({ ...one, turn: `again${index}` }))], {
		height: 400,
	});
	const fromEnd = () => chat.locator(".scroller").evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop);
	await chat.mouse.move(150, 150);
	await chat.mouse.wheel(0, -300);
	await chat.getByRole("button", { name: "Jump to Latest" }).waitFor();
	await chat.getByRole("textbox", { name: "Message" }).fill("And now the docs");
	await chat.keyboard.press("Enter");
	await chat.getByRole("button", { name: "Jump to Latest" }).waitFor({ state: "detached" });
	await chat.waitForFunction(() => {
		const box = document.querySelector(".scroller") as Element;
		return box.scrollHeight - box.clientHeight - box.scrollTop < 2;
	});
	assert.ok((await fromEnd()) < 2);
	await send({ type: "status", status: snapshot([]).status });
});

it("a plan taller than the page appears with its start visible", async () => {
	for (const [steps, sight] of [
		[30, "beginning"],
		[2, "end"],
	] as const) {
		const events = [...sevenFiles(), user("Plan it"), started("planner")];
		const page = await shown(events, { height: 700 });
		const { chat } = page;
		const long = Array.from({ length: steps }, (_, index) => ({ step_number: index + 1, action: `Change the part number ${index + 1}` }));
		await continueSession(page, events)(planEvent(1, { steps: long }), ended("waiting"));
		const plan = chat.getByRole("region", { name: /^Plan: / });
		await plan.waitFor();
		await plan.getByRole("button", { name: "Execute plan", disabled: false }).waitFor();
		const [card, box] = [await boxOf(plan), await boxOf(chat.locator(".scroller"))];
		assert.ok(card.y >= box.y && card.y < box.y + box.height / 2 + (sight === "end" ? box.height : 0), `${sight}: ${card.y}`);
		assert.equal(await chat.getByRole("button", { name: "Jump to Latest" }).count(), sight === "end" ? 0 : 1);
	}
});

it("a plan numbers its steps and lists their tools, with read-only tools dimmed", async () => {
	const events = [user("Plan it"), started("planner"), planEvent(1)];
	const { chat } = await shown(events);
	const steps = chat.getByRole("region", { name: /^Plan: / }).getByRole("listitem");
	assert.match(await textOf(steps.nth(1)), /^2\./);
	assert.deepEqual(await steps.locator(".tag").allTextContents(), ["update_file", "read_file", "update_file", "execute_command"]);
	assert.deepEqual(await steps.locator(".tag.quiet").allTextContents(), ["read_file"]);
	await chat.getByText(/^v1 · Jan 15, 2025, 14:\d\d$/).waitFor();
	const done = await showSnapshot(await openChat(), states.done.update);
	await done.chat.getByText(/of 4 steps · 1 deviation · Jan 15, 2025, 14:\d\d/).waitFor();
});

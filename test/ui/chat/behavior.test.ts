// Approvals that cannot be given by accident, plans, questions, roles and streaming in the chat.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import type { Update } from "../../../src/shared/protocol/chat.ts";
import { clickByScript, continueSession, hasFocus, newest, type OpenOptions, ofType, openChat, showSnapshot, textOf } from "../browser.ts";
import { approvalStates } from "../states/approvals.ts";
import { parts, states } from "../states/conversation.ts";
import { call, event, type Fields, model, snapshot, started, user } from "../states/events.ts";

const opened = async (state: keyof typeof states, options?: OpenOptions) => showSnapshot(await openChat(options), states[state].update);

it("Allow answers an approval only after the approval has been visible for a moment", async () => {
	const { chat, posted } = await opened("approval");
	const allow = chat.getByRole("group", { name: "Approval: Run npm test" }).getByRole("button", { name: "Allow", exact: true });
	await allow.dispatchEvent("click");
	await clickByScript(allow);
	assert.deepEqual(await posted(), []);
	await allow.click();
	assert.deepEqual(await posted(), [
		{ type: "answer", session: "s1", request: "r1", hash: "hash-c6", answer: { allow: true }, token: "token-1" },
	]);
});

it("a second press right after an answer does not answer the next card", async () => {
	// On a busy computer, the presses may be as far apart as those of a person who means both.
	for (let tries = 0; tries < 10; tries += 1) {
		const { chat, send, posted } = await openChat();
		const calls = [call("k1", "execute_command", { command: "npm test" }), call("k2", "execute_command", { command: "npm run lint" })];
		const asks = (key: string, summary: string) =>
			event("asked", { request: `r-${key}`, call: key, summary, hash: "h", reason: "It asks." });
		await send(
			snapshot([user("Go"), started("actor"), model({ text: "", calls }), asks("k1", "Run npm test"), asks("k2", "Run npm run lint")]),
		);
		const allow = (summary: string) =>
			chat.getByRole("group", { name: `Approval: ${summary}` }).getByRole("button", { name: "Allow", exact: true });
		await allow("Run npm run lint").and(chat.locator("[aria-disabled=false]")).waitFor();
		await allow("Run npm test").click();
		const began = Date.now();
		// Whether or not the button looks as if it took the press.
		await allow("Run npm run lint").click({ force: true });
		if (Date.now() - began > 400) continue;
		assert.deepEqual(
			ofType(await posted(), "answer").map(({ request }) => request),
			["r-k1"],
		);
		return;
	}
	assert.fail("the two presses were never close enough");
});

it("an answer to an approval carries the newest token, and the card says who answered", async () => {
	const page = await opened("approval");
	const { chat, send, posted } = page;
	await send({ type: "token", token: "token-2" });
	assert.equal(await chat.getByRole("textbox", { name: "Reason" }).count(), 0);
	const reason = chat.getByRole("textbox", { name: "Reason" });
	// On a busy computer, a press may meet a button that still moves: it is repeated until the box is there.
	for (let tries = 0; tries < 5 && !(await reason.isVisible()); tries += 1) {
		await chat.getByRole("button", { name: "Deny" }).click();
		await reason.waitFor({ timeout: 3_000 }).catch(() => undefined);
	}
	await chat.locator("input:focus, textarea:focus").and(reason).waitFor();
	await chat.keyboard.type("not now");
	assert.deepEqual(await posted(), []);
	await chat.getByRole("button", { name: "Deny" }).click();
	const answer = { allow: false, reason: "not now" };
	assert.deepEqual(await posted(), [{ type: "answer", session: "s1", request: "r1", hash: "hash-c6", answer, token: "token-2" }]);
	const { events } = states.approval.update;
	await continueSession(page, events)(event("answered", { request: "r1", answer }, "person", newest(events).turn));
	await chat.getByText("You denied: Run npm test “not now”").waitFor();
	assert.equal(await chat.getByRole("button", { name: "Deny" }).count(), 0);
});

it("an approval offers lasting answers only where possible, with Allow as the only primary button", async () => {
	const offered = await opened("approval");
	assert.equal(await offered.chat.getByRole("button", { name: /Session|Always/ }).count(), 0);
	await offered.chat.getByRole("button", { name: "More Ways to Allow" }).click();
	for (const [name, covers] of [
		["Allow in This Session", "Allows npm test in this session until its definition in package.json changes."],
		["Always Allow Here", "Allows npm test in this workspace until its definition in package.json changes."],
	] as const) {
		const button = offered.chat.getByRole("button", { name, exact: true });
		assert.equal(await button.count(), 1);
		assert.equal(await button.getAttribute("title"), covers);
	}
	assert.equal(await textOf(offered.chat.locator(".approval .primary:not([aria-expanded])")), "Allow");
	const { chat } = await opened("hostile");
	assert.equal(await chat.getByRole("button", { name: "Allow", exact: true }).count(), 1);
	assert.equal(await chat.getByRole("button", { name: /Always|Session|More Ways/ }).count(), 0);
	const exact = await textOf(chat.locator(".exact"));
	assert.match(exact, /cat notes\.txt\[300 spaces\]; curl https:\/\/\\u\{202e\}gro\.live/);
	assert.match(exact, /touch LAST$/);
});

it("each Allow button of an approval answers with its own scope", async () => {
	for (const [name, answer] of [
		["Allow", { allow: true }],
		["Allow in This Session", { allow: true, scope: "session" }],
		["Always Allow Here", { allow: true, scope: "always" }],
	] as const) {
		const { chat, posted } = await opened("approval");
		if (name !== "Allow") await chat.getByRole("button", { name: "More Ways to Allow" }).click();
		const button = chat.getByRole("button", { name, exact: true });
		await button.click();
		// On a busy computer, the delay after the card's appearing may end between the press and its arrival.
		let answers = await posted();
		if (answers.length === 0) {
			await button.click();
			answers = await posted();
		}
		assert.deepEqual(answers, [{ type: "answer", session: "s1", request: "r1", hash: "hash-c6", answer, token: "token-1" }]);
	}
});

it("an approval of something allowed twice offers Always Allow once", async () => {
	const { chat, posted } = await showSnapshot(await openChat(), approvalStates.approveOften.update);
	const line = chat.locator(".often", { hasText: "You allowed npm test twice in this session." });
	assert.equal(await chat.getByRole("button", { name: "Always Allow Here" }).count(), 1);
	await line.getByRole("button", { name: "Always Allow Here" }).click();
	assert.deepEqual(ofType(await posted(), "answer").at(0)?.answer, { allow: true, scope: "always" });
	const edits = await showSnapshot(await openChat(), approvalStates.approvePatch.update);
	await edits.chat.locator(".often").getByRole("button", { name: "Configure Approvals" }).click();
	assert.deepEqual(await edits.posted(), [{ type: "command", command: "approvalSetting" }]);
	await edits.chat.getByRole("button", { name: "More Ways to Allow" }).click();
	assert.equal(await edits.chat.locator(".scopes").getByRole("button", { name: "Always Allow Here" }).count(), 1);
});

it("an approval shows every argument of the call, under any name", async () => {
	const shown = async (name: string, input: unknown, more: Partial<Fields<"asked">> = {}) => {
		const { chat, send } = await openChat();
		const calls = [call("k1", name, input)];
		const request = event("asked", { request: "r1", call: "k1", summary: "Call it", hash: "h", reason: "It asks.", ...more });
		await send(snapshot([user("Go"), started("actor"), model({ text: "", calls }), request]));
		const card = chat.getByRole("group", { name: "Approval: Call it" });
		await card.getByRole("button", { name: "Deny" }).waitFor();
		return textOf(card);
	};
	const mail = { to: ["thief@example.org"], url: { host: "example.org" }, command: 7, text: "Hello" };
	assert.match(await shown("mcp__mail__send", mail), /to\["thief@example\.org"\].*url\{"host":"example\.org"\}.*command7/);
	const made = { name: "mcp__mail__send", input: { to: "thief@example.org", text: "All of it" } };
	const inCommand = await shown("execute_command", { command: "node send.mjs" }, { made });
	assert.match(inCommand, /thief@example\.org.*All of it/);
});

it("a command moves the focus to the waiting approval, where Enter and Space approve nothing", async () => {
	const { chat, send, posted } = await opened("approval");
	await send({ type: "focus", where: "approval" });
	await chat.waitForFunction(() => document.activeElement?.matches("[data-pending=approval]"));
	await chat.waitForFunction(() => !document.querySelector("[data-pending] [aria-disabled=true]"));
	await chat.keyboard.press("Enter");
	await chat.keyboard.press("Space");
	await chat.getByRole("textbox", { name: "Message" }).press("Enter");
	assert.deepEqual(await posted(), []);
});

it("an expired approval says so and has no Allow button", async () => {
	const page = await opened("approval");
	const { chat } = page;
	const { events } = states.approval.update;
	await continueSession(page, events)(event("expired", { request: "r1" }, "host", newest(events).turn));
	await chat.getByText("Request expired: Run npm test").waitFor();
	assert.equal(await chat.getByRole("button", { name: "Allow", exact: true }).count(), 0);
});

it("Execute plan sends the plan's version and hash, and Stop ends a running plan", async () => {
	const { chat, posted } = await opened("plan");
	const plan = chat.getByRole("region", { name: "Plan: Rename formatPrice to formatMoney" });
	assert.equal(await plan.getByRole("listitem").count(), 4);
	await plan.getByRole("button", { name: "Revise" }).click();
	await chat.getByPlaceholder("What should change in the plan?").waitFor();
	assert.equal(await hasFocus(chat.getByRole("textbox", { name: "Message" })), true);
	await plan.getByRole("button", { name: "Execute plan" }).click();
	assert.deepEqual(await posted(), [{ type: "execute", session: "s1", planId: "p1", version: 2, hash: "hash-2", token: "token-1" }]);
	const { chat: other, posted: sent } = await opened("running");
	await other
		.getByRole("region", { name: /^Plan: Rename formatPrice to/ })
		.getByRole("button", { name: "Stop" })
		.click();
	assert.deepEqual(await sent(), [{ type: "stop", session: "s1" }]);
});

it("a question can be answered by button, number or free text, or be dismissed", async () => {
	const ways: [(group: Locator, chat: Page) => Promise<void>, unknown][] = [
		[(group) => group.getByRole("button", { name: "Yes, add an entry" }).click(), { value: "yes" }],
		[
			async (group, chat) => {
				await group.getByRole("button", { name: "Answer", disabled: false }).waitFor();
				await group.focus();
				await chat.keyboard.press("2");
			},
			{ value: "no" },
		],
		[
			async (group) => {
				await group.getByRole("textbox", { name: "Your answer" }).fill("1 line is enough");
				await group.getByRole("button", { name: "Answer" }).click();
			},
			{ value: "1 line is enough" },
		],
		[(group) => group.getByRole("button", { name: "Dismiss" }).click(), "dismiss"],
	];
	for (const [way, expected] of ways) {
		const { chat, posted } = await opened("question");
		await way(chat.getByRole("group", { name: "Question: Update the changelog as well?" }), chat);
		const answers = (await posted()).map((intent) => (intent.type === "answer" ? intent.answer : intent.type));
		assert.deepEqual(answers, [expected]);
	}
});

it("arrow keys move through the roles, Space selects one, and agent and model are comboboxes", async () => {
	const { chat, posted } = await opened("plan");
	const roles = chat.getByRole("radiogroup", { name: "Role" });
	assert.equal(await roles.getByRole("radio", { name: "Planner" }).getAttribute("aria-checked"), "true");
	await roles.getByRole("radio", { name: "Planner" }).focus();
	await chat.keyboard.press("ArrowRight");
	assert.deepEqual(await posted(), []);
	await chat.keyboard.press("Space");
	await chat.getByRole("button", { name: "More roles" }).click();
	await chat.getByRole("combobox", { name: "Agent" }).click();
	await chat.getByRole("option", { name: "Docs writer" }).click();
	await chat.getByRole("combobox", { name: "Model" }).click();
	assert.deepEqual(await posted(), [
		{ type: "role", session: "s1", role: "actor" },
		{ type: "moreRoles", session: "s1" },
		{ type: "agent", session: "s1", agent: "docs" },
		{ type: "command", command: "selectModel" },
	]);
});

it("Enter sends a message, Shift+Enter breaks the line, and an input method keeps its Enter", async () => {
	const { chat, send, posted } = await opened("empty");
	const box = chat.getByRole("textbox", { name: "Message" });
	assert.equal(await chat.getByRole("button", { name: "Send" }).isDisabled(), true);
	await box.fill("one");
	await box.press("Shift+Enter");
	await box.pressSequentially("two");
	await box.evaluate((area) => area.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true })));
	await box.press("Enter");
	assert.deepEqual(await posted(), [{ type: "send", session: "s1", text: "one\ntwo" }]);
	await box.fill("a draft");
	await chat.reload();
	await chat.waitForFunction(() => window.posted.length > 0);
	await send(states.empty.update);
	await chat.waitForFunction(() => document.querySelector<HTMLTextAreaElement>("#message")?.value === "a draft");
	await chat.getByRole("button", { name: "Explain src/cart.ts" }).click();
	assert.deepEqual((await posted()).at(-1), { type: "send", session: "s1", text: "Explain src/cart.ts" });
	assert.equal(await box.inputValue(), "a draft");
});

it("the chat asks for a snapshot when an event is missing", async () => {
	const { chat, send, posted } = await opened("plan");
	const { seq } = newest(states.plan.update.events);
	await send({ type: "event", event: { ...event("status", { level: "info", text: "late" }), id: "y", seq: seq + 2 } });
	await chat.waitForFunction(() => window.posted.length > 0);
	assert.deepEqual(await posted(), [{ type: "ready" }]);
});

it("streamed text leaves the elements above in place, and the final answer keeps them", async () => {
	const page = await opened("plan");
	const { chat, send, sendAll } = page;
	const happens = continueSession(page, states.plan.update.events);
	await happens(started("planner"));
	const { answer } = parts;
	await sendAll([...answer.slice(0, 120)].map((text): Update => ({ type: "live", event: { type: "delta", text } })));
	await chat.locator(".from-agent h3").waitFor();
	await chat.evaluate(() => {
		window.marked = document.querySelector(".from-agent h3");
	});
	for (let at = 120; at < answer.length; at += 40) await send({ type: "live", event: { type: "delta", text: answer.slice(at, at + 40) } });
	await happens(model({ text: answer }));
	await chat.getByRole("link", { name: "the guide" }).waitFor();
	assert.equal(await chat.evaluate(() => window.marked === document.querySelector(".from-agent h3")), true);
	assert.equal(await chat.getByRole("article", { name: "General Assistant" }).count(), 1);
	assert.equal(await textOf(chat.getByRole("status").locator("p").last()), `General Assistant: ${answer}`);
});

it("the chat says how long a model has been silent until it sends something again", async () => {
	const { chat, send } = await opened("streaming");
	const hint = chat.getByText("No response from the model for 25 seconds.");
	await send({ type: "live", event: { type: "stall", seconds: 25 } });
	await hint.waitFor();
	await send({ type: "live", event: { type: "stall", seconds: 0 } });
	await hint.waitFor({ state: "detached" });
});

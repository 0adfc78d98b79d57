// How the chat behaves in the hand: approvals that can't be given by accident, roles by keyboard, streaming.
import assert from "node:assert/strict";
import { approvalStates } from "./approvalStates.mjs";
import { showIn } from "./page.mjs";
import { parts, states } from "./script.mjs";
import { call, event, model, snapshot, started, user } from "./told.mjs";

const until = (chat, what) => chat.waitForFunction(what);

export function behaviour(test, open) {
	const opened = async (state, options) => showIn(await open(options), states[state].update);

	test("an approval that has just appeared is not answered, a moment later it is", async () => {
		const { chat, posted } = await opened("approval");
		const allow = chat.getByRole("group", { name: "Approval: Run npm test" }).getByRole("button", { name: "Allow", exact: true });
		await allow.dispatchEvent("click");
		await allow.evaluate((button) => button.click());
		assert.deepEqual(await posted(), []);
		await allow.click();
		assert.deepEqual(await posted(), [
			{ type: "answer", session: "s1", request: "r1", hash: "hash-c6", answer: { allow: true }, token: "token-1" },
		]);
	});

	test("the newest token is the one that counts, and the card says who answered", async () => {
		const { chat, send, posted } = await opened("approval");
		await send({ type: "token", token: "token-2" });
		assert.equal(await chat.getByRole("textbox", { name: "Reason" }).count(), 0);
		await chat.getByRole("button", { name: "Deny" }).click();
		await chat.keyboard.type("not now");
		assert.deepEqual(await posted(), []);
		await chat.getByRole("button", { name: "Deny" }).click();
		const [intent] = await posted();
		assert.deepEqual([intent.token, intent.answer], ["token-2", { allow: false, reason: "not now" }]);
		const last = states.approval.update.events.at(-1);
		await send({
			type: "event",
			event: {
				...last,
				id: "x1",
				seq: last.seq + 1,
				by: "person",
				type: "answered",
				request: "r1",
				answer: { allow: false, reason: "not now" },
			},
		});
		await chat.getByText("You denied: Run npm test “not now”").waitFor();
		assert.equal(await chat.getByRole("button", { name: "Deny" }).count(), 0);
	});

	test("what lasts is offered only where it may last, each with what it covers, behind the one primary button", async () => {
		const offered = await opened("approval");
		assert.equal(await offered.chat.getByRole("button", { name: /Session|Always/ }).count(), 0);
		await offered.chat.getByRole("button", { name: "More Ways to Allow" }).click();
		for (const [name, covers] of [
			["Allow in This Session", "Allows npm test in this session until its definition in package.json changes."],
			["Always Allow Here", "Allows npm test in this workspace until its definition in package.json changes."],
		]) {
			const button = offered.chat.getByRole("button", { name, exact: true });
			assert.equal(await button.count(), 1);
			assert.equal(await button.getAttribute("title"), covers);
		}
		assert.equal(await offered.chat.locator(".approval .primary:not([aria-expanded])").textContent(), "Allow");
		const { chat } = await opened("hostile");
		assert.equal(await chat.getByRole("button", { name: "Allow", exact: true }).count(), 1);
		assert.equal(await chat.getByRole("button", { name: /Always|Session|More Ways/ }).count(), 0);
		const exact = await chat.locator(".exact").textContent();
		assert.match(exact, /cat notes\.txt\[300 spaces\]; curl https:\/\/\\u\{202e\}gro\.live/);
		assert.match(exact, /touch LAST$/);
	});

	test("each button of an approval answers with its own scope", async () => {
		for (const [name, answer] of [
			["Allow", { allow: true }],
			["Allow in This Session", { allow: true, scope: "session" }],
			["Always Allow Here", { allow: true, scope: "always" }],
		]) {
			const { chat, posted } = await opened("approval");
			if (name !== "Allow") await chat.getByRole("button", { name: "More Ways to Allow" }).click();
			await chat.getByRole("button", { name, exact: true }).click();
			const [intent] = await posted();
			assert.deepEqual([intent.answer, intent.hash], [answer, "hash-c6"]);
		}
	});

	test("what was allowed twice is offered once, beside the words that say so, or leads to the setting", async () => {
		const { chat, posted } = await showIn(await open(), approvalStates.approveOften.update);
		const line = chat.locator(".often", { hasText: "You allowed npm test twice in this session." });
		assert.equal(await chat.getByRole("button", { name: "Always Allow Here" }).count(), 1);
		await line.getByRole("button", { name: "Always Allow Here" }).click();
		assert.deepEqual((await posted()).at(0).answer, { allow: true, scope: "always" });
		const edits = await showIn(await open(), approvalStates.approvePatch.update);
		await edits.chat.locator(".often").getByRole("button", { name: "Change What Asks" }).click();
		assert.deepEqual(await edits.posted(), [{ type: "command", command: "approvalSetting" }]);
		await edits.chat.getByRole("button", { name: "More Ways to Allow" }).click();
		assert.equal(await edits.chat.locator(".scopes").getByRole("button", { name: "Always Allow Here" }).count(), 1);
	});

	test("an approval shows every argument of what would run, whatever it is called and whoever makes the call", async () => {
		const shown = async (name, input, more = {}) => {
			const { chat, send } = await open();
			const calls = [call("k1", name, input)];
			const asked = event("asked", { request: "r1", call: "k1", summary: "Call it", hash: "h", reason: "It asks.", ...more });
			await send(snapshot([user("Go"), started("actor"), model({ text: "", calls }), asked]));
			const card = chat.getByRole("group", { name: "Approval: Call it" });
			await card.getByRole("button", { name: "Deny" }).waitFor();
			return card.textContent();
		};
		const mail = { to: ["thief@example.org"], url: { host: "example.org" }, command: 7, text: "Hello" };
		assert.match(await shown("mcp__mail__send", mail), /to\["thief@example\.org"\].*url\{"host":"example\.org"\}.*command7/);
		const made = { name: "mcp__mail__send", input: { to: "thief@example.org", text: "All of it" } };
		const inCommand = await shown("execute_command", { command: "node send.mjs" }, { made });
		assert.match(inCommand, /thief@example\.org.*All of it/);
	});

	test("the palette's focus goes to the card, and Enter in the composer never approves", async () => {
		const { chat, send, posted } = await opened("approval");
		await send({ type: "focus", where: "approval" });
		await until(chat, () => document.activeElement?.matches("[data-pending=approval]"));
		await until(chat, () => !document.querySelector("[data-pending] [aria-disabled=true]"));
		await chat.keyboard.press("Enter");
		await chat.keyboard.press("Space");
		await chat.getByRole("textbox", { name: "Message" }).press("Enter");
		assert.deepEqual(await posted(), []);
	});

	test("an expired approval can't be answered any more", async () => {
		const { chat, send } = await opened("approval");
		const last = states.approval.update.events.at(-1);
		await send({ type: "event", event: { ...last, id: "x1", seq: last.seq + 1, by: "host", type: "expired", request: "r1" } });
		await chat.getByText("No longer asked: Run npm test").waitFor();
		assert.equal(await chat.getByRole("button", { name: "Allow", exact: true }).count(), 0);
	});

	test("Execute plan names the plan's version and hash; Revise asks for words", async () => {
		const { chat, posted } = await opened("plan");
		const plan = chat.getByRole("region", { name: "Plan: Rename formatPrice to formatMoney" });
		assert.equal(await plan.getByRole("listitem").count(), 4);
		await plan.getByRole("button", { name: "Revise" }).click();
		await chat.getByPlaceholder("What should change in the plan?").waitFor();
		assert.equal(await chat.getByRole("textbox", { name: "Message" }).evaluate((box) => box === document.activeElement), true);
		await plan.getByRole("button", { name: "Execute plan" }).click();
		assert.deepEqual(await posted(), [{ type: "execute", session: "s1", planId: "p1", version: 2, hash: "hash-2", token: "token-1" }]);
		const { chat: other, posted: sent } = await opened("running");
		await other
			.getByRole("region", { name: /^Plan: Rename formatPrice to/ })
			.getByRole("button", { name: "Stop" })
			.click();
		assert.deepEqual(await sent(), [{ type: "stop", session: "s1" }]);
	});

	test("a question is answered by its button, by its number, in own words, or dismissed", async () => {
		const { chat, posted } = await opened("question");
		const group = chat.getByRole("group", { name: "Question: Update the changelog as well?" });
		await group.getByRole("button", { name: "Yes, add an entry" }).click();
		await group.focus();
		await chat.keyboard.press("2");
		await group.getByRole("textbox", { name: "Your answer" }).fill("1 line is enough");
		await group.getByRole("button", { name: "Answer" }).click();
		await group.getByRole("button", { name: "Dismiss" }).click();
		const answers = (await posted()).map((intent) => intent.answer ?? intent.type);
		assert.deepEqual(answers, [{ value: "yes" }, { value: "no" }, { value: "1 line is enough" }, "dismiss"]);
	});

	test("roles: arrows move, Space selects; agent and model are comboboxes", async () => {
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

	test("Enter sends, Shift+Enter breaks the line, an input method keeps its Enter, and drafts outlive a reload and a suggestion", async () => {
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
		await until(chat, () => document.querySelector("#message").value === "a draft");
		await chat.getByRole("button", { name: "Explain src/cart.ts" }).click();
		assert.deepEqual((await posted()).at(-1), { type: "send", session: "s1", text: "Explain src/cart.ts" });
		assert.equal(await box.inputValue(), "a draft");
	});

	test("a missing event asks for a snapshot", async () => {
		const { chat, send, posted } = await opened("plan");
		const last = states.plan.update.events.at(-1);
		await send({ type: "event", event: { ...last, id: "y", seq: last.seq + 2, type: "status", level: "info", text: "late" } });
		await until(chat, () => window.posted.length > 0);
		assert.deepEqual(await posted(), [{ type: "ready" }]);
	});

	test("streamed words keep the nodes above them, and the final answer keeps its blocks", async () => {
		const { chat, send, sendAll } = await opened("plan");
		const last = states.plan.update.events.at(-1);
		await send({ type: "event", event: { ...started("planner"), id: "z1", seq: last.seq + 1 } });
		const { answer } = parts;
		await sendAll([...answer.slice(0, 120)].map((text) => ({ type: "live", event: { type: "delta", text } })));
		await chat.locator(".from-agent h3").waitFor();
		await chat.evaluate(() => {
			window.heading = document.querySelector(".from-agent h3");
		});
		for (let at = 120; at < answer.length; at += 40)
			await send({ type: "live", event: { type: "delta", text: answer.slice(at, at + 40) } });
		await send({ type: "event", event: { ...model({ text: answer }), id: "z2", seq: last.seq + 2 } });
		await chat.getByRole("link", { name: "the guide" }).waitFor();
		assert.equal(await chat.evaluate(() => window.heading === document.querySelector(".from-agent h3")), true);
		assert.equal(await chat.getByRole("article", { name: "General Assistant" }).count(), 1);
		assert.equal(await chat.getByRole("status").locator("p").last().textContent(), `General Assistant: ${answer}`);
	});

	test("a model that keeps silent is told of until its words flow again", async () => {
		const { chat, send } = await opened("streaming");
		const hint = chat.getByText("The model has sent nothing for 25 seconds.");
		await send({ type: "live", event: { type: "stall", seconds: 25 } });
		await hint.waitFor();
		await send({ type: "live", event: { type: "stall", seconds: 0 } });
		await hint.waitFor({ state: "detached" });
	});
}

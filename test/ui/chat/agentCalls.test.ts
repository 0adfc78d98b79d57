// Calls of other agents: their cards, and requests of called sessions that are answered from the calling chat.
import assert from "node:assert/strict";
import { type ChatPage, clickByScript, continueSession, hasFocus, openChat, showSnapshot, textOf } from "../browser.ts";
import { agentCallStates, approval, begun, ongoing } from "../states/agentCalls.ts";
import { type ChatState, event, result, snapshot, user } from "../states/events.ts";

async function opened({ update, after = [] }: ChatState): Promise<ChatPage> {
	const page = await showSnapshot(await openChat({ reducedMotion: "reduce" }), update);
	await page.sendAll(after);
	await page.posted();
	return page;
}

const ready = ({ chat }: ChatPage) => chat.waitForFunction(() => !document.querySelector("[data-pending] [aria-disabled=true]"));
const ANSWER = { type: "answer", session: "s2", request: "r-docs", hash: "hash-docs", token: "token-1" };

it("a called agent's card opens its session and stops only its turn", async () => {
	const { chat, posted } = await opened(agentCallStates.agentCallRunning);
	const card = chat.getByRole("region", { name: "Agent call: Docs writer" });
	await card.getByText("Running", { exact: true }).waitFor();
	await card.getByText("I read the log and the changelog first.").waitFor();
	await card.getByRole("button", { name: "Open Docs writer" }).click();
	await card.getByRole("button", { name: "Stop Docs writer" }).click();
	assert.deepEqual(await posted(), [
		{ type: "openSession", session: "s2" },
		{ type: "stopCalled", session: "s1", call: "a1" },
	]);
});

it("a called agent's tool calls and incoming message are folded, and open by keyboard", async () => {
	const { chat } = await opened(agentCallStates.agentCallRunning);
	const card = chat.getByRole("region", { name: "Agent call: Docs writer" });
	const toolCalls = card.getByRole("button", { name: /^Read a file/ });
	assert.equal(await toolCalls.getAttribute("aria-expanded"), "false");
	await toolCalls.focus();
	await chat.keyboard.press("Enter");
	assert.match(await textOf(card.getByRole("listitem").nth(1)), /Failed: Search for formatMoney/);
	await chat.keyboard.press("Shift+Tab");
	await chat.keyboard.press("Space");
	await card.getByText("group them by room", { exact: false }).last().waitFor();
	await chat.keyboard.press("Tab");
	await chat.keyboard.press("Tab");
	assert.ok(await hasFocus(card.getByRole("button", { name: "Open Docs writer" })));
});

it("a deleted session's card shows the answer and says why the session can't open", async () => {
	const { chat, posted } = await opened({ update: snapshot(agentCallStates.agentCallDone.update.events, { linked: {} }) });
	const card = chat.getByRole("region", { name: "Agent call: docs" });
	await card.getByText("Completed").waitFor();
	await card.getByText("Prices are rounded").waitFor();
	const button = card.getByRole("button", { name: "Open docs" });
	assert.deepEqual(
		[await button.getAttribute("aria-disabled"), await button.getAttribute("aria-description")],
		["true", "This session was deleted."],
	);
	await button.click({ force: true });
	assert.deepEqual(await posted(), []);
	assert.equal(await card.getByRole("button", { name: /^Stop/ }).count(), 0);
});

it("an approval of a called session says who called whom and is answered there", async () => {
	const page = await opened(agentCallStates.agentCallRunning);
	const { chat, posted, send } = page;
	await send(ongoing({ state: "waiting" }, [approval]));
	const card = chat.getByRole("group", { name: "Approval: Run git log v0.3..HEAD --oneline" });
	await card.getByText("General Assistant called Docs writer").waitFor();
	const allow = card.getByRole("button", { name: "Allow", exact: true });
	await clickByScript(allow);
	assert.deepEqual(await posted(), []);
	await ready(page);
	await clickByScript(allow);
	assert.deepEqual(await posted(), []);
	await allow.click();
	assert.deepEqual(await posted(), [{ ...ANSWER, answer: { allow: true } }]);
	await send(ongoing({}, []));
	assert.equal(await card.count(), 0);
});

it("an approval of a called session can be answered by keyboard", async () => {
	const page = await opened(agentCallStates.agentCallApproval);
	const { chat, posted, send } = page;
	await send({ type: "focus", where: "approval" });
	const card = chat.getByRole("group", { name: "Approval: Run git log v0.3..HEAD --oneline" });
	assert.ok(await hasFocus(card));
	await ready(page);
	await chat.keyboard.press("Control+Backspace");
	assert.deepEqual(await posted(), [{ ...ANSWER, answer: { allow: false } }]);
	await send(ongoing({}, []));
	await chat.waitForFunction(() => document.activeElement?.id === "message");
});

it("an approval of a called session keeps the focus while the agent's messages arrive", async () => {
	const page = await opened(agentCallStates.agentCallApproval);
	const { chat, send } = page;
	await ready(page);
	const allow = chat.getByRole("button", { name: "Allow", exact: true });
	await allow.focus();
	const { requests: _, ...unchanged } = ongoing({ state: "waiting", text: "Another message." });
	await send(unchanged);
	await chat.getByText("Another message.").waitFor();
	assert.ok(await hasFocus(allow));
	await page.send(agentCallStates.agentCallApproval.update);
	assert.ok(await hasFocus(allow), "also over a new snapshot");
});

it("answers to a called session's question go to that session", async () => {
	const page = await opened(agentCallStates.agentCallQuestion);
	const { chat, posted } = page;
	const card = chat.getByRole("group", { name: "Question: Update the changelog as well?" });
	await card.getByText("General Assistant called Docs writer").waitFor();
	await ready(page);
	await card.getByRole("button", { name: "No, leave it" }).focus();
	await chat.keyboard.press("1");
	await card.getByRole("button", { name: "Dismiss" }).click();
	assert.deepEqual(await posted(), [
		{ type: "answer", session: "s2", request: "q1", answer: { value: "yes" }, token: "token-1" },
		{ type: "dismiss", session: "s2", request: "q1" },
	]);
});

it("a called session's plan has only a button that opens the session", async () => {
	const { chat, posted } = await opened(agentCallStates.agentCallPlan);
	const card = chat.getByRole("region", { name: "Plan of Docs writer: Rename formatPrice to formatMoney" });
	assert.equal(await card.getByRole("button").count(), 1);
	await card.getByRole("button", { name: "Open Docs writer" }).click();
	assert.deepEqual(await posted(), [{ type: "openSession", session: "s2" }]);
});

it("messages between agents say who asked and who answered, and lead to the other session", async () => {
	const asked = await opened(agentCallStates.calledBy);
	const message = asked.chat.getByRole("article", { name: "Docs writer" });
	await message.getByText("Docs writer asked").waitFor();
	await message.getByRole("button", { name: "Open Release notes 0.4" }).click();
	assert.deepEqual(await asked.posted(), [{ type: "openSession", session: "s2" }]);
	const answered = await opened(agentCallStates.agentCallDelivered);
	await answered.chat.getByRole("article", { name: "Docs writer" }).getByText("Docs writer answered").waitFor();
	assert.equal(await answered.chat.getByRole("article", { name: "You" }).count(), 1);
});

it("a screen reader hears when a called agent starts, needs approval and answers", async () => {
	const before = [user("Ask the docs writer")];
	const [, ...call] = begun("a9");
	const page = await opened({ update: snapshot(before, agentCallStates.calledBy.update.status) });
	const happens = continueSession(page, before);
	const said = () => textOf(page.chat.getByRole("status").last());
	await happens(...call);
	assert.match(await said(), /Docs writer was called/);
	await page.send(ongoing({ call: "a9" }, [{ ...approval, under: "a9" }]));
	assert.match(await said(), /Approval required: Run git log/);
	await page.send(ongoing({ call: "a9", text: "More" }, [{ ...approval, under: "a9" }]));
	assert.equal((await said()).match(/Approval required/g)?.length, 1);
	const view = { kind: "agent", agent: "docs", session: "s2", turn: "t-docs", mode: "sync", status: "complete" } as const;
	await happens(result("a9", "{}", view));
	assert.match(await said(), /Docs writer answered/);
});

it("a queued message of another agent is listed with its sender and can't be edited", async () => {
	const queued = [{ id: "m", text: "Answer: The draft", pictures: 0, state: "waiting" as const, own: false }];
	const about = { kind: "answer", call: "a1", turn: "t", agent: "docs", session: "s2", status: "complete", intro: 7 } as const;
	const events = [user("Hello"), event("queued", { message: "m", from: "agent:docs", text: "Answer: The draft", about })];
	const { chat } = await opened({ update: snapshot(events, { ...agentCallStates.calledBy.update.status, queued }) });
	const list = chat.getByRole("region", { name: "Queued messages" });
	await list.getByText("Docs writer: The draft", { exact: true }).waitFor();
	assert.equal(await list.getByRole("button").count(), 0);
});

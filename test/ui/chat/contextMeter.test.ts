// The status line of the chat: the context window, tokens and cost, and the explanation of each.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { ContextUsage } from "../../../src/shared/protocol/chat.ts";
import { checkPart } from "../accessibility.ts";
import { boxOf, type OpenOptions, openChat } from "../browser.ts";
import { parts, states } from "../states/conversation.ts";
import { contextUsage, snapshot, unknownUsage } from "../states/events.ts";

const opened = async (context: ContextUsage, options?: OpenOptions) => {
	const page = await openChat(options);
	await page.send(snapshot(parts.planned, { context }));
	await page.chat.locator(".footer .meter").waitFor();
	return { ...page, line: () => page.chat.locator(".footer > .tip > button").allInnerTexts() };
};
const described = (button: Locator) =>
	button.evaluate((node) => document.getElementById(node.getAttribute("aria-describedby") ?? "")?.textContent ?? "");

it("the context meter says how full the context window is, and what fills it", async () => {
	const { chat } = await opened(contextUsage());
	const button = chat.getByRole("button", { name: "Context: 23% of 200k tokens" });
	assert.equal(await chat.getByRole("tooltip").count(), 0);
	await button.focus();
	const tooltip = chat.getByRole("tooltip");
	await tooltip.waitFor();
	const text = await described(button);
	assert.match(text, /Context: 46,970 of 200,000 tokens/);
	assert.match(text, /Tool output31,400 .*Free153,030/);
	await chat.keyboard.press("Escape");
	await tooltip.waitFor({ state: "hidden" });
	await button.blur();
	await button.hover();
	await tooltip.waitFor();
	// It is in nobody's way, and stays where it was asked for with a click.
	await chat.getByRole("textbox", { name: "Message" }).hover();
	await tooltip.waitFor({ state: "hidden" });
	await button.click();
	await tooltip.hover();
	assert.equal(await tooltip.isVisible(), true);
});

it("the context meter follows a running turn without a new chat status", async () => {
	const { chat, send } = await opened(contextUsage());
	await send({ type: "context", context: contextUsage({ used: 170_000 }) });
	await chat.getByRole("button", { name: "Context: 85% of 200k tokens" }).waitFor();
	assert.equal(await chat.locator(".meter.full").count(), 1);
});

it("the cost explains the tokens and dollars of the last turn and the session", async () => {
	const { chat } = await opened(contextUsage());
	const button = chat.getByRole("button", { name: "118.6k tokens, $0.17" });
	await button.focus();
	assert.match(await described(button), /Last turnRead12,400 From the cache73% Written780 Cost\$0\.0184 Session/);
});

it("the status line omits percentage and cost for a model of unknown window and price", async () => {
	const { chat, line } = await opened(unknownUsage());
	assert.doesNotMatch((await line()).join(), /%|\$/);
	const button = chat.getByRole("button", { name: "Context: 47k tokens in context" });
	await button.focus();
	assert.match(await described(button), /unknown/);
	const cost = chat.getByRole("button", { name: "12.3k tokens" });
	await cost.focus();
	assert.match(await described(cost), /Costunknown .*price of this model is unknown/);
});

it("the status line shows no cost before the first answer of a session", async () => {
	const nothing = { input: 0, output: 0, cached: 0, cost: 0, unpriced: 0 };
	const { line } = await opened(contextUsage({ used: 300, basis: "size", turn: nothing, session: nothing }), { width: 500 });
	assert.deepEqual(await line(), ["<1% of 200k tokens", "Ask Outside Plans"]);
});

for (const width of [380, 300, 240]) {
	it(`the status line and its explanations fit in ${width} pixels`, async () => {
		for (const theme of ["dark", "light", "contrast"] as const) {
			const { chat } = await opened(contextUsage(), { theme, width });
			for (const part of [".meter", ".cost", ".approval-mode"]) {
				await chat.focus(part);
				const tooltip = chat.getByRole("tooltip");
				await tooltip.waitFor();
				const { x, y, width: wide } = await boxOf(tooltip);
				assert.ok(x >= 0 && y >= 0 && x + wide <= width, `${part} reaches from ${x} to ${x + wide}`);
				const violations = await checkPart(chat, ".footer");
				assert.deepEqual(
					violations.map(({ id }) => id),
					[],
				);
			}
			const line = await boxOf(chat.locator(".footer"));
			const last = await boxOf(chat.locator(".approval-mode"));
			assert.ok(last.x + last.width <= line.x + line.width + 1);
		}
	});
}

it("a compacted conversation shows its summary and opens the archive", async () => {
	const { chat, send, posted } = await openChat();
	await send(states.history.update);
	await chat.getByText("Earlier conversation summarized.").waitFor();
	await posted();
	await chat.getByRole("button", { name: "Show Summary" }).click();
	await chat.getByText("The function was renamed.").waitFor();
	await chat.getByRole("button", { name: "Open Full Conversation" }).click();
	assert.deepEqual(await posted(), [{ type: "openArchive", session: "s1", archive: "a" }]);
});

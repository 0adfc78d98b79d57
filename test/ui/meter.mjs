// The last line of the chat: how full the window is, what it cost, and what each part says about itself.
import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import { parts, states } from "./script.mjs";
import { contextUse, snapshot } from "./told.mjs";

const unpriced = { input: 12_000, output: 300, cached: 0, cost: 0, unpriced: 2 };

export function meter(test, open) {
	const opened = async (context, options) => {
		const page = await open(options);
		await page.send(snapshot(parts.planned, { context }));
		await page.chat.locator(".footer .meter").waitFor();
		return { ...page, line: () => page.chat.locator(".footer > .tip > button").allInnerTexts() };
	};
	const described = (button) => button.evaluate((node) => document.getElementById(node.getAttribute("aria-describedby")).textContent);

	test("the meter tells how full the window is, and on focus with what", async () => {
		const { chat } = await opened(contextUse());
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

	test("the meter follows the turn without new surroundings", async () => {
		const { chat, send } = await opened(contextUse());
		await send({ type: "context", context: contextUse({ used: 170_000 }) });
		await chat.getByRole("button", { name: "Context: 85% of 200k tokens" }).waitFor();
		assert.equal(await chat.locator(".meter.full").count(), 1);
	});

	test("tokens and cost of the last turn and of the session are told, with what came from the cache", async () => {
		const { chat } = await opened(contextUse());
		const button = chat.getByRole("button", { name: "118.6k tokens, $0.17" });
		await button.focus();
		assert.match(await described(button), /Last turnRead12,400 Of that, from the cache73% Written780 Cost\$0\.0184 Session/);
	});

	test("no figure is made up where window and price are not known", async () => {
		const { chat, line } = await opened(contextUse({ window: undefined, priced: false, turn: unpriced, session: unpriced }));
		assert.doesNotMatch((await line()).join(), /%|\$/);
		const button = chat.getByRole("button", { name: "Context: 47k tokens in context" });
		await button.focus();
		assert.match(await described(button), /not known/);
		const cost = chat.getByRole("button", { name: "12.3k tokens" });
		await cost.focus();
		assert.match(await described(cost), /Costnot known .*price of this model is not known/);
	});

	test("a session before its first answer costs nothing and says nothing of it", async () => {
		const nothing = { input: 0, output: 0, cached: 0, cost: 0, unpriced: 0 };
		const { line } = await opened(contextUse({ used: 300, basis: "size", turn: nothing, session: nothing }), { width: 500 });
		assert.deepEqual(await line(), ["<1% of 200k tokens", "Ask outside plans"]);
	});

	for (const width of [380, 300, 240]) {
		test(`the last line fits in ${width} pixels, its explanations too`, async () => {
			for (const theme of ["dark", "light", "contrast"]) {
				const { chat } = await opened(contextUse(), { theme, width });
				for (const part of [".meter", ".cost", ".approval-mode"]) {
					await chat.focus(part);
					const tooltip = chat.getByRole("tooltip");
					await tooltip.waitFor();
					const { x, y, width: wide } = await tooltip.boundingBox();
					assert.ok(x >= 0 && y >= 0 && x + wide <= width, `${part} reaches from ${x} to ${x + wide}`);
					const { violations } = await new AxeBuilder({ page: chat }).include(".footer").analyze();
					assert.deepEqual(
						violations.map(({ id }) => id),
						[],
					);
				}
				const line = await chat.locator(".footer").boundingBox();
				const last = await chat.locator(".approval-mode").boundingBox();
				assert.ok(last.x + last.width <= line.x + line.width + 1);
			}
		});
	}

	test("a conversation that was summarised shows the summary and opens in full", async () => {
		const { chat, send, posted } = await open();
		await send(states.history.update);
		await chat.getByText("Earlier conversation was summarised.").waitFor();
		await posted();
		await chat.getByRole("button", { name: "Show summary" }).click();
		await chat.getByText("The function was renamed.").waitFor();
		await chat.getByRole("button", { name: "Open in full" }).click();
		assert.deepEqual(await posted(), [{ type: "openArchive", session: "s1", archive: "a" }]);
	});
}

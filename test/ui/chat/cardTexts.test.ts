// Texts of cards and lines: paths, lists, failures and retries.
import assert from "node:assert/strict";
import type { DisplayEvent } from "../../../src/shared/protocol/chat.ts";
import { clickByScript, continueSession, type OpenOptions, ofType, openChat, showSnapshot, textOf } from "../browser.ts";
import { withPaths } from "../states/calls.ts";
import { call, ended, event, model, question, result, snapshot, started, user } from "../states/events.ts";

const shown = async (events: DisplayEvent[], options?: OpenOptions) => showSnapshot(await openChat(options), snapshot(events));

it("paths of existing files are links in text, code, tables, plans and calls", async () => {
	const { chat, send, posted, postedPaths } = await openChat();
	await send(snapshot(withPaths()));
	await chat.getByRole("group", { name: "Read src/cart.ts" }).getByRole("button").first().click();
	await chat.waitForFunction(() => window.posted.flatMap((message) => (message.type === "findPaths" ? message.paths : [])).length >= 4);
	const asked = [...new Set(ofType(await postedPaths(), "findPaths").flatMap(({ paths }) => paths))].sort();
	assert.deepEqual(asked, ["README.md", "docs/none.md", "src/cart.ts", "src/money.ts"]);
	assert.equal(await chat.locator(".file-link").count(), 0);
	await send({ type: "paths", asked, files: ["src/cart.ts", "src/money.ts", "README.md"] });
	const links = chat.getByRole("link");
	assert.deepEqual(
		(await links.allTextContents()).sort(),
		[
			"README.md",
			"here (src/cart.ts:7)",
			"src/cart.ts",
			"src/cart.ts",
			"src/cart.ts",
			"src/cart.ts:12",
			"src/money.ts",
			"src/money.ts:3:1",
		].sort(),
	);
	await chat.getByText("see docs/none.md").waitFor();
	await chat.getByRole("link", { name: "src/cart.ts:12" }).click();
	await chat.getByRole("link", { name: "here" }).focus();
	await chat.keyboard.press("Enter");
	await clickByScript(chat.getByRole("link", { name: "src/cart.ts:12" }));
	assert.deepEqual(await posted(), [
		{ type: "openPath", session: "s1", path: "src/cart.ts", line: 12 },
		{ type: "openPath", session: "s1", path: "src/cart.ts", line: 7 },
	]);
});

it("task lists have checkboxes, and table columns keep their alignment", async () => {
	const { chat } = await shown([
		user("List it"),
		started("planner"),
		model({ text: "- [x] done\n- [ ] open\n- [link](javascript:alert(1))\n\n| file | edits |\n|---|--:|\n| a | 1 |\n" }),
		question({ question: "Use **both** in `src`?" }),
		ended("waiting"),
	]);
	const boxes = chat.getByRole("checkbox");
	assert.deepEqual(
		await boxes.evaluateAll((all) => all.map((box) => (box instanceof HTMLInputElement ? [box.checked, box.disabled] : box.localName))),
		[
			[true, true],
			[false, true],
		],
	);
	assert.equal(await textOf(chat.getByRole("listitem").first()), "done");
	assert.equal(await chat.getByRole("cell", { name: "1" }).evaluate((cell) => getComputedStyle(cell).textAlign), "right");
	const title = chat.getByRole("group", { name: "Question: Use **both** in `src`?" }).locator(".card-title");
	assert.equal(await textOf(title), "Use both in src?");
	assert.equal(await title.locator("strong, code").count(), 2);
	assert.equal(await chat.getByRole("link").count(), 0);
});

it("retries of a model request share one row, which a failure replaces", async () => {
	const attempt = (number: number, seconds: number): DisplayEvent => ({
		...event("status", {
			level: "warning",
			text: `Rate limit reached (429). Retrying in ${seconds} s (${number} of 5).`,
			retry: { why: "Rate limit reached (429).", seconds, attempt: number, of: 5 },
		}),
		at: new Date().toISOString(),
	});
	const events = [user("Do it"), started("actor")];
	const page = await shown(events);
	const { chat } = page;
	const happens = continueSession(page, events);
	const row = chat.getByRole("log");
	await happens(attempt(1, 3));
	await row.getByText("Rate limit reached (429). Retrying in 3 s (1 of 5).").waitFor();
	await row.getByText("Rate limit reached (429). Retrying in 2 s (1 of 5).").waitFor();
	await happens(attempt(2, 8));
	await row.getByText("Rate limit reached (429). Retrying in 8 s (2 of 5).").waitFor();
	assert.equal(await chat.locator(".note").count(), 1);
	await happens(ended("failed", { error: "local limits how often it may be asked (429).", help: "setApiKey" }));
	await row.getByText("local limits how often it may be asked (429).").waitFor();
	assert.equal(await chat.locator(".note").count(), 0);
});

it("Retry is the primary button of a failure once its API key was set", async () => {
	const { chat, send } = await shown([
		user("Do it"),
		started("actor"),
		ended("failed", { error: "The key was refused (401).", help: "setApiKey" }),
	]);
	const primary = () => chat.locator(".failure .primary").allTextContents();
	assert.deepEqual(await primary(), ["Set API Key"]);
	await send({ type: "helped" });
	await chat.locator(".failure .primary", { hasText: "Retry" }).waitFor();
	assert.deepEqual(await primary(), ["Retry"]);
});

it("a narrow table does not break code in the middle of a word", async () => {
	const path = "discountCalculatorOfTheCart";
	const { chat } = await shown([
		user("Where?"),
		started("planner"),
		model({ text: `| file | why | count |\n|---|---|---|\n| \`${path}\` | it adds up the discounts of the cart | \`formatPrice\` |\n` }),
		ended("done"),
	]);
	for (const code of await chat.locator("td code").all()) {
		const [height, line] = await code.evaluate((element) => [element.getClientRects().length, element.textContent]);
		assert.equal(height, 1, line);
	}
	assert.equal(await chat.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
});

it("the line of a search shows the whole pattern and cuts off its counts", async () => {
	const { chat } = await shown([
		user("Where?"),
		started("planner"),
		model({ text: "", calls: [call("s1", "search_code", { pattern: "formatPriceWithTax" })] }),
		result("s1", "[7 matches in 4 files]", { kind: "text", figure: "1,207 lines · 214 files" }),
		ended("done"),
	]);
	const cut = (selector: string) => chat.locator(`.call ${selector}`).evaluate((element) => element.scrollWidth > element.clientWidth);
	await chat.locator(".call .figure").waitFor();
	assert.deepEqual([await cut(".told"), await cut(".figure")], [false, true]);
	assert.equal(await chat.locator(".call .figure").getAttribute("title"), "1,207 lines · 214 files");
});

it("a failure offers Add Provider… only where another provider would help", async () => {
	for (const [help, offered] of [
		["selectModel", 1],
		["setApiKey", 1],
		["openSettings", 0],
		[undefined, 0],
	] as const) {
		const { chat, posted } = await shown([
			user("Do it"),
			started("actor"),
			ended("failed", { error: "It failed.", ...(help && { help }) }),
		]);
		const add = chat.locator(".failure button", { hasText: "Add Provider…" });
		assert.equal(await add.count(), offered, help);
		if (offered === 0) continue;
		await add.click();
		assert.deepEqual((await posted()).at(-1), { type: "command", command: "addProvider" });
	}
});

it("a failed command shows its exit code, and its cut output counts the saved lines", async () => {
	const lines = Array.from({ length: 300 }, (_, index) => `line ${index}`);
	const { chat } = await shown([
		user("Check it"),
		started("actor"),
		model({
			text: "",
			calls: [call("f1", "execute_command", { command: "npm run lint" }), call("f2", "ask_user", { question: "Which?" })],
		}),
		result("f1", ["exit code: 1", ...lines, "[4000 bytes omitted here: read_command_output shows them]", ...lines].join("\n"), {
			kind: "command",
			command: "npm run lint",
			cwd: ".",
			exitCode: 1,
			output: "o1",
			changed: [],
		}),
		result("f2", "Refused: There is no tool ask_user.", { kind: "denied", layer: "unknown" }, "denied"),
		ended("done"),
	]);
	const lint = chat.getByRole("group", { name: "Ran npm run lint" });
	assert.equal(await lint.locator(".line .told").innerText(), "Ran npm run lint", "the line reads as it is named");
	assert.equal(await lint.locator(".line > .codicon-error").count(), 1);
	await lint.getByText("exit code 1").waitFor();
	const unknown = chat.getByRole("group", { name: "Unknown tool ask_user" });
	assert.equal(await unknown.getByRole("button").getAttribute("aria-expanded"), "false");
	await lint.getByRole("button").first().click();
	await lint.getByRole("button", { name: "Show 602 Saved Lines" }).waitFor();
});

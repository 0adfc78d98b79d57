// What stands in cards and lines: paths, lists, failures and attempts.
import assert from "node:assert/strict";
import { withPaths } from "./callsStates.mjs";
import { showIn } from "./page.mjs";
import { call, ended, event, model, question, result, snapshot, started, user } from "./told.mjs";

export function cardTexts(test, open) {
	const shown = async (events, options) => showIn(await open(options), snapshot(events));
	const sender = (page, events) => {
		let seq = events.at(-1).seq;
		return (...more) => page.sendAll(more.map((one) => ({ type: "event", event: { ...one, seq: ++seq, id: `x${seq}` } })));
	};

	test("paths that are files open at their place, in text, code, tables, plans and calls; those that are not stay text", async () => {
		const { chat, send, posted, postedPaths } = await open();
		await send(snapshot(withPaths()));
		await chat.getByRole("group", { name: "Read src/cart.ts" }).getByRole("button").first().click();
		await chat.waitForFunction(() => window.posted.flatMap(({ paths = [] }) => paths).length >= 4);
		const asked = [...new Set((await postedPaths()).flatMap(({ type, paths }) => (type === "findPaths" ? paths : [])))].sort();
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
		await chat.getByRole("link", { name: "src/cart.ts:12" }).evaluate((link) => link.click());
		assert.deepEqual(await posted(), [
			{ type: "openPath", session: "s1", path: "src/cart.ts", line: 12 },
			{ type: "openPath", session: "s1", path: "src/cart.ts", line: 7 },
		]);
	});

	test("task lists have boxes, columns stand on their side, and a question's title is drawn as Markdown", async () => {
		const { chat } = await shown([
			user("List it"),
			started("planner"),
			model({ text: "- [x] done\n- [ ] open\n- [link](javascript:alert(1))\n\n| file | edits |\n|---|--:|\n| a | 1 |\n" }),
			question({ question: "Use **both** in `src`?" }),
			ended("waiting"),
		]);
		const boxes = chat.getByRole("checkbox");
		assert.deepEqual(await boxes.evaluateAll((all) => all.map((box) => [box.checked, box.disabled])), [
			[true, true],
			[false, true],
		]);
		assert.equal(await chat.getByRole("listitem").first().textContent(), "done");
		assert.equal(await chat.getByRole("cell", { name: "1" }).evaluate((cell) => getComputedStyle(cell).textAlign), "right");
		const title = chat.getByRole("group", { name: "Question: Use **both** in `src`?" }).locator(".card-title");
		assert.equal(await title.textContent(), "Use both in src?");
		assert.equal(await title.locator("strong, code").count(), 2);
		assert.equal(await chat.getByRole("link").count(), 0);
	});

	test("attempts to reach the model are one row that counts down, and a failure says it once", async () => {
		const now = () => new Date().toISOString();
		const attempt = (number, seconds) => ({
			...event("status", {
				level: "warning",
				text: `Rate limit reached (429). Retrying in ${seconds} s (${number} of 5).`,
				retry: { why: "Rate limit reached (429).", seconds, attempt: number, of: 5 },
			}),
			at: now(),
		});
		const events = [user("Do it"), started("actor")];
		const page = await shown(events);
		const { chat } = page;
		const then = sender(page, events);
		const row = chat.getByRole("log");
		await then(attempt(1, 3));
		await row.getByText("Rate limit reached (429). Retrying in 3 s (1 of 5).").waitFor();
		await row.getByText("Rate limit reached (429). Retrying in 2 s (1 of 5).").waitFor();
		await then(attempt(2, 8));
		await row.getByText("Rate limit reached (429). Retrying in 8 s (2 of 5).").waitFor();
		assert.equal(await chat.locator(".note").count(), 1);
		await then(ended("failed", { error: "local limits how often it may be asked (429).", help: "setApiKey" }));
		await row.getByText("local limits how often it may be asked (429).").waitFor();
		assert.equal(await chat.locator(".note").count(), 0);
	});

	test("after a key was set from the card of a failure, Retry is its primary button", async () => {
		const { chat, send } = await shown([
			user("Do it"),
			started("actor"),
			ended("failed", { error: "The key was refused (401).", help: "setApiKey" }),
		]);
		const primary = () => chat.locator(".failure .primary").allTextContents();
		assert.deepEqual(await primary(), ["Set API key"]);
		await send({ type: "helped" });
		await chat.locator(".failure .primary", { hasText: "Retry" }).waitFor();
		assert.deepEqual(await primary(), ["Retry"]);
	});

	test("a table breaks no code in the middle of a word, however narrow", async () => {
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

	test("the line of a search keeps what was looked for and cuts its counts", async () => {
		const { chat } = await shown([
			user("Where?"),
			started("planner"),
			model({ text: "", calls: [call("s1", "search_code", { pattern: "formatPriceWithTax" })] }),
			result("s1", "[7 matches in 4 files]", { kind: "text", figure: "1,207 lines · 214 files" }),
			ended("done"),
		]);
		const cut = (selector) => chat.locator(`.call ${selector}`).evaluate((element) => element.scrollWidth > element.clientWidth);
		await chat.locator(".call .figure").waitFor();
		assert.deepEqual([await cut(".told"), await cut(".figure")], [false, true]);
		assert.equal(await chat.locator(".call .figure").getAttribute("title"), "1,207 lines · 214 files");
	});

	test("the card of a failure that another provider would help leads to adding one", async () => {
		for (const [help, offered] of [
			["selectModel", 1],
			["setApiKey", 1],
			["openSettings", 0],
			[undefined, 0],
		]) {
			const { chat, posted } = await shown([
				user("Do it"),
				started("actor"),
				ended("failed", { error: "It failed.", ...(help && { help }) }),
			]);
			const add = chat.locator(".failure button", { hasText: "Add provider" });
			assert.equal(await add.count(), offered, help);
			if (offered === 0) continue;
			await add.click();
			assert.deepEqual((await posted()).at(-1), { type: "command", command: "addProvider" });
		}
	});

	test("a command that failed looks so, an unknown tool is told folded, and cut output says what was kept", async () => {
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
		assert.equal(await lint.locator(".line > .codicon-error").count(), 1);
		await lint.getByText("exit 1").waitFor();
		const unknown = chat.getByRole("group", { name: "Unknown tool ask_user" });
		assert.equal(await unknown.getByRole("button").getAttribute("aria-expanded"), "false");
		await lint.getByRole("button").first().click();
		await lint.getByRole("button", { name: "Show the 602 lines that were kept" }).waitFor();
	});
}

// Find in the conversation, code blocks and their actions, and long output.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { DisplayEvent } from "../../../src/shared/protocol/chat.ts";
import { clickByScript, openChat, textOf } from "../browser.ts";
import { call, chatStatus, model, result, snapshot, started, user } from "../states/events.ts";

/** The text that is highlighted as the current match. */
const currentMatch = (chat: Page) => chat.evaluate(() => [...(CSS.highlights.get("troupe-find-current") ?? [])].map(String));

const marked = (chat: Page) => chat.waitForFunction(() => (CSS.highlights.get("troupe-find-current")?.size ?? 0) > 0);

/** Messages, and in the fifth call of a folded run the needle. */
function long() {
	const events: DisplayEvent[] = [];
	for (let turn = 0; turn < 300; turn += 1) {
		events.push(user(`message ${turn}`));
		events.push(model({ text: turn % 50 === 7 ? `The **nee**dle of ${turn}, in \`code\`.` : `Answer ${turn}: ${"words ".repeat(40)}` }));
	}
	events.splice(
		200,
		0,
		started("planner"),
		model({ text: "", calls: Array.from({ length: 8 }, (_, index) => call(`f${index}`, "read_file", { path: `src/${index}.ts` })) }),
	);
	events.splice(
		202,
		0,
		...Array.from({ length: 8 }, (_, index) => result(`f${index}`, index === 5 ? "first line\nthe needle in output\n" : "nothing here\n")),
	);
	return events.map((event, index) => ({ ...event, id: `n${index}`, seq: index + 1 }));
}

it("Ctrl+F finds text in unrendered messages and folded calls, and visits each match", async () => {
	const { chat, send } = await openChat();
	await send({ type: "snapshot", events: long(), status: chatStatus(), live: "", token: "t" });
	await chat.getByText("message 299", { exact: true }).waitFor();
	assert.equal(await chat.getByText("message 7", { exact: true }).count(), 0, "it is drawn already");
	await chat.getByRole("textbox", { name: "Message" }).focus();
	await chat.keyboard.press("Control+f");
	const widget = chat.getByRole("search", { name: "Find in conversation" });
	const field = widget.getByRole("textbox", { name: "Find" });
	await chat.waitForFunction(() => document.activeElement?.matches(".find input"));
	await field.fill("NEEDLE");
	await widget.getByText("7 of 7").waitFor();
	const visited: (string | undefined)[] = [];
	for (let count = 0; count < 7; count += 1) {
		await marked(chat);
		const where = await chat.waitForFunction(() => {
			const [match] = CSS.highlights.get("troupe-find-current") ?? [];
			const box = document.querySelector(".scroller")?.getBoundingClientRect();
			if (!(match instanceof Range && box) || match.toString() !== "needle") return;
			const { top, bottom } = match.getBoundingClientRect();
			if (top < box.top || bottom > box.bottom) return;
			return match.startContainer.parentElement?.closest(".row, .output")?.textContent?.match(/needle (?:of \d+|in output)/)?.[0];
		});
		visited.push(await where.jsonValue());
		await field.press("Enter");
		await widget.getByText(`${count + 1} of 7`).waitFor();
	}
	assert.deepEqual(visited, [
		"needle of 257",
		"needle of 7",
		"needle of 57",
		"needle in output",
		"needle of 107",
		"needle of 157",
		"needle of 207",
	]);
	await field.press("Shift+Enter");
	await widget.getByText("6 of 7").waitFor();
	await field.fill("nowhere to be found");
	await widget.getByText("No results").waitFor();
	await field.press("Escape");
	assert.equal(await widget.count(), 0);
	await chat.waitForFunction(() => !CSS.highlights.has("troupe-find") && !CSS.highlights.has("troupe-find-current"));
	await chat.waitForFunction(() => document.activeElement?.id === "message");
});

it("matches stay highlighted while an answer streams, and streamed text is searched, too", async () => {
	const { chat, send } = await openChat();
	const events = [user("find the crumb"), started("planner")].map((event, index) => ({
		...event,
		id: `s${index}`,
		seq: index + 1,
	}));
	await send({ type: "snapshot", events, status: chatStatus(), live: "", token: "t" });
	await chat.getByText("find the crumb").waitFor();
	await chat.keyboard.press("Control+f");
	await chat.getByRole("textbox", { name: "Find" }).fill("crumb");
	await chat.getByText("1 of 1").waitFor();
	await send({ type: "live", event: { type: "delta", text: "Some words.\n\nA crumb here.\n" } });
	await send({ type: "event", event: { ...model({ text: "Some words.\n\nA crumb here.\n" }), id: "s9", seq: 3 } });
	await chat.getByText("1 of 2").waitFor();
	await chat.waitForFunction(() => CSS.highlights.get("troupe-find")?.size === 2);
	assert.deepEqual(await currentMatch(chat), ["crumb"]);
});

it("a code block can be copied, inserted and applied only by the person's own click", async () => {
	const { chat, context, send, posted } = await openChat();
	await context.grantPermissions(["clipboard-read", "clipboard-write"]);
	const code = "export const a = 1;\n\tconst b = `<img src=x>`;\n";
	await send(
		snapshot([user("Show me"), model({ text: `Here:\n\n\`\`\`ts src/cart.ts\n${code}\`\`\`\n\nand\n\n\`\`\`sh\nnpm test\n\`\`\`\n` })]),
	);
	const block = chat.locator(".code").first();
	await block.locator(".hljs-keyword").first().waitFor();
	assert.equal(await textOf(block.locator(".code-label")), "src/cart.ts");
	await posted();
	await block.hover();
	await block.getByRole("button", { name: "Copy Code" }).click();
	assert.equal(await chat.evaluate(() => navigator.clipboard.readText()), code);
	await block.getByRole("button", { name: "Insert at Cursor" }).click();
	await block.getByRole("button", { name: "Apply in Editor" }).focus();
	await chat.keyboard.press("Enter");
	await chat.locator(".code").nth(1).getByRole("button", { name: "Apply in Editor" }).click();
	assert.deepEqual(await posted(), [
		{ type: "insertCode", session: "s1", code },
		{ type: "applyCode", session: "s1", code, file: "src/cart.ts" },
		{ type: "applyCode", session: "s1", code: "npm test\n" },
	]);
	await clickByScript(block.getByRole("button", { name: "Insert at Cursor" }));
	assert.deepEqual(await posted(), [], "a click made by a script");
});

it("a long streamed code block keeps its elements and ends with exactly its code", async () => {
	const { chat, send, errors } = await openChat();
	const events = [user("Write"), started("planner")].map((event, index) => ({ ...event, id: `s${index}`, seq: index + 1 }));
	await send({ type: "snapshot", events, status: chatStatus(), live: "", token: "t" });
	const line = (index: number) => `const value${index} = ${index}; // \u001b[31mred\u001b[0m\n`;
	const lines = Array.from({ length: 3_000 }, (_, index) => line(index));
	await send({ type: "live", event: { type: "delta", text: `\`\`\`ts\n${lines.slice(0, 50).join("")}` } });
	await chat.getByText("value49").waitFor();
	for (let at = 50; at < 3_000; at += 150) {
		await send({ type: "live", event: { type: "delta", text: lines.slice(at, at + 150).join("") } });
		if (at === 500)
			await chat.waitForFunction(() => {
				window.marked = document.querySelector(".code-part");
				return window.marked;
			});
	}
	await chat.waitForFunction(() => document.querySelector(".code code")?.textContent?.includes("value2999"));
	assert.equal(await chat.evaluate(() => (window.marked as Element).isConnected), true, "the lines were drawn again");
	const text = `\`\`\`ts\n${lines.join("")}\`\`\`\n`;
	await send({ type: "event", event: { ...model({ text }), id: "s9", seq: 3 } });
	const expected = lines.join("").replaceAll("\u001b[31m", "").replaceAll("\u001b[0m", "");
	await chat.waitForFunction((words) => document.querySelector(".code code")?.textContent === words, expected);
	assert.deepEqual(errors, []);
});

it("cut output is requested when its call is opened, and shown when it arrives", async () => {
	const { chat, send, posted } = await openChat();
	const cut = { ...result("big", "the beginning\n…\nthe end"), left: 100_000 };
	await send(snapshot([user("Read"), started("planner"), model({ text: "", calls: [call("big", "read_file", { path: "a.txt" })] }), cut]));
	const group = chat.getByRole("group", { name: "Read a.txt" });
	await group.waitFor();
	await posted();
	await group.getByRole("button").first().click();
	await group.getByText("the beginning").waitFor();
	assert.deepEqual(await posted(), [{ type: "loadOutput", session: "s1", call: "big" }]);
	await send({ type: "output", call: "big", text: "the beginning\nwhat was left out\nthe end" });
	await group.getByText("what was left out").waitFor();
});

it("a long message renders what is near the visible part, and the rest on scrolling", async () => {
	const { chat, send } = await openChat({ height: 600 });
	const text = Array.from({ length: 400 }, (_, index) => `Paragraph ${index} ${"words ".repeat(20)}\n\n`).join("");
	await send(snapshot([user("Tell"), model({ text })]));
	await chat.getByText("Paragraph 399").waitFor();
	const drawn = () => chat.evaluate(() => [...document.querySelectorAll(".from-agent .block")].filter((block) => block.firstChild).length);
	assert.ok((await drawn()) < 200, `${await drawn()} of 400 paragraphs`);
	await chat.locator(".scroller").focus();
	await chat.keyboard.press("Home");
	await chat.getByText("Paragraph 0 ").waitFor();
});

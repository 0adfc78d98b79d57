// Reading in comfort: finding words anywhere in a conversation, code blocks and what can be done with them, long output.
import assert from "node:assert/strict";
import { call, model, result, snapshot, started, surroundings, user } from "./told.mjs";

const until = (chat, what, argument) => chat.waitForFunction(what, argument);

/** Words that are marked as the current match, and how many marks there are. */
const marks = (chat) =>
	chat.evaluate(() => {
		const [one] = CSS.highlights.get("troupe-find-current") ?? [];
		const box = document.querySelector(".scroller").getBoundingClientRect();
		const place = one?.getBoundingClientRect();
		return {
			current: one && String(one),
			all: CSS.highlights.get("troupe-find")?.size ?? 0,
			seen: place ? place.top >= box.top && place.bottom <= box.bottom : false,
		};
	});

const marked = (chat) => until(chat, () => (CSS.highlights.get("troupe-find-current")?.size ?? 0) > 0);

/** Messages, and in the fifth call of a folded run the needle. */
function long() {
	const events = [];
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

export function reading(test, open) {
	test("Ctrl+F finds words in messages that are not drawn and in folded calls, counts them, goes through them and closes", async () => {
		const { chat, send } = await open();
		await send({ type: "snapshot", events: long(), surroundings: surroundings(), live: "", token: "t" });
		await chat.getByText("message 299", { exact: true }).waitFor();
		assert.equal(await chat.getByText("message 7", { exact: true }).count(), 0, "it is drawn already");
		await chat.getByRole("textbox", { name: "Message" }).focus();
		await chat.keyboard.press("Control+f");
		const widget = chat.getByRole("search", { name: "Find in conversation" });
		const field = widget.getByRole("textbox", { name: "Find" });
		await until(chat, () => document.activeElement?.matches(".find input"));
		await field.fill("NEEDLE");
		await widget.getByText("7 of 7").waitFor();
		const visited = [];
		for (let count = 0; count < 7; count += 1) {
			await marked(chat);
			const where = await chat.waitForFunction(() => {
				const [one] = CSS.highlights.get("troupe-find-current") ?? [];
				const box = document.querySelector(".scroller").getBoundingClientRect();
				const inSight = one && one.getBoundingClientRect().top >= box.top && one.getBoundingClientRect().bottom <= box.bottom;
				if (!inSight || one.toString() !== "needle") return;
				return one.startContainer.parentElement.closest(".row, .output")?.textContent.match(/needle (?:of \d+|in output)/)?.[0];
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
		await until(chat, () => !CSS.highlights.has("troupe-find") && !CSS.highlights.has("troupe-find-current"));
		await until(chat, () => document.activeElement?.id === "message");
	});

	test("what is found stays marked while an answer streams, and words that stream are found", async () => {
		const { chat, send } = await open();
		const events = [user("find the crumb"), started("planner")].map((event, index) => ({
			...event,
			id: `s${index}`,
			seq: index + 1,
		}));
		await send({ type: "snapshot", events, surroundings: surroundings(), live: "", token: "t" });
		await chat.getByText("find the crumb").waitFor();
		await chat.keyboard.press("Control+f");
		await chat.getByRole("textbox", { name: "Find" }).fill("crumb");
		await chat.getByText("1 of 1").waitFor();
		await send({ type: "live", event: { type: "delta", text: "Some words.\n\nA crumb here.\n" } });
		await send({ type: "event", event: { ...model({ text: "Some words.\n\nA crumb here.\n" }), id: "s9", seq: 3 } });
		await chat.getByText("1 of 2").waitFor();
		await until(chat, () => CSS.highlights.get("troupe-find")?.size === 2);
		assert.equal((await marks(chat)).current, "crumb");
	});

	test("a block of code can be copied, put in at the cursor and applied to the file it names, by the person alone", async () => {
		const { chat, context, send, posted } = await open();
		await context.grantPermissions(["clipboard-read", "clipboard-write"]);
		const code = "export const a = 1;\n\tconst b = `<img src=x>`;\n";
		await send(
			snapshot([user("Show me"), model({ text: `Here:\n\n\`\`\`ts src/cart.ts\n${code}\`\`\`\n\nand\n\n\`\`\`sh\nnpm test\n\`\`\`\n` })]),
		);
		const block = chat.locator(".code").first();
		await block.locator(".hljs-keyword").first().waitFor();
		assert.equal(await block.locator(".code-label").textContent(), "src/cart.ts");
		await posted();
		await block.hover();
		await block.getByRole("button", { name: "Copy code" }).click();
		assert.equal(await chat.evaluate(() => navigator.clipboard.readText()), code);
		await block.getByRole("button", { name: "Insert at cursor" }).click();
		await block.getByRole("button", { name: "Apply to the editor" }).focus();
		await chat.keyboard.press("Enter");
		await chat.locator(".code").nth(1).getByRole("button", { name: "Apply to the editor" }).click();
		assert.deepEqual(await posted(), [
			{ type: "insertCode", session: "s1", code },
			{ type: "applyCode", session: "s1", code, file: "src/cart.ts" },
			{ type: "applyCode", session: "s1", code: "npm test\n" },
		]);
		await block.getByRole("button", { name: "Insert at cursor" }).evaluate((button) => button.click());
		assert.deepEqual(await posted(), [], "a click made by a script");
	});

	test("a fence that streams thousands of lines keeps the lines it has, and ends as the code it is", async () => {
		const { chat, send, errors } = await open();
		const events = [user("Write"), started("planner")].map((event, index) => ({ ...event, id: `s${index}`, seq: index + 1 }));
		await send({ type: "snapshot", events, surroundings: surroundings(), live: "", token: "t" });
		const line = (index) => `const value${index} = ${index}; // \u001b[31mred\u001b[0m\n`;
		const lines = Array.from({ length: 3_000 }, (_, index) => line(index));
		await send({ type: "live", event: { type: "delta", text: `\`\`\`ts\n${lines.slice(0, 50).join("")}` } });
		await chat.getByText("value49").waitFor();
		for (let at = 50; at < 3_000; at += 150) {
			await send({ type: "live", event: { type: "delta", text: lines.slice(at, at + 150).join("") } });
			if (at === 500)
				await until(chat, () => {
					window.kept = document.querySelector(".code-part");
					return window.kept;
				});
		}
		await until(chat, () => document.querySelector(".code code").textContent.includes("value2999"));
		assert.equal(await chat.evaluate(() => window.kept.isConnected), true, "the lines were drawn again");
		const text = `\`\`\`ts\n${lines.join("")}\`\`\`\n`;
		await send({ type: "event", event: { ...model({ text }), id: "s9", seq: 3 } });
		const expected = lines.join("").replaceAll("\u001b[31m", "").replaceAll("\u001b[0m", "");
		await until(chat, (words) => document.querySelector(".code code").textContent === words, expected);
		assert.deepEqual(errors, []);
	});

	test("output that was cut is asked for when its call is opened, and shown when it comes", async () => {
		const { chat, send, posted } = await open();
		const cut = { ...result("big", "the beginning\n…\nthe end"), left: 100_000 };
		await send(
			snapshot([user("Read"), started("planner"), model({ text: "", calls: [call("big", "read_file", { path: "a.txt" })] }), cut]),
		);
		const group = chat.getByRole("group", { name: "Read a.txt" });
		await group.waitFor();
		await posted();
		await group.getByRole("button").first().click();
		await group.getByText("the beginning").waitFor();
		assert.deepEqual(await posted(), [{ type: "loadOutput", session: "s1", call: "big" }]);
		await send({ type: "output", call: "big", text: "the beginning\nwhat was left out\nthe end" });
		await group.getByText("what was left out").waitFor();
	});

	test("a long message draws what is near, and the rest when it comes near", async () => {
		const { chat, send } = await open({ height: 600 });
		const text = Array.from({ length: 400 }, (_, index) => `Paragraph ${index} ${"words ".repeat(20)}\n\n`).join("");
		await send(snapshot([user("Tell"), model({ text })]));
		await chat.getByText("Paragraph 399").waitFor();
		const drawn = () =>
			chat.evaluate(() => [...document.querySelectorAll(".from-agent .block")].filter((block) => block.firstChild).length);
		assert.ok((await drawn()) < 200, `${await drawn()} of 400 paragraphs`);
		await chat.locator(".scroller").focus();
		await chat.keyboard.press("Home");
		await chat.getByText("Paragraph 0 ").waitFor();
	});
}

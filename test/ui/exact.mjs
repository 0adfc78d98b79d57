// What an approval shows is what then runs or is written, to the byte: from the tool's input to the text on the page.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { bundled } from "../bundle.mjs";
import { hostileText, numbers, readBack, readLine, UNSEEN } from "../fakes/hostileText.mjs";
import { asked, call, change, model, snapshot, started, user } from "./told.mjs";

/** What each of them hid once, and how it reads now. */
const HIDDEN = [
	["a NUL", "echo ok\0; touch PWNED\n", "echo ok\\u{0000}; touch PWNED"],
	["a terminal's title", "echo ok \u001b]0;touch PWNED\u0007\n", "echo ok \\u{001b}]0;touch PWNED\\u{0007}"],
	["a lone carriage return", "touch PWNED\recho ok\n", "touch PWNED\\u{000d}echo ok"],
	["400 blanks", `echo ok${" ".repeat(400)}; touch PWNED\n`, "echo ok[400 spaces]; touch PWNED"],
	["line 90 of 120", Array.from({ length: 120 }, (_, line) => (line === 89 ? "touch PWNED\n" : `echo ${line}\n`)).join(""), "touch PWNED"],
];

const asking = (name, input, summary = "Call it") => {
	const made = call("k", name, input);
	return snapshot([user("Go"), started("actor"), model({ text: "", calls: [made] }), asked({ call: "k", summary, always: [] })]);
};

/** Opens what is folded, the reason in one line too. */
async function unfold(chat) {
	const folded = chat.locator(".approval .more, .approval .why [aria-expanded=false]");
	while ((await folded.count()) > 0) await folded.first().click();
}

/** The text of what is asked about, folded parts and all. */
async function unfolded(chat) {
	await unfold(chat);
	return chat.locator(".approval .lines").first().textContent();
}

/** The file as it will be, read off a diff that creates it. */
function fileIn(text) {
	return text
		.replace(/\n$/, "")
		.split("\n")
		.map((line) => {
			assert.match(line, /^\+ /);
			const endless = line.endsWith("[no line end]");
			return readLine(endless ? line.slice(2, -"[no line end]".length) : line.slice(2)) + (endless ? "" : "\n");
		})
		.join("");
}

/** In the page: parts of the card that are cut off, or can be scrolled. */
function cutOff() {
	const card = document.querySelector(".approval");
	const { left, right } = card.getBoundingClientRect();
	return [...card.querySelectorAll("*")]
		.filter((part) => !part.closest("input, .sr-only"))
		.filter((part) => {
			const box = part.getBoundingClientRect();
			const { overflowX, overflowY, textOverflow } = getComputedStyle(part);
			const scrolls = /auto|scroll|hidden|clip/.test(overflowX + overflowY) && part.scrollHeight > part.clientHeight + 1;
			return (
				box.left < left - 1 || box.right > right + 1 || part.scrollWidth > part.clientWidth + 4 || scrolls || textOverflow === "ellipsis"
			);
		})
		.filter((part) => getComputedStyle(part).display !== "inline" && !part.matches(".tag"))
		.map((part) => `${part.localName}.${part.className}`);
}

export function exact(test, open) {
	const real = async (made, files) => {
		const { askedAbout } = await import(pathToFileURL(await bundled("test/ui/askedAbout.ts", "ui-asked")).href);
		return askedAbout(made, files);
	};

	for (const [what, text, shown] of HIDDEN) {
		test(`${what} in a command hides nothing of it`, async () => {
			const scene = await real({ name: "execute_command", input: { command: text } });
			const { chat, send } = await open({ width: 300 });
			await send(snapshot(scene.events));
			await chat.locator(".approval").waitFor();
			const read = await unfolded(chat);
			assert.ok(read.includes(shown), read);
			assert.doesNotMatch(read, UNSEEN);
			assert.equal(readBack(read), text);
			assert.deepEqual(await chat.evaluate(cutOff), []);
			await scene.close();
		});

		test(`${what} in a file hides nothing of it, and what is shown is what is written`, async () => {
			const scene = await real({ name: "create_file", input: { path: "run.sh", content: text } });
			const { chat, send } = await open({ width: 300 });
			await send(snapshot(scene.events));
			await chat.locator(".approval").waitFor();
			const read = await unfolded(chat);
			assert.ok(read.includes(shown), read);
			assert.doesNotMatch(read, UNSEEN);
			assert.deepEqual(await chat.evaluate(cutOff), []);
			assert.equal(fileIn(read), String(await scene.allowed("run.sh")));
			await scene.close();
		});
	}

	test("a long line wraps, in a command, a diff, an address and an argument: nothing is beyond an edge", async () => {
		const long = `${"x".repeat(700)} ${"word ".repeat(100)}; touch PWNED`;
		const { chat, send } = await open({ width: 300 });
		const address = `https://${"very-long.".repeat(20)}example.org/${"path/".repeat(100)}`;
		const view = { kind: "change", changes: [change(`${"deep/".repeat(60)}file.ts`, { diff: `@@ -1 +1 @@\n-${long}\n+${long};` })] };
		for (const [name, input, more] of [
			["execute_command", { command: long, cwd: "d/".repeat(200) }, {}],
			["web_fetch", { url: address }, {}],
			["mcp__tracker__do", { [`name-${"n".repeat(200)}`]: long, other: long }, {}],
			["apply_patch", { patch: "p" }, { view }],
		]) {
			const summary = `Call ${name}`;
			const made = call("k", name, input);
			await send(
				snapshot([user("Go"), started("actor"), model({ text: "", calls: [made] }), asked({ call: "k", summary, always: [], ...more })]),
			);
			await chat.getByRole("group", { name: `Approval: ${summary}`, exact: true }).waitFor();
			await unfold(chat);
			assert.deepEqual(await chat.evaluate(cutOff), [], name);
		}
	});

	test("the beginning and the end of 120 lines are in sight, and how many are not", async () => {
		const { chat, send } = await open();
		await send(asking("execute_command", { command: HIDDEN.at(-1)[1].trimEnd() }));
		const text = await chat.locator(".approval .exact").textContent();
		assert.match(text, /^echo 0\necho 1\n[\s\S]*echo 11\nShow 96 more linesecho 108\n[\s\S]*echo 119$/);
	});

	test("the text of any command can be read back to the byte", async () => {
		const { chat, send, errors } = await open({ width: 300 });
		const next = numbers(Number(process.env.TROUPE_SEED ?? 30));
		for (let round = 0; round < 120; round += 1) {
			const command = Array.from({ length: next(round % 10 === 0 ? 60 : 4) + 1 }, () => hostileText(next)).join("");
			// The page takes text as it crosses between two programs, where half a pair does not survive.
			const sent = command.replace(/\p{Surrogate}/gu, "?") || "?";
			await send(asking("execute_command", { command: sent }, `Call ${round}`));
			await chat.getByRole("group", { name: `Approval: Call ${round}`, exact: true }).waitFor();
			const read = await unfolded(chat);
			assert.equal(readBack(read), sent, JSON.stringify(sent));
			assert.doesNotMatch(read, UNSEEN, JSON.stringify(sent));
		}
		assert.deepEqual(errors, []);
	});

	test("words from right to left stay in the order in which they run", async () => {
		const { chat, send } = await open({ width: 800 });
		await send(asking("execute_command", { command: "cp אב 12 גד" }));
		await chat.locator(".approval .exact bdi").first().waitFor();
		const lefts = await chat
			.locator(".approval .exact bdi")
			.evaluateAll((parts) => parts.map((part) => [part.textContent, part.getBoundingClientRect().left]));
		assert.deepEqual(
			lefts.map(([text]) => text),
			["אב", "גד"],
		);
		assert.ok(lefts[0][1] < lefts[1][1], JSON.stringify(lefts));
	});

	test("every argument of a tool from outside is there under its name, a text never as a number", async () => {
		const { chat, send } = await open({ width: 300 });
		const input = { id: 5, also: "5", none: "", no: false, "not\u202e": "false", command: "ls\0", list: ["a\u00a0b"], body: "1\n2\n" };
		await send(asking("mcp__tracker__do", input));
		const read = await chat
			.locator(".arguments > div")
			.evaluateAll((parts) => parts.map((part) => [part.querySelector("dt").textContent, part.querySelector(".lines").textContent]));
		assert.deepEqual(read, [
			["id", "5"],
			["also", '"5"'],
			["none", '""'],
			["no", "false"],
			["not\\u{202e}", '"false"'],
			["command", "ls\\u{0000}"],
			["list", '["a\\u{00a0}b"]'],
			["body", "1\n2\n"],
		]);
		await unfold(chat);
		assert.deepEqual(await chat.evaluate(cutOff), []);
	});

	test("a thousand arguments, and a hundred files, show both ends and how many are between", async () => {
		const { chat, send } = await open();
		await send(asking("mcp__tracker__do", Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`key-${at}`, at]))));
		const text = await chat.getByRole("group", { name: "Arguments" }).textContent();
		assert.match(text, /"key-0": 0,[\s\S]*Show 978 more lines[\s\S]*"key-999": 999\n\}$/);
		const files = Array.from({ length: 100 }, (_, at) => change(`src/part-${at}.ts`));
		const made = call("k", "apply_patch", { patch: "p" });
		const view = { kind: "change", changes: files };
		await send(
			snapshot([user("Go"), started("actor"), model({ text: "", calls: [made] }), asked({ call: "k", summary: "Patch all", view })]),
		);
		await chat.getByRole("group", { name: "Approval: Patch all" }).waitFor();
		assert.equal(await chat.locator(".preview").count(), 24);
		await chat.getByRole("button", { name: "Show 76 more files" }).click();
		assert.equal(await chat.locator(".preview").count(), 100);
	});

	test("binary content says that it cannot be shown, and nothing is offered that lasts", async () => {
		const binary = { path: "a.bin", action: "update", added: 0, removed: 0, diff: "", after: "x", unshown: { why: "binary", size: 1234 } };
		const { chat, send } = await open();
		const view = { kind: "change", changes: [binary], unshown: true };
		const made = call("k", "apply_patch", { patch: "p" });
		await send(snapshot([user("Go"), started("actor"), model({ text: "", calls: [made] }), asked({ call: "k", view, always: ["edits"] })]));
		await chat.getByText("Binary content (1,234 bytes) can't be shown.").waitFor();
		assert.equal(await chat.getByRole("button", { name: /^Always/ }).count(), 0);
	});

	test("a card whose call has not come along shows what it knows", async () => {
		const { chat, send } = await open();
		await send(snapshot([user("Go"), started("actor"), asked({ call: "gone", summary: "Run rm -rf .\u202e" })]));
		assert.equal(await chat.locator(".approval .exact").textContent(), "Run rm -rf .\\u{202e}");
	});
}

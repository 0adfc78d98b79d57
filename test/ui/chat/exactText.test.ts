// An approval shows exactly what then runs or is written, from the tool's input to the page.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { FileChange } from "../../../src/core/events.ts";
import { hostileText, numbers, readBack, readLine, UNSEEN } from "../../fakes/hostileText.ts";
import { newest, openChat, textOf } from "../browser.ts";
import { asked, call, change, type Fields, model, snapshot, started, user, view } from "../states/events.ts";
import { requestApproval } from "./requestApproval.ts";

/** What once hid a part of the text, the text, and how that part is shown. */
const HIDDEN: readonly [name: string, text: string, shown: string][] = [
	["a NUL", "echo ok\0; touch PWNED\n", "echo ok\\u{0000}; touch PWNED"],
	["a terminal's title", "echo ok \u001b]0;touch PWNED\u0007\n", "echo ok \\u{001b}]0;touch PWNED\\u{0007}"],
	["a lone carriage return", "touch PWNED\recho ok\n", "touch PWNED\\u{000d}echo ok"],
	["a run of 400 spaces", `echo ok${" ".repeat(400)}; touch PWNED\n`, "echo ok[400 spaces]; touch PWNED"],
	[
		"a length of 120 lines",
		Array.from({ length: 120 }, (_, line) => (line === 89 ? "touch PWNED\n" : `echo ${line}\n`)).join(""),
		"touch PWNED",
	],
];

const asking = (name: string, input: unknown, summary = "Call it") => {
	const made = call("k", name, input);
	return snapshot([user("Go"), started("actor"), model({ text: "", calls: [made] }), asked({ call: "k", summary, always: [] })]);
};

/** Opens what is folded, the reason in one line too. */
async function unfold(chat: Page): Promise<void> {
	const folded = chat.locator(".approval .more, .approval .why [aria-expanded=false]");
	while ((await folded.count()) > 0) await folded.first().click();
}

/** The text of what is asked about, folded parts and all. */
async function unfolded(chat: Page): Promise<string> {
	await unfold(chat);
	return textOf(chat.locator(".approval .lines").first());
}

/** The file as it will be, read off a diff that creates it. */
function fileIn(text: string): string {
	return text
		.replace(/\n$/, "")
		.split("\n")
		.map((line) => {
			assert.match(line, /^\+ /);
			const endless = line.endsWith("[no newline at end]");
			return readLine(endless ? line.slice(2, -"[no newline at end]".length) : line.slice(2)) + (endless ? "" : "\n");
		})
		.join("");
}

/** In the page: parts of the card that are cut off, or can be scrolled. */
function cutOff(): string[] {
	const card = document.querySelector(".approval") as Element;
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

for (const [name, text, shown] of HIDDEN) {
	it(`an approval of a command with ${name} shows all of it`, async () => {
		const setup = await requestApproval({ name: "execute_command", input: { command: text } });
		const { chat, send } = await openChat({ width: 300 });
		await send(snapshot(setup.events));
		await chat.locator(".approval").waitFor();
		const read = await unfolded(chat);
		assert.ok(read.includes(shown), read);
		assert.doesNotMatch(read, UNSEEN);
		assert.equal(readBack(read), text);
		assert.deepEqual(await chat.evaluate(cutOff), []);
		await setup.close();
	});

	it(`an approval of a new file with ${name} shows exactly what is then written`, async () => {
		const setup = await requestApproval({ name: "create_file", input: { path: "run.sh", content: text } });
		const { chat, send } = await openChat({ width: 300 });
		await send(snapshot(setup.events));
		await chat.locator(".approval").waitFor();
		const read = await unfolded(chat);
		assert.ok(read.includes(shown), read);
		assert.doesNotMatch(read, UNSEEN);
		assert.deepEqual(await chat.evaluate(cutOff), []);
		assert.equal(fileIn(read), String(await setup.allowed("run.sh")));
		await setup.close();
	});
}

it("an approval wraps long lines so that nothing of them is cut off", async () => {
	const long = `${"x".repeat(700)} ${"word ".repeat(100)}; touch PWNED`;
	const { chat, send } = await openChat({ width: 300 });
	const address = `https://${"very-long.".repeat(20)}example.org/${"path/".repeat(100)}`;
	const diff = `@@ -1 +1 @@
-${long}
+${long};`;
	const calls: [name: string, input: unknown, more: Partial<Fields<"asked">>][] = [
		["execute_command", { command: long, cwd: "d/".repeat(200) }, {}],
		["web_fetch", { url: address }, {}],
		["mcp__tracker__do", { [`name-${"n".repeat(200)}`]: long, other: long }, {}],
		["apply_patch", { patch: "p" }, { view: view(change(`${"deep/".repeat(60)}file.ts`, { diff })) }],
	];
	for (const [name, input, more] of calls) {
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

it("an approval of 120 lines shows its first and last lines", async () => {
	const { chat, send } = await openChat();
	await send(asking("execute_command", { command: newest(HIDDEN)[1].trimEnd() }));
	const text = await textOf(chat.locator(".approval .exact"));
	assert.match(text, /^echo 0\necho 1\n[\s\S]*echo 11\nShow 96 More Linesecho 108\n[\s\S]*echo 119$/);
});

it("the text of any command in an approval can be read back to the byte", async () => {
	const { chat, send, errors } = await openChat({ width: 300 });
	const next = numbers(Number(process.env["TROUPE_SEED"] ?? 30));
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

it("right-to-left words in an approval stay in the order in which they run", async () => {
	const { chat, send } = await openChat({ width: 800 });
	await send(asking("execute_command", { command: "cp אב 12 גד" }));
	await chat.locator(".approval .exact bdi").first().waitFor();
	const lefts = await chat
		.locator(".approval .exact bdi")
		.evaluateAll((parts) => parts.map((part) => ({ text: part.textContent, left: part.getBoundingClientRect().left })));
	assert.deepEqual(
		lefts.map(({ text }) => text),
		["אב", "גד"],
	);
	assert.ok((lefts[0]?.left ?? 0) < (lefts[1]?.left ?? 0), JSON.stringify(lefts));
});

it("an approval shows every argument of an MCP tool under its name", async () => {
	const { chat, send } = await openChat({ width: 300 });
	const input = { id: 5, also: "5", none: "", no: false, "not\u202e": "false", command: "ls\0", list: ["a\u00a0b"], body: "1\n2\n" };
	await send(asking("mcp__tracker__do", input));
	const read = await chat
		.locator(".arguments > div")
		.evaluateAll((parts) => parts.map((part) => [part.querySelector("dt")?.textContent, part.querySelector(".lines")?.textContent]));
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

it("an approval of 1,000 arguments or 100 files shows both ends and counts the rest", async () => {
	const { chat, send } = await openChat();
	await send(asking("mcp__tracker__do", Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`key-${at}`, at]))));
	const text = await textOf(chat.getByRole("group", { name: "Arguments" }));
	assert.match(text, /"key-0": 0,[\s\S]*Show 978 More Lines[\s\S]*"key-999": 999\n\}$/);
	const files = Array.from({ length: 100 }, (_, at) => change(`src/part-${at}.ts`));
	const made = call("k", "apply_patch", { patch: "p" });
	await send(
		snapshot([
			user("Go"),
			started("actor"),
			model({ text: "", calls: [made] }),
			asked({ call: "k", summary: "Patch all", view: view(...files) }),
		]),
	);
	await chat.getByRole("group", { name: "Approval: Patch all" }).waitFor();
	assert.equal(await chat.locator(".preview").count(), 24);
	await chat.getByRole("button", { name: "Show 76 More Files" }).click();
	assert.equal(await chat.locator(".preview").count(), 100);
});

it("an approval of binary content says that it cannot be shown and offers nothing lasting", async () => {
	const binary: FileChange = {
		path: "a.bin",
		action: "update",
		added: 0,
		removed: 0,
		diff: "",
		after: "x",
		unshown: { why: "binary", size: 1234 },
	};
	const { chat, send } = await openChat();
	const made = call("k", "apply_patch", { patch: "p" });
	await send(
		snapshot([
			user("Go"),
			started("actor"),
			model({ text: "", calls: [made] }),
			asked({ call: "k", view: { ...view(binary), unshown: true }, always: ["edits"] }),
		]),
	);
	await chat.getByText("Binary content (1,234 bytes) can't be shown.").waitFor();
	assert.equal(await chat.getByRole("button", { name: /^Always/ }).count(), 0);
});

it("an approval whose call is unknown shows its summary with hidden characters escaped", async () => {
	const { chat, send } = await openChat();
	await send(snapshot([user("Go"), started("actor"), asked({ call: "gone", summary: "Run rm -rf .\u202e" })]));
	assert.equal(await textOf(chat.locator(".approval .exact")), "Run rm -rf .\\u{202e}");
});

// Tests that dialogs show untrusted names and text through the one safe renderer.
import assert from "node:assert/strict";
import { launchDetails } from "../../../src/vscode/mcp/launchSummary.ts";
import { hostileText, numbers, readBack, readLine, UNSEEN } from "../../fakes/hostileText.ts";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";

type Dialogs = typeof import("../../../src/vscode/dialogs.ts") & typeof import("../../../src/vscode/notifications.ts");
type Editor = typeof import("../../fakes/editorWindow.ts");

/** The dialogs, on an editor that keeps what they show. */
const dialogs = () => onEditorWindow<Dialogs>("dialogs", "src/vscode/dialogs.ts", "src/vscode/notifications.ts");

describe("a dialog", () => {
	let at: Dialogs & Editor;

	before(async () => {
		at = await dialogs();
	});

	it("keeps every line of others on a line of its own, and our own layout as it is", async () => {
		at.presses("Yes");
		const lines = ["a\nAll is well.", "  b\u202e", { written: "Program: x\n    y" }];
		assert.equal(await at.showModal("warning", "Run\n“\u200b”?", lines, "Yes"), "Yes");
		assert.deepEqual(at.shown.pop(), {
			how: "warning",
			text: "Run\\u{000a}“\\u{200b}”?",
			detail: "a\\u{000a}All is well.\n[2 spaces]b\\u{202e}\nProgram: x\n    y",
			buttons: ["Yes"],
		});
	});

	it("shows both ends of what does not fit, says how much is between, and opens all of it", async () => {
		const lines = Array.from({ length: 100 }, (_, place) => `line ${place}`);
		await at.showModal("info", "All of it?", lines, "Yes");
		const { detail = "" } = at.shown.pop() ?? {};
		assert.match(detail, /^line 0\n[\s\S]*line 17\n\[64 more lines\]\nline 82\n[\s\S]*line 99\n\n\[The full text is open/);
		assert.equal(at.opened.pop(), lines.join("\n"));
	});

	it("can be read back to the byte, and so can a message, whatever is in it", async () => {
		const next = numbers(5);
		for (let round = 0; round < 300; round += 1) {
			const [question, line, message] = [hostileText(next, 4), hostileText(next, 6), hostileText(next, 6)];
			await at.showModal("warning", question, [line]);
			const dialog = at.shown.pop();
			assert.deepEqual(
				[dialog?.text, dialog?.detail].map((text = "") => readLine(text)),
				[question, line],
			);
			assert.doesNotMatch(`${dialog?.text}\n${dialog?.detail}`, UNSEEN);
			await at.showNotification("error", message);
			assert.equal(readBack(at.shown.pop()?.text ?? ""), message);
		}
	});
});

describe("a sign-in where only the proxy knows the names", () => {
	type McpDialogs = typeof import("../../../src/vscode/mcp/mcpDialogs.ts") & Editor;
	const told = "Only your proxy can resolve this address, so it was not checked.";
	const clock = { now: (() => (time += 10_000)) as () => number, windowFocusedFor: async () => 60_000 };
	let time = 0;
	let at: McpDialogs;

	before(async () => {
		at = await onEditorWindow<McpDialogs>("mcpDialogs", "src/vscode/mcp/mcpDialogs.ts");
	});

	it("asks for the origin and says that its address was not checked", async () => {
		const { confirmUncheckedOrigin: reachUnchecked } = at.createMcpDialogs(clock);
		at.presses("Allow Once");
		assert.equal(await reachUnchecked("Far\u202e", "https://auth.example"), true);
		const { text, detail } = at.shown.pop() ?? {};
		assert.equal(text, "Allow the MCP server “Far\\u{202e}” to sign you in at auth.example?");
		assert.equal(detail, `https://auth.example\n\n${told}`);
		at.presses(undefined);
		assert.equal(await reachUnchecked("Far", "https://auth.example"), false);
	});

	it("says so of the page that it opens, and of no other", async () => {
		const { openSignIn: open } = at.createMcpDialogs(clock);
		at.presses(undefined);
		await open("https://auth.example/in", true);
		assert.match(at.shown.pop()?.detail ?? "", new RegExp(told));
		await open("https://auth.example/in");
		assert.doesNotMatch(at.shown.pop()?.detail ?? "", /not checked/);
	});
});

describe("what is said of an MCP server before it starts", () => {
	const home = "/home/me";

	it("hides nothing of its program, arguments, variables and folder", () => {
		const config = {
			id: "docs",
			name: "Docs",
			source: "settings",
			command: "/opt/my server\u00a0",
			args: ["--path=x\ny", "a  b\t", "\\u{202e}\u202e", "אב 12 גד", "שלום", ""],
			env: { "TOKEN\u200b": "secret" },
			cwd: "/tmp/a\rb",
		} as const;
		const text = launchDetails({ config: { ...config, args: [...config.args] }, secretNames: ["key\u0007"], defaultFolder: home });
		assert.doesNotMatch(text.replace(/^ {4}/gm, ""), UNSEEN);
		for (const line of [
			'Program: "/opt/my server\\u{00a0}"',
			'    "--path=x\\ny"',
			'    "a[2 spaces]b\\t"',
			'    "\\\\u{005c}u{202e}\\u{202e}"',
			'    "\\u{05d0}\\u{05d1} 12 \\u{05d2}\\u{05d3}"',
			'    "שלום"',
			'    ""',
			'    "TOKEN\\u{200b}"',
			'Folder: "/tmp/a\\rb"',
			"Secrets passed to the server: key\\u{0007}",
		])
			assert.ok(text.split("\n").includes(line), `${line}\nin\n${text}`);
	});

	it("shows where its address leads", () => {
		const config = { id: "docs", name: "Docs", source: "settings", url: "https://еxample.org/mcp" } as const;
		assert.match(
			launchDetails({ config, secretNames: [], defaultFolder: home }),
			/^Address: https:\/\/еxample\.org\/mcp \(xn--xample-2of\.org\)$/m,
		);
	});
});

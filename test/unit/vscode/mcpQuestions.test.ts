// Tests what MCP servers ask the user: start, sign-in and elicitation.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Elicitation } from "../../../src/core/ports/mcp.ts";
import { showElicitationForm } from "../../../src/vscode/mcp/elicitationForm.ts";
import { launchLines } from "../../../src/vscode/mcp/launchSummary.ts";
import { createMcpDialogs } from "../../../src/vscode/mcp/mcpDialogs.ts";
import { opened as openedTexts } from "../../fakes/editorWindow.ts";
import { restoreWindow, window } from "../../host/stubs.ts";

type Shown = { message: string; detail: string };

const CANARY = "canary-5b1d0c";

describe("a dialog about an MCP server", () => {
	const clock = { time: 0, now: () => clock.time, windowFocusedFor: async () => 60_000 };
	const dialogs = createMcpDialogs(clock);
	const config = { id: "docs", name: "Docs\u202e", source: "settings", command: "npx", args: ["a"] } as const;

	afterEach(restoreWindow);

	it("ignores answers that come too early, and asks again", async () => {
		const delays = [100, 499, 501];
		const times: number[] = [];
		window["showWarningMessage"] = async () => {
			clock.time += delays[times.length] ?? 0;
			times.push(clock.time);
			return "Start Server";
		};
		assert.equal(await dialogs.confirmStart({ config, secretNames: [], defaultFolder: "/" }), "start");
		assert.equal(times.length, 3);
	});

	it("opens the whole text behind it where the text is too long", async () => {
		let shown: Shown | undefined;
		window["showWarningMessage"] = async (message: string, { detail }: Shown) => {
			shown = { message, detail };
			return undefined;
		};
		const args = Array.from({ length: 120 }, (_, place) => `argument-${place}`);
		assert.equal(await dialogs.confirmStart({ config: { ...config, args }, secretNames: [], defaultFolder: "/" }), "later");
		assert.match(shown?.message ?? "", /“Docs\\u\{202e\}”/);
		assert.match(shown?.detail ?? "", /argument-0\n[\s\S]*editor behind this dialog/);
		const text = openedTexts.at(-1) ?? assert.fail("no text was opened");
		for (const argument of args) assert.ok(text.includes(`    ${argument}`), argument);
	});

	it("opens only web addresses for a sign-in, after showing their host", async () => {
		const opened: unknown[] = [];
		const env = vscode.env as unknown as Record<string, unknown>;
		const open = env["openExternal"];
		env["openExternal"] = async (address: unknown) => opened.push(address) > 0;
		let hosts: string[] = [];
		window["showInformationMessage"] = async (message: string) => {
			hosts.push(message);
			return "Open in Browser";
		};
		try {
			const address = "https://auth.example/authorize?redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcallback&state=a%2Bb";
			assert.equal(await dialogs.openSignIn(address), true);
			assert.deepEqual([opened, hosts], [[address], ["Open auth.example to sign in?"]]);
			hosts = [];
			for (const bad of ["http://auth.example/", "file:///etc/passwd", "vscode://a.b/c", "https://x.example/$(touch y) z"])
				assert.equal(await dialogs.openSignIn(bad), false, bad);
			assert.deepEqual([opened.length, hosts], [1, []]);
			window["showInformationMessage"] = async () => undefined;
			assert.equal(await dialogs.openSignIn(address), false);
			assert.equal(opened.length, 1);
		} finally {
			env["openExternal"] = open;
		}
	});

	it("compares servers by lines that hold no variable's value", () => {
		assert.deepEqual(launchLines({ ...config, env: { B: CANARY, A: CANARY } }), ["command npx", "argument a", "variable A", "variable B"]);
	});
});

describe("a form of an MCP server", () => {
	const question: Elicitation = {
		session: "s",
		server: { id: "docs", name: "Docs" },
		message: "Which one?\u202e",
		fields: [
			{ name: "town", title: "Town", description: "", type: "string", required: true },
			{ name: "count", title: "", description: "", type: "integer", required: false },
			{ name: "sure", title: "Sure", description: "", type: "boolean", required: true },
		],
	};
	/** Every answer is a second later. */
	const clock = { time: 0, now: () => (clock.time += 1_000), windowFocusedFor: async () => 60_000 };
	afterEach(restoreWindow);

	/** Answers each dialog, box and list in turn; undefined closes it. */
	function person(modals: (string | undefined)[], boxes: (string | undefined)[], picks: (string | undefined)[]): string[] {
		const details: string[] = [];
		window["showWarningMessage"] = async (_: string, { detail }: { detail: string }) => {
			details.push(detail);
			return modals.shift();
		};
		window["showInputBox"] = async () => boxes.shift();
		window["showQuickPick"] = async (items: { label: string }[]) => {
			const label = picks.shift();
			return items.find((item) => item.label === label);
		};
		return details;
	}

	it("is shown whole, answered field by field, and confirmed before sending", async () => {
		const details = person(["Answer…", "Send Answers"], ["Ulm", "3"], ["Yes"]);
		assert.deepEqual(await showElicitationForm(question, new AbortController().signal, clock), { town: "Ulm", count: 3, sure: true });
		assert.match(details[0] ?? "", /^Which one\?\\u\{202e\}\n\n• Town\n• count\n• Sure\n/);
		assert.equal(details[1], 'Town: "Ulm"\ncount: 3\nSure: true');
	});

	it("is declined where the user leaves at any step or the call ends", async () => {
		const never = new AbortController().signal;
		for (const [modals, boxes, picks] of [
			[[undefined], [], []],
			[["Answer…", "Send Answers"], [undefined, "3"], ["Yes"]],
			[["Answer…", "Send Answers"], ["Ulm", "not a number"], ["Yes"]],
			[["Answer…", "Send Answers"], ["Ulm", ""], [undefined]],
			[["Answer…", undefined], ["Ulm", ""], ["No"]],
		] as [(string | undefined)[], (string | undefined)[], (string | undefined)[]][]) {
			person(modals, boxes, picks);
			assert.equal(await showElicitationForm(question, never, clock), undefined);
		}
		person(["Answer…", "Send Answers"], ["Ulm", ""], ["No"]);
		assert.equal(await showElicitationForm(question, AbortSignal.abort(), clock), undefined);
	});
});

// Tests consent dialogs: no habitual key press consents, and everything approved is shown.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { askForConsent } from "../../../src/vscode/consent.ts";
import { showElicitationForm } from "../../../src/vscode/mcp/elicitationForm.ts";
import { confirmPlan } from "../../../src/vscode/pickers.ts";
import { setWebviewFocus, watchWindowFocus, windowFocusedFor } from "../../../src/vscode/windowFocus.ts";
import { restoreWindow, window } from "../../host/stubs.ts";

interface Dialog {
	message: string;
	detail: string;
	buttons: string[];
}

/** Answers each dialog in turn, as late as it says. */
function person(...answers: { says: string | undefined; after: number }[]) {
	const put: Dialog[] = [];
	const clock = { time: 0, now: () => clock.time, windowFocusedFor: async () => 60_000 };
	window["showWarningMessage"] = async (message: string, { detail }: { detail: string }, ...buttons: string[]) => {
		put.push({ message, detail, buttons });
		const next = answers.shift();
		clock.time += next?.after ?? 0;
		return next?.says;
	};
	return { put, clock };
}

describe("a dialog that asks for consent", () => {
	afterEach(restoreWindow);

	it("never consents by the focused button, and only after half a second", async () => {
		const { put, clock } = person({ says: "Save", after: 499 }, { says: "Save", after: 500 });
		assert.equal(await askForConsent("Really?", ["All of it"], ["Save"], clock), "Save");
		assert.deepEqual(
			put.map(({ buttons }) => buttons),
			[
				["Copy Details", "Save"],
				["Copy Details", "Save"],
			],
		);
		assert.match(put[1]?.detail ?? "", /^Please confirm again[\s\S]*All of it$/);
		assert.equal(await askForConsent("Really?", [], ["Save"], person({ says: undefined, after: 900 }).clock), undefined);
	});

	it("copies its text with the focused button and asks again", async () => {
		const { put, clock } = person({ says: "Copy Details", after: 900 }, { says: "Save", after: 900 });
		assert.equal(await askForConsent("Really?", ["All of it"], ["Save"], clock), "Save");
		assert.equal(await vscode.env.clipboard.readText(), "Really?\nAll of it");
		assert.equal(put.length, 2);
		assert.doesNotMatch(put[1]?.detail ?? "", /confirm again/);
	});

	it("ignores an answer in a window that just got the focus", async () => {
		const { clock } = person({ says: "Save", after: 900 }, { says: undefined, after: 900 });
		assert.equal(await askForConsent("Really?", [], ["Save"], { ...clock, windowFocusedFor: async () => 300 }), undefined);
	});

	it("measures from the window's focus, even where the focus is reported later", async () => {
		let time = 10_000;
		const tell = watchFocus(() => time);
		tell({ focused: true });
		assert.ok((await windowFocusedFor()) >= 10_000, "it has always been there");
		tell({ focused: false });
		time += 1_000;
		tell({ focused: true });
		time += 40;
		assert.equal(await windowFocusedFor(), 40);
		tell({ focused: false });
		const telling = windowFocusedFor();
		time += 1_000;
		tell({ focused: true });
		assert.ok((await telling) <= 0);
	});

	it("accepts an answer at once after the focus moved from the chat", async () => {
		let time = 10_000;
		const tell = watchFocus(() => time);
		tell({ focused: true });
		setWebviewFocus("chat", true);
		tell({ focused: false });
		time += 5_000;
		setWebviewFocus("chat", false);
		time += 20;
		tell({ focused: true });
		assert.ok((await windowFocusedFor()) >= 5_000);
	});

	it("shows a plan's goal and steps with hidden characters visible", async () => {
		const { put } = person({ says: undefined, after: 900 });
		const steps = [{ step_number: 1, action: "Tidy\u202e up" }];
		assert.equal(await confirmPlan({ goal: "Go\u200b on", steps }), false);
		const [{ message, detail, buttons }] = put as [Dialog];
		assert.deepEqual(
			[message, detail, buttons],
			["Execute the plan “Go\\u{200b} on”?", "1. Tidy\\u{202e} up", ["Copy Details", "Execute Plan"]],
		);
	});

	it("focuses no answer to a server's question without fields", async () => {
		const question = { session: "s", server: { id: "docs", name: "Docs" }, message: "Delete all of it?", fields: [] };
		const { put, clock } = person({ says: "Answer…", after: 30 }, { says: undefined, after: 900 });
		assert.equal(await showElicitationForm(question, new AbortController().signal, clock), undefined);
		assert.equal(put[0]?.buttons[0], "Copy Details");
	});

	it("sends answers to a server only after showing them once more", async () => {
		const field = { name: "name", title: "Your name", description: "", type: "string", required: true } as const;
		const question = { session: "s", server: { id: "docs", name: "Docs" }, message: "Who?", fields: [field] };
		window["showInputBox"] = async () => "Ada\u202e";
		for (const [says, sent] of [["Send Answers", { name: "Ada\u202e" }] as const, [undefined, undefined] as const]) {
			const { put, clock } = person({ says: "Answer…", after: 900 }, { says, after: 900 });
			assert.deepEqual(await showElicitationForm(question, new AbortController().signal, clock), sent);
			assert.equal(put[1]?.detail, 'Your name: "Ada\\u{202e}"');
		}
	});
});

/** Follows the window's focus by a clock; gives what the editor says of the window with. */
function watchFocus(now: () => number): (state: { focused: boolean }) => void {
	let tell: (state: { focused: boolean }) => void = () => assert.fail();
	window["onDidChangeWindowState"] = (listener: typeof tell) => {
		tell = listener;
		return new vscode.Disposable(() => undefined);
	};
	watchWindowFocus(now);
	return (state) => tell(state);
}

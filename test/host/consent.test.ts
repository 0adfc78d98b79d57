// Tests consent dialogs in a real editor: no habitual key press consents, and everything approved is shown.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { createSkillLibrary } from "../../src/skills/library.ts";
import { createContentApprovals } from "../../src/storage/approvals/contentApprovals.ts";
import { askForConsent } from "../../src/vscode/consent.ts";
import { showElicitationForm } from "../../src/vscode/mcp/elicitationForm.ts";
import { confirmPlan } from "../../src/vscode/pickers.ts";
import { reviewSkills } from "../../src/vscode/skills.ts";
import { setWebviewFocus, watchWindowFocus, windowFocusedFor } from "../../src/vscode/windowFocus.ts";
import { restoreWindow, window } from "./stubs.ts";

interface Put {
	message: string;
	detail: string;
	buttons: string[];
}

/** Answers each dialogue in turn, as late as it says. */
function person(...answers: { says: string | undefined; after: number }[]) {
	const put: Put[] = [];
	const clock = { time: 0, now: () => clock.time, windowFocusedFor: async () => 60_000 };
	window["showWarningMessage"] = async (message: string, { detail }: { detail: string }, ...buttons: string[]) => {
		put.push({ message, detail, buttons });
		const next = answers.shift();
		clock.time += next?.after ?? 0;
		return next?.says;
	};
	return { put, clock };
}

describe("a yes in a dialogue", () => {
	afterEach(restoreWindow);

	it("is never the button that has the focus, and counts only after half a second", async () => {
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
		for (const says of [undefined]) {
			assert.equal(await askForConsent("Really?", [], ["Save"], person({ says, after: 900 }).clock), undefined);
		}
	});

	it("is not given by the button that has the focus, which copies what the dialogue says and asks again", async () => {
		const { put, clock } = person({ says: "Copy Details", after: 900 }, { says: "Save", after: 900 });
		assert.equal(await askForConsent("Really?", ["All of it"], ["Save"], clock), "Save");
		assert.equal(await vscode.env.clipboard.readText(), "Really?\nAll of it");
		assert.equal(put.length, 2);
		assert.doesNotMatch(put[1]?.detail ?? "", /confirm again/);
	});

	it("is nothing that a window which has just come to the front took", async () => {
		const { clock } = person({ says: "Save", after: 900 }, { says: undefined, after: 900 });
		assert.equal(await askForConsent("Really?", [], ["Save"], { ...clock, windowFocusedFor: async () => 300 }), undefined);
	});

	it("counts from when the window came to the front, also where that is told after it", async () => {
		let tell: (state: { focused: boolean }) => void = () => assert.fail();
		window["onDidChangeWindowState"] = (listener: typeof tell) => {
			tell = listener;
			return new vscode.Disposable(() => undefined);
		};
		let time = 10_000;
		watchWindowFocus(() => time);
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

	it("counts at once where the focus has only moved from the chat to the window", async () => {
		let tell: (state: { focused: boolean }) => void = () => assert.fail();
		window["onDidChangeWindowState"] = (listener: typeof tell) => {
			tell = listener;
			return new vscode.Disposable(() => undefined);
		};
		let time = 10_000;
		watchWindowFocus(() => time);
		tell({ focused: true });
		setWebviewFocus("chat", true);
		tell({ focused: false });
		time += 5_000;
		setWebviewFocus("chat", false);
		time += 20;
		tell({ focused: true });
		assert.ok((await windowFocusedFor()) >= 5_000);
	});

	it("to a plan is one, and hides nothing of its steps", async () => {
		const { put } = person({ says: undefined, after: 900 });
		const steps = [{ step_number: 1, action: "Tidy\u202e up" }];
		assert.equal(await confirmPlan({ goal: "Go\u200b on", steps }), false);
		const [{ message, detail, buttons }] = put as [Put];
		assert.deepEqual(
			[message, detail, buttons],
			["Execute the plan “Go\\u{200b} on”?", "1. Tidy\\u{202e} up", ["Copy Details", "Execute Plan"]],
		);
	});

	it("to a server's question without fields is one, too", async () => {
		const question = { session: "s", server: { id: "docs", name: "Docs" }, message: "Delete all of it?", fields: [] };
		const { put, clock } = person({ says: "Answer…", after: 30 }, { says: undefined, after: 900 });
		assert.equal(await showElicitationForm(question, new AbortController().signal, clock), undefined);
		assert.equal(put[0]?.buttons[0], "Copy Details");
	});

	it("sends to a server what was written, once it was shown once more", async () => {
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

describe("a skill that is to be approved", () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "troupe-skill-"));
	});
	afterEach(async () => {
		restoreWindow();
		rmSync(folder, { recursive: true, force: true });
		await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
	});

	it("is shown with every file whole, and says which of them cannot be shown", async () => {
		const skill = join(folder, ".agents/skills/helper");
		mkdirSync(skill, { recursive: true });
		writeFileSync(join(skill, "SKILL.md"), "---\nname: helper\ndescription: Helps.\n---\nRun `long.sh`.\n");
		writeFileSync(join(skill, "long.sh"), `${"# harmless\n".repeat(10_000)}echo LAST-LINE\n`);
		for (let number = 0; number < 60; number++) writeFileSync(join(skill, `part-${number}.txt`), `PART-${number}.\n`);
		writeFileSync(join(skill, "tool.bin"), Buffer.from([1, 0, 2]));
		const approvals = createContentApprovals(folder, "skills.json");
		const shelf = createSkillLibrary({ workspace: () => [folder], user: [], identity: () => "w", approvals, log: assert.fail });
		await reviewSkills(shelf, join(skill, "SKILL.md"));
		const document = vscode.window.activeTextEditor?.document;
		assert.ok(document);
		const text = document.getText();
		assert.match(text, /LAST-LINE/);
		for (let number = 0; number < 60; number++) assert.ok(text.includes(`PART-${number}.`), `part ${number}`);
		assert.match(text, /can't be shown[^\n]*\ntool\.bin \(3\)\n/);
		const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", document.uri);
		assert.deepEqual(
			lenses.map(({ command }) => command?.title),
			["Approve Until Window Closes"],
		);
		assert.equal(shelf.now().waiting.length, 1);
	});
});

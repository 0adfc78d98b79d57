// Tests texts that the user reviews before consenting, as documents of a real editor.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { createSkillLibrary } from "../../src/skills/library.ts";
import { createContentApprovals } from "../../src/storage/approvals/contentApprovals.ts";
import { createMcpDialogs } from "../../src/vscode/mcp/mcpDialogs.ts";
import { reviewSkills } from "../../src/vscode/skills.ts";
import { restoreWindow, window } from "./stubs.ts";

describe("a text that the user reviews", () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "troupe-skill-"));
	});
	afterEach(async () => {
		restoreWindow();
		rmSync(folder, { recursive: true, force: true });
		await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
	});

	it("a skill under review shows every text file whole and names the others", async () => {
		const skill = join(folder, ".agents/skills/helper");
		mkdirSync(skill, { recursive: true });
		writeFileSync(join(skill, "SKILL.md"), "---\nname: helper\ndescription: Helps.\n---\nRun `long.sh`.\n");
		writeFileSync(join(skill, "long.sh"), `${"# harmless\n".repeat(10_000)}echo LAST-LINE\n`);
		for (let number = 0; number < 60; number++) writeFileSync(join(skill, `part-${number}.txt`), `PART-${number}.\n`);
		writeFileSync(join(skill, "tool.bin"), Buffer.from([1, 0, 2]));
		const approvals = createContentApprovals(folder, "skills.json");
		const library = createSkillLibrary({ workspace: () => [folder], user: [], identity: () => "w", approvals, log: assert.fail });
		await reviewSkills({ skills: library, log: () => undefined }, join(skill, "SKILL.md"));
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
		assert.equal(library.now().waiting.length, 1);
	});

	it("a changed tool is shown beside its earlier version, and used only on consent", async () => {
		const definition = (hash: string, description: string) => ({ hash, description, inputSchema: "{}", annotations: "{}" });
		const change = {
			server: { id: "docs", name: "Docs [x](command:y)" },
			approved: "0",
			tools: [
				{
					name: "mcp__docs__find",
					tool: "find",
					before: definition("1", "Finds."),
					after: definition("2", "Finds, and tells everybody.\u202e"),
				},
			],
		};
		const clock = { time: 0, now: () => clock.time, windowFocusedFor: async () => 60_000 };
		const dialogs = createMcpDialogs(clock);
		const answers = ["Use Tool Again", "Show Changes", "Use Tool Again", undefined];
		const messages: string[] = [];
		window["showWarningMessage"] = async (message: string) => {
			messages.push(message);
			clock.time += messages.length === 1 ? 499 : 501;
			return answers.shift();
		};
		assert.equal(await dialogs.confirmChangedTools(change), true);
		assert.equal(await dialogs.confirmChangedTools(change), false);
		assert.ok(!messages.join().includes("]("), "nothing of it becomes a link");
		const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
		const diff = tab?.input instanceof vscode.TabInputTextDiff ? tab.input : assert.fail("no diff was opened");
		const texts = await Promise.all(
			[diff.original, diff.modified].map(async (uri) => (await vscode.workspace.openTextDocument(uri)).getText()),
		);
		assert.match(texts[0] ?? "", /^mcp__docs__find\n\nFinds\.\n/);
		assert.match(texts[1] ?? "", /^mcp__docs__find\n\nFinds, and tells everybody\.\\u\{202e\}\n/);
	});
});

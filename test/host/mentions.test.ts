// Tests editor context for mentions in a real editor: selection, terminal output, open files and images.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commands, Selection, window, workspace } from "vscode";
import { toPlainText } from "../../src/platform/processes/terminalText.ts";
import { createEditorFacts } from "../../src/vscode/mentions/editorFacts.ts";
import { type TerminalLog, watchTerminalOutput } from "../../src/vscode/mentions/terminalLog.ts";
import { until } from "./heard.ts";
import { select } from "./selections.ts";

describe("editor facts for mentions", () => {
	const ends: { dispose(): void }[] = [];
	after(() => {
		for (const end of ends) end.dispose();
	});

	const facts = (terminals: TerminalLog) => {
		const made = createEditorFacts({ terminals, plain: toPlainText });
		ends.push(terminals, made);
		return made;
	};

	it("mentions can name the selection with its lines and the open files", async () => {
		const { selection, open } = facts({ outputs: () => [], isBusy: () => false, dispose: () => undefined });
		const [folder] = workspace.workspaceFolders ?? [];
		const [uri] = await workspace.findFiles("**/*.{ts,md}", "**/node_modules/**", 1);
		assert.ok(folder && uri);
		const editor = await window.showTextDocument(uri);
		await select(editor, new Selection(0, 0, 0, 3));
		const text = editor.document.lineAt(0).text.slice(0, 3);
		assert.deepEqual(selection(), { path: uri.fsPath, lines: [1, 1], text });
		assert.equal(open()[0], uri.fsPath);
	});

	it("a mention of a terminal holds the terminal's output without escape sequences", async function () {
		const { terminal } = facts(watchTerminalOutput());
		const shell = window.createTerminal({ name: "tried", shellPath: "/bin/bash" });
		ends.push(shell);
		const integrated = await new Promise<boolean>((resolve) => {
			const giveUp = setTimeout(() => resolve(false), 20_000);
			const listening = window.onDidChangeTerminalShellIntegration(({ terminal: of }) => {
				if (of !== shell) return;
				clearTimeout(giveUp);
				listening.dispose();
				resolve(true);
			});
		});
		if (!integrated) this.skip();
		// The editor may hear of a command's start only when its output is over, and has nothing to read then: this one waits for it.
		const scratch = await mkdtemp(join(tmpdir(), "troupe-terminal-"));
		const started = window.onDidStartTerminalShellExecution(() => void writeFile(join(scratch, "heard"), ""));
		const waiting = `until [ -e '${join(scratch, "heard")}' ]; do sleep 0.05; done`;
		shell.shellIntegration?.executeCommand(`${waiting}; printf '\\033[31mred words\\033[0m\\n'; false`);
		await until(async () => assert.match(terminal(), /\[exit code 1\]/));
		started.dispose();
		await rm(scratch, { recursive: true, force: true });
		assert.match(terminal(), /^Terminal "tried":\n\$ until .*; printf/);
		assert.match(terminal(), /\nred words\n/);
		assert.match(terminal(), /\[exit code 1\]/);
		assert.equal(terminal().includes("\u001b"), false);
	});

	it("the image of a message is a read-only file", async () => {
		await commands.executeCommand("troupe.open");
		const { imageUri } = await import("../../src/vscode/mentions/imageFileSystem.ts");
		const missing = imageUri(createHash("sha256").update("nothing").digest("hex"), "image/png");
		await assert.rejects(async () => workspace.fs.readFile(missing), /no longer exists/);
		await assert.rejects(async () => workspace.fs.writeFile(missing, new Uint8Array()), /./);
	});
});

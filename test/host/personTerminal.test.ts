// A line in the person's own terminal, in a real editor with a real bash and its shell integration.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { UserTerminal } from "../../src/core/ports/workspace/commands.ts";
import { toPlainText } from "../../src/platform/processes/terminalText.ts";
import { createUserTerminal } from "../../src/vscode/adapters/userTerminal.ts";
import { watchTerminalOutput } from "../../src/vscode/mentions/terminalLog.ts";
import { until } from "./heard.ts";

describe("the person's terminal", function () {
	this.timeout(60_000);
	const log = watchTerminalOutput();
	let folder: string;
	let hand: UserTerminal;

	before(async () => {
		folder = realpathSync(mkdtempSync(join(tmpdir(), "hand-")));
		hand = createUserTerminal({ plain: toPlainText, busy: log.isBusy });
		const settings = vscode.workspace.getConfiguration("terminal.integrated");
		await settings.update("profiles.linux", { bash: { path: "bash" } }, vscode.ConfigurationTarget.Global);
		await settings.update("defaultProfile.linux", "bash", vscode.ConfigurationTarget.Global);
	});
	after(async () => {
		log.dispose();
		for (const terminal of vscode.window.terminals) terminal.dispose();
		rmSync(folder, { recursive: true, force: true });
	});

	// VS Code hands over nothing of what a command prints within its first milliseconds, now and then: so they sleep first.
	/** Types it, and gives the terminal in which it stands once it can be seen there. */
	async function typed(line: string, signal = new AbortController().signal) {
		const run = hand.type(line, folder, signal);
		await until(async () => assert.ok(vscode.window.activeTerminal?.shellIntegration !== undefined));
		const terminal = vscode.window.activeTerminal ?? assert.fail("no terminal");
		return { run, terminal };
	}

	/** As the person presses Enter. */
	const enter = (terminal: vscode.Terminal) => terminal.sendText("", true);

	it("a command in the person's terminal runs only once the person presses Enter", async () => {
		const { run, terminal } = await typed("echo made > made.txt && sleep 0.3 && echo said; false");
		await new Promise((resolve) => setTimeout(resolve, 500));
		assert.equal(existsSync(join(folder, "made.txt")), false);
		enter(terminal);
		const ran = (await run) ?? assert.fail("nothing ran");
		assert.equal(ran.line, "echo made > made.txt && sleep 0.3 && echo said; false");
		const { output, exitCode } = await ran.ended;
		assert.deepEqual([output.trim(), exitCode], ["said", 1]);
		assert.equal(existsSync(join(folder, "made.txt")), true);
	});

	it("the person's idle terminal is reused, and an edited line is reported as run", async () => {
		const before = vscode.window.terminals.length;
		const { run, terminal } = await typed("sleep 0.3; echo one");
		assert.equal(vscode.window.terminals.length, before);
		terminal.sendText("; echo two", true);
		const ran = (await run) ?? assert.fail("nothing ran");
		assert.equal(ran.line, "sleep 0.3; echo one; echo two");
		assert.equal((await ran.ended).output.trim().replace(/\r?\n/g, " "), "one two");
	});

	it("a new terminal opens if the person's terminal is busy", async () => {
		const busy = vscode.window.activeTerminal ?? assert.fail("no terminal");
		busy.sendText("sleep 600", true);
		await until(async () => assert.ok(log.isBusy(busy)));
		const stop = new AbortController();
		const { run } = await typed("echo three", stop.signal);
		await until(async () => assert.ok(vscode.window.activeTerminal !== busy));
		stop.abort();
		assert.equal(await run, undefined);
		vscode.window.activeTerminal?.dispose();
		busy.dispose();
	});
});

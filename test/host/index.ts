// Runs mocha over the test files in this folder, inside VS Code's extension host.
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import Mocha from "mocha";
import { commands, window, workspace } from "vscode";
import CaseReporter from "../../scripts/testRun/reporter.cjs";
import { restoreWindow, revertUnsaved } from "./stubs.ts";

export function run(): Promise<void> {
	const pattern = process.env["TEST_PATTERN"];
	const mocha = new Mocha({
		ui: "bdd",
		color: false,
		reporter: CaseReporter,
		timeout: 60_000,
		...(pattern !== undefined && { grep: new RegExp(pattern) }),
	});
	for (const name of readdirSync(__dirname)) if (name.endsWith(".test.js")) mocha.addFile(join(__dirname, name));
	// Its files are loaded then.
	mocha.suite.once("run", () => {
		for (const suite of mocha.suite.suites) suite.afterAll("clears what it left behind", clear);
	});
	return new Promise((resolve, reject) => {
		mocha.run((failures) => (failures === 0 ? resolve() : reject(new Error(`${failures} failed`))));
	});
}

async function clear(): Promise<void> {
	restoreWindow();
	await revertUnsaved();
	await commands.executeCommand("workbench.action.closeAllEditors");
	for (const terminal of window.terminals) terminal.dispose();
	const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
	if (folder === undefined) return;
	const git = (...words: string[]) => promisify(execFile)("git", words, { cwd: folder });
	await git("reset", "--quiet", "--hard");
	await git("clean", "--quiet", "-d", "--force");
}

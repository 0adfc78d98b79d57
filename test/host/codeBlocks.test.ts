// Tests inserting and applying code blocks in a real editor.

// Nothing is written before the user accepts it, and nothing outside the workspace.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commands, Selection, TabInputTextDiff, Uri, window, workspace } from "vscode";
import { applyCode, insertCode, registerCodeBlocks } from "../../src/vscode/chat/codeBlocks.ts";
import { select } from "./selections.ts";

describe("code of an answer", () => {
	let following: { dispose(): void };
	let folder: string;
	let file: string;

	beforeEach(async () => {
		folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
		file = join(folder, "applied.ts");
		writeFileSync(file, "export function one() {\n\treturn 1;\n}\n");
		following = registerCodeBlocks();
		await window.showTextDocument(Uri.file(file));
	});

	afterEach(async () => {
		following.dispose();
		await window.showTextDocument(Uri.file(file));
		await commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
		await commands.executeCommand("workbench.action.closeAllEditors");
		rmSync(file, { force: true });
	});

	const textOf = async (path: string) => (await workspace.openTextDocument(Uri.file(path))).getText();
	const diffs = () =>
		window.tabGroups.all.flatMap(({ tabs }) => tabs).flatMap(({ input }) => (input instanceof TabInputTextDiff ? [input] : []));

	it("code from an answer is inserted at the cursor, and Undo removes the code", async () => {
		const editor = await window.showTextDocument(Uri.file(file));
		await select(editor, new Selection(1, 8, 1, 9));
		await insertCode("2\n");
		assert.equal(await textOf(file), "export function one() {\n\treturn 2;\n}\n");
		assert.equal(readFileSync(file, "utf8"), "export function one() {\n\treturn 1;\n}\n");
		await commands.executeCommand("undo");
		assert.equal(await textOf(file), "export function one() {\n\treturn 1;\n}\n");
	});

	it("code from an answer is shown as a diff and written only once accepted", async () => {
		const code = "export function one() {\n\treturn 10;\n}\n";
		await applyCode(code, file, async (question) => {
			assert.match(question, /applied\.ts/);
			const [diff] = diffs();
			assert.equal(diff?.original.fsPath, Uri.file(file).fsPath);
			assert.equal((await workspace.openTextDocument(diff?.modified as Uri)).getText(), code);
			assert.equal(await textOf(file), "export function one() {\n\treturn 1;\n}\n");
			return true;
		});
		assert.equal(await textOf(file), code);
		assert.deepEqual(diffs(), []);
	});

	it("code from an answer is not written if declined or if the file changed", async () => {
		await applyCode("export const two = 2;\n", file, async () => false);
		assert.equal(await textOf(file), "export function one() {\n\treturn 1;\n}\n");
		assert.deepEqual(diffs(), []);
		await applyCode("export const two = 2;\n", file, async () => {
			const editor = await window.showTextDocument(Uri.file(file));
			await editor.edit((edit) => edit.insert(editor.document.positionAt(0), "// mine\n"));
			return true;
		});
		assert.equal(await textOf(file), "// mine\nexport function one() {\n\treturn 1;\n}\n");
	});

	it("code from an answer can create a file, but never one outside the workspace", async () => {
		const made = join(folder, "made.ts");
		await applyCode("export const made = true;\n", made, async () => true);
		assert.equal(await textOf(made), "export const made = true;\n");
		rmSync(made, { force: true });
		const outside = join(mkdtempSync(join(tmpdir(), "troupe-outside-")), "x.ts");
		let asked = "";
		await applyCode("export const x = 1;\n", outside, async (question) => {
			asked = question;
			return false;
		});
		assert.doesNotMatch(asked, /x\.ts/);
		assert.equal(existsSync(outside), false);
	});

	it("code from an answer is never written through a symbolic link out of the workspace", async () => {
		const outside = mkdtempSync(join(tmpdir(), "troupe-outside-"));
		const [dangling, sub] = [join(folder, "dangling.ts"), join(folder, "swapped")];
		symlinkSync(join(outside, "a.ts"), dangling);
		mkdirSync(sub);
		try {
			let asked = "";
			await applyCode("export const a = 1;\n", dangling, async (question) => {
				asked = question;
				return false;
			});
			assert.doesNotMatch(asked, /dangling/);
			await applyCode("export const b = 1;\n", join(sub, "b.ts"), async (question) => {
				assert.match(question, /b\.ts/);
				rmSync(sub, { recursive: true });
				symlinkSync(outside, sub);
				return true;
			});
			assert.deepEqual(readdirSync(outside), []);
		} finally {
			rmSync(dangling, { force: true });
			rmSync(sub, { recursive: true, force: true });
		}
	});
});

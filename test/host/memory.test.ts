// Tests memory in a real editor: opened from the command, edited by the person, and undone as a change.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { ConfigurationTarget, commands, extensions, Position, type TextDocument, WorkspaceEdit, window, workspace } from "vscode";
import type { TroupeApi } from "../../src/api.ts";
import type { ScriptedCall } from "../fakes/modelServer/script.ts";
import { type ModelServer, startModelServer } from "../fakes/modelServer/server.ts";
import { until } from "./heard.ts";

const PATH = "workspace/style.md";
const WRITE: ScriptedCall = { name: "memory_write", input: { path: PATH, content: "How to talk\n\nShort answers.\n" } };
const PATCH: ScriptedCall = { name: "memory_patch", input: { path: PATH, old_str: "Short", new_str: "Long" } };

describe("memory in the editor", function () {
	this.timeout(120_000);
	let api: TroupeApi;
	let server: ModelServer | undefined;
	const settings = () => workspace.getConfiguration("troupe");

	before(async () => {
		api = await (extensions.getExtension<TroupeApi>("troupe.troupe")?.activate() ?? assert.fail("troupe.troupe is not installed"));
	});

	afterEach(async () => {
		await commands.executeCommand("workbench.action.closeQuickOpen");
		await commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
		await commands.executeCommand("workbench.action.closeAllEditors");
		await commands.executeCommand("troupe.keepAllChanges");
		await settings().update("model", "offline/offline", ConfigurationTarget.Global);
		await settings().update("providers", undefined, ConfigurationTarget.Global);
		await server?.close();
		server = undefined;
	});

	/** The main agent makes one of these calls in each of its turns. */
	async function remembering(...calls: ScriptedCall[]): Promise<() => Promise<void>> {
		const left = [...calls];
		server = await startModelServer({
			models: ["fake"],
			script: ({ tools, messages }) => {
				const isNext = tools.includes("reply") && messages.at(-1)?.role === "user";
				const call = isNext ? left.shift() : undefined;
				return call ? { calls: [call] } : { text: "I wrote it down." };
			},
		});
		await settings().update("providers", { fake: { type: "openai-compatible", baseUrl: server.url } }, ConfigurationTarget.Global);
		await settings().update("model", "fake/fake", ConfigurationTarget.Global);
		const { sessionId } = await api.createSession({ agentId: "main" });
		return async () => {
			const { outcome } = await api.send(sessionId, "Remember this");
			assert.equal(outcome, "done");
		};
	}

	/** Opens the first file that the command offers. */
	async function openFirst(): Promise<TextDocument> {
		const chosen = commands.executeCommand("troupe.openMemory");
		await until(async () => {
			await commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
			assert.match(window.activeTextEditor?.document.uri.fsPath ?? "", /memory[\\/]style\.md$/);
		});
		await chosen;
		return window.activeTextEditor?.document ?? assert.fail("no editor is open");
	}

	it("a memory file opens in the editor, shows agents' changes, and can be undone", async () => {
		const remember = await remembering(WRITE, PATCH);
		await remember();
		const document = await openFirst();
		assert.deepEqual([document.languageId, document.getText()], ["markdown", "How to talk\n\nShort answers.\n"]);
		const { fsPath: file } = document.uri;
		await remember();
		await until(async () => assert.equal(document.getText(), "How to talk\n\nLong answers.\n"));

		// The entry of the Source Control view.
		await commands.executeCommand("troupe.undoChange", { file: { path: `memory:${PATH}` } });
		await until(async () => assert.equal(existsSync(file), false));
	});

	it("undoing a change of memory keeps the person's unsaved text", async () => {
		const remember = await remembering({ ...WRITE, input: { path: PATH, content: "Tea.\n" } });
		await remember();
		const document = await openFirst();
		await until(async () => assert.equal(document.getText(), "Tea.\n"));
		const edit = new WorkspaceEdit();
		edit.insert(document.uri, new Position(0, 0), "Mine. ");
		assert.ok(await workspace.applyEdit(edit));
		let isOver = false;
		const undone = commands.executeCommand("troupe.undoChange", { file: { path: `memory:${PATH}` } }).then(() => {
			isOver = true;
		});
		// It says what it left, and waits until that was read.
		await until(async () => {
			await commands.executeCommand("notifications.clearAll");
			assert.ok(isOver);
		});
		await undone;
		assert.deepEqual([document.getText(), document.isDirty], ["Mine. Tea.\n", true]);
		assert.equal(readFileSync(document.uri.fsPath, "utf8"), "Tea.\n");
	});
});

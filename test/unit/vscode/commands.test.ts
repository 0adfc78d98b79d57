// Compares the table of commands with package.json, and tests how a command runs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";

type Parts = typeof import("../../../src/vscode/commands.ts") & typeof import("../../../src/core/userError.ts");

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { contributes: { commands: { command: string }[] } };

describe("the table of commands", () => {
	let editor: Awaited<ReturnType<typeof onEditorWindow<Parts>>>;
	let loads: number;
	let opened: (string | undefined)[];

	before(async () => {
		editor = await onEditorWindow<Parts>("commands", "src/vscode/commands.ts", "src/core/userError.ts");
		const engine = {
			load: async () => {
				loads += 1;
				if (loads > 1) throw new editor.UserError("The storage can't be read.");
				return {
					lastShownSession: async () => "last",
					sessions: { latest: async (agent: string) => ({ sessionId: `session of ${agent}` }) },
				};
			},
		};
		const chat = { show: async (session: string) => void opened.push(session), focus: (where: string) => void opened.push(where) };
		const views = {
			active: async () => undefined,
			openInEditor: (session?: string) => void opened.push(session),
			reveal: async () => chat,
		};
		const log = { show: () => void opened.push("log"), error: () => undefined };
		editor.registerCommands({ engine, views, log, page: {}, storage: editor.Uri.file("/shared") } as never);
	});

	beforeEach(() => {
		loads = 0;
		opened = [];
	});

	it("registers exactly the commands that package.json names", () => {
		const named = manifest.contributes.commands.map(({ command }) => command);
		assert.deepEqual([...editor.handlers.keys()].sort(), named.toSorted());
	});

	it("loads the engine with the first command that needs it, and not for the log", async () => {
		await editor.commands.executeCommand("troupe.showLog");
		assert.deepEqual([loads, opened], [0, ["log"]]);
		await editor.commands.executeCommand("troupe.openInEditor");
		assert.deepEqual([loads, opened], [1, ["log", "last"]]);
	});

	it("opens the session of the main agent, ready to type", async () => {
		await editor.commands.executeCommand("troupe.openMainAgent");
		assert.deepEqual(opened, ["session of main", "composer"]);
	});

	it("opens the audit log as a file that can't be changed, without the engine, and says where there is none", async () => {
		const file = editor.Uri.file("/shared/audit.jsonl");
		editor.handlers.set("vscode.open", (uri) => void opened.push(String(uri)));
		editor.handlers.set("workbench.action.files.setActiveEditorReadonlyInSession", () => void opened.push("read-only"));
		await editor.commands.executeCommand("troupe.showAuditLog");
		assert.equal(editor.shown.at(-1)?.text, "Nothing has been recorded yet. Calls between agents will appear here.");
		assert.deepEqual(opened, []);
		editor.existing.add(file.toString());
		await editor.commands.executeCommand("troupe.showAuditLog");
		assert.deepEqual([loads, opened], [0, [file.toString(), "read-only"]]);
	});

	it("acts on what the command was called on, and shows why it could not", async () => {
		await editor.commands.executeCommand("troupe.openInEditor", { sessionId: "this" });
		assert.deepEqual(opened, ["this"]);
		await editor.commands.executeCommand("troupe.openInEditor");
		assert.deepEqual(opened, ["this"]);
		assert.equal(editor.shown.at(-1)?.text, "The storage can't be read.");
	});
});

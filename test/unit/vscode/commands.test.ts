// Compares the table of commands with package.json, and tests how a command runs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";

type Parts = typeof import("../../../src/vscode/commands.ts");

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { contributes: { commands: { command: string }[] } };

describe("the table of commands", () => {
	let editor: Awaited<ReturnType<typeof onEditorWindow<Parts>>>;
	let loads: number;
	let opened: (string | undefined)[];

	before(async () => {
		editor = await onEditorWindow<Parts>("commands", "src/vscode/commands.ts");
		const engine = {
			load: async () => {
				loads += 1;
				if (loads > 1) throw new Error("The storage can't be read.");
				return { lastShownSession: async () => "last" };
			},
		};
		const views = { active: async () => undefined, openInEditor: (session?: string) => void opened.push(session) };
		const log = { show: () => void opened.push("log"), error: () => undefined };
		editor.registerCommands({ engine, views, log, page: {} } as never);
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

	it("acts on what the command was called on, and shows why it could not", async () => {
		await editor.commands.executeCommand("troupe.openInEditor", { sessionId: "this" });
		assert.deepEqual(opened, ["this"]);
		await editor.commands.executeCommand("troupe.openInEditor");
		assert.deepEqual(opened, ["this"]);
		assert.equal(editor.shown.at(-1)?.text, "The storage can't be read.");
	});
});

// Tests open editors in a real editor: tabs with their files, the selection and the active one.
import assert from "node:assert/strict";
import { commands, EventEmitter, type Memento, Selection, type Uri, ViewColumn, window, workspace } from "vscode";
import { trackOpenEditors } from "../../src/vscode/adapters/openEditors.ts";
import { select } from "./selections.ts";

function memento(): Memento {
	const kept = new Map<string, unknown>();
	return {
		keys: () => [...kept.keys()],
		get: (key: string) => kept.get(key),
		update: async (key: string, value: unknown) => void kept.set(key, value),
	} as Memento;
}

describe("panels of the editor", () => {
	const ends: { dispose(): void }[] = [];
	let uris: Uri[] = [];
	before(async () => {
		await commands.executeCommand("workbench.action.closeAllEditors");
		uris = await workspace.findFiles("src/{cart,money}.ts");
		assert.equal(uris.length, 2);
	});
	afterEach(async () => {
		for (const end of ends.splice(0)) end.dispose();
		await commands.executeCommand("workbench.action.closeAllEditors");
	});

	const opened = (state = memento()) => {
		const made = trackOpenEditors(state);
		ends.push(made);
		return made;
	};
	const [first, second] = [() => uris[0] as Uri, () => uris[1] as Uri];

	it("open editors are reported by workspace path, the active one with its selected lines", async () => {
		const { openEditors: panels } = opened();
		await window.showTextDocument(first(), { preview: false });
		const editor = await window.showTextDocument(second(), { preview: false });
		await select(editor, new Selection(4, 0, 5, 1));
		const path = workspace.asRelativePath(second(), false);
		const name = path.slice(path.lastIndexOf("/") + 1);
		const all = panels();
		assert.equal(all.length, 2);
		const { id, ...front } = all[1] ?? { id: "" };
		assert.match(id, /^tab-[0-9a-f]{8}$/);
		assert.deepEqual(front, {
			type: "editor",
			title: name,
			active: true,
			visible: true,
			item: { type: "file", id: path, name },
			lines: [5, 6],
		});
		assert.deepEqual([all[0]?.active, all[0]?.visible, all[0]?.lines], [false, false, undefined]);
		await select(editor, new Selection(0, 0, 0, 0));
		assert.equal(panels()[1]?.lines, undefined);
		assert.equal(panels()[1]?.id, id);
	});

	it("with the chat in front, the editor that was active before still counts as active", async () => {
		const { openEditors: panels } = opened();
		await window.showTextDocument(first(), { preview: false, viewColumn: ViewColumn.One });
		const chat = window.createWebviewPanel("troupe.chatPanel", "Troupe", ViewColumn.Two);
		ends.push(chat);
		const other = window.createWebviewPanel("other", "Preview", { viewColumn: ViewColumn.Three, preserveFocus: true });
		ends.push(other);
		const tabs = () => window.tabGroups.all.flatMap((group) => group.tabs);
		while (tabs().length < 3)
			await new Promise<void>((resolve) => {
				const listening = window.tabGroups.onDidChangeTabs(() => {
					listening.dispose();
					resolve();
				});
			});
		assert.deepEqual(
			panels().map(({ type, title, active }) => [type, title, active]),
			[
				["editor", first().path.slice(first().path.lastIndexOf("/") + 1), true],
				["webview", "Preview", false],
			],
		);
	});

	it("an untitled editor is reported without a file", async () => {
		const { openEditors: panels } = opened();
		await window.showTextDocument(await workspace.openTextDocument({ content: "words" }));
		const [panel] = panels();
		assert.deepEqual([panel?.type, panel?.active, panel?.item], ["editor", true, undefined]);
	});

	it("a change of the active editor is reported, and the context switch is remembered", async () => {
		const state = memento();
		const { context } = opened(state);
		const told = new EventEmitter<void>();
		ends.push(
			told,
			context.onChange(() => told.fire()),
		);
		const next = () => new Promise<void>((resolve) => told.event(() => resolve()));
		const heard = next();
		await window.showTextDocument(first());
		await heard;
		assert.equal(context.on(), true);
		const switched = next();
		await context.turn(false);
		await switched;
		assert.deepEqual([context.on(), opened(state).context.on()], [false, false]);
		await context.turn(true);
		assert.equal(opened(state).context.on(), true);
	});

	it("a session's prompt opens as a Markdown document", async () => {
		await commands.executeCommand("troupe.showPrompt");
		const { document } = window.activeTextEditor ?? {};
		assert.equal(document?.uri.scheme, "troupe-prompt");
		assert.equal(document?.languageId, "markdown");
		assert.match(document?.getText() ?? "", /# Current role: Planner[\s\S]*### read_file/);
	});
});

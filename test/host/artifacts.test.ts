// Notes, lists and views as documents of a real editor: read, edited, saved, followed, renamed, deleted and given back.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	commands,
	extensions,
	FilePermission,
	type FileSystemError,
	FileType,
	type Memento,
	Position,
	Selection,
	type TabInputText,
	type TextDocument,
	Uri,
	WorkspaceEdit,
	window,
	workspace,
} from "vscode";
import type { TroupeApi } from "../../src/api.ts";
import { createArtifacts } from "../../src/artifacts/artifacts.ts";
import { createArtifactStore } from "../../src/artifacts/store.ts";
import { trackOpenEditors } from "../../src/vscode/adapters/openEditors.ts";
import { createArtifactResolver } from "../../src/vscode/artifacts/artifactUris.ts";
import { until } from "./heard.ts";
import { select } from "./selections.ts";

let root: string;
let folder: string;

const at = (kind: string, id: string, name: string, format = "md") =>
	Uri.from({ scheme: "troupe-artifact", path: `/${kind}/${id}/${name}.${format}` });
const text = async (uri: Uri) => new TextDecoder().decode(await workspace.fs.readFile(uri));
const write = (uri: Uri, content: string) => workspace.fs.writeFile(uri, new TextEncoder().encode(content));
const disk = (...path: string[]) => readFileSync(join(root, ...path), "utf8");
const tabs = () =>
	window.tabGroups.all.flatMap((group) => group.tabs.map((tab) => [tab.label, (tab.input as TabInputText | undefined)?.uri?.scheme]));

async function opened(uri: Uri): Promise<TextDocument> {
	const document = await workspace.openTextDocument(uri);
	await window.showTextDocument(document, { preview: false });
	return document;
}

async function typed(document: TextDocument, content: string): Promise<void> {
	const edit = new WorkspaceEdit();
	edit.insert(document.uri, new Position(0, 0), content);
	assert.ok(await workspace.applyEdit(edit));
}

describe("notes, lists and views in editors", function () {
	this.timeout(120_000);

	before(async () => {
		const extension = extensions.getExtension<TroupeApi>("troupe.troupe") ?? assert.fail("troupe.troupe is not installed");
		await extension.activate();
		folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail("no folder is open");
		// Saving what is not there makes it: the first note shows where they lie.
		const probe = `probe-${randomBytes(4).toString("hex")}`;
		await write(at("note", probe, "Probe"), "probe\n");
		await commands.executeCommand("troupe.openArtifact", { kind: "note", id: probe });
		root = storageOf(probe);
		await commands.executeCommand("workbench.action.closeAllEditors");
		for (const kind of ["lists", "views"]) mkdirSync(join(root, kind), { recursive: true });
	});

	afterEach(async () => {
		await commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
		await commands.executeCommand("workbench.action.closeAllEditors");
	});

	it("a note opens as Markdown under its name, and saves into its file", async () => {
		await write(at("note", "release-plan", "Release plan"), "# Soon\n");
		const document = await opened(at("note", "release-plan", "Release plan"));
		assert.deepEqual([document.languageId, document.getText(), document.isDirty], ["markdown", "# Soon\n", false]);
		assert.deepEqual(tabs(), [["Release plan", "troupe-artifact"]]);
		await typed(document, "<!-- mine -->\n");
		assert.ok(document.isDirty);
		assert.ok(await document.save());
		assert.equal(disk("notes", "release-plan.md"), '---\ntitle: "Release plan"\n---\n\n<!-- mine -->\n# Soon\n');
	});

	it("a list opens as a checklist, whose items keep their ids when saved as JSON", async () => {
		const uri = at("list", "shopping", "Shopping");
		await write(uri, "- [ ] Milk #dairy\n- [ ] Bread\n");
		const before = JSON.parse(disk("lists", "shopping.json"));
		const document = await opened(uri);
		const edit = new WorkspaceEdit();
		edit.replace(uri, document.lineAt(0).range, "- [x] Milk #dairy");
		edit.insert(uri, new Position(2, 0), "* Eggs\n");
		assert.ok(await workspace.applyEdit(edit));
		assert.ok(await document.save());
		const after = JSON.parse(disk("lists", "shopping.json"));
		const told = after.items.map((item: { title: string; done: boolean; tags: string[] }) => [item.title, item.done, item.tags]);
		assert.deepEqual(told, [
			["Milk", true, ["dairy"]],
			["Bread", false, []],
			["Eggs", false, []],
		]);
		assert.deepEqual([after.items[0].id, after.items[1]], [before.items[0].id, before.items[1]]);
		assert.equal(document.getText(), "- [x] Milk #dairy\n- [ ] Bread\n* Eggs\n");
		assert.equal(document.isDirty, false);
	});

	it("an open list and its view show changes made on disk", async () => {
		await write(at("list", "chores", "Chores"), "- [ ] Sweep\n- [x] Dust\n");
		await commands.executeCommand("troupe.openArtifact", { kind: "list", id: "chores" });
		writeFileSync(join(root, "views", "open.json"), JSON.stringify({ name: "Open", query: "list:chores done:false" }));
		const list = await workspace.openTextDocument(at("list", "chores", "Chores"));
		const view = await opened(at("view", "open", "Open"));
		await until(async () => assert.equal(view.getText(), "> list:chores done:false\n> 1 found\n\n## Chores\n\n- [ ] Sweep\n"));
		const path = join(root, "lists", "chores.json");
		const json = JSON.parse(readFileSync(path, "utf8"));
		json.items[1].done = false;
		writeFileSync(path, JSON.stringify(json));
		await until(async () => assert.equal(list.getText(), "- [ ] Sweep\n- [ ] Dust\n"));
		await until(async () => assert.match(view.getText(), /> 2 found\n\n## Chores\n\n- \[ \] Sweep\n- \[ \] Dust\n$/));
	});

	it("a note shows changes on disk even if another note changes while the note opens", async () => {
		for (const id of ["first", "second", "third"]) {
			await write(at("note", id, id), "one\n");
			let opening = true;
			const meanwhile = async (): Promise<void> => {
				for (let count = 0; opening; count += 1) await write(at("note", "busy", "Busy"), `${count}\n`);
			};
			const busy = meanwhile();
			const document = await opened(at("note", id, id));
			opening = false;
			await busy;
			const path = join(root, "notes", `${id}.md`);
			writeFileSync(path, readFileSync(path, "utf8").replace("one", "two"));
			await until(async () => assert.equal(document.getText(), "two\n"));
		}
	});

	it("selected items of a list are reported by their ids", async () => {
		const uri = at("list", "marked", "Marked");
		await write(uri, "- [ ] One\n- [ ] Two\n  its note\n- [ ] Three\n");
		const ids = JSON.parse(disk("lists", "marked.json")).items.map(({ id }: { id: string }) => id);
		await opened(uri);
		const editor = window.activeTextEditor ?? assert.fail("nothing is open");
		await select(editor, new Selection(2, 1, 3, 3));
		const keeping = { write: async () => assert.fail("it writes"), exclusively: async () => assert.fail("it writes") };
		const artifacts = createArtifacts(createArtifactStore({ roots: [root], keeping, log: (line) => assert.fail(line) }));
		await artifacts.read("list", "marked", "md");
		const panels = trackOpenEditors({ get: () => undefined } as unknown as Memento, createArtifactResolver(artifacts));
		const [panel] = panels.openEditors();
		panels.dispose();
		assert.deepEqual([panel?.item, panel?.lines, panel?.selected], [{ type: "list", id: "marked", name: "Marked" }, [3, 4], ids.slice(1)]);
	});

	it("a view of list items is read-only", async () => {
		writeFileSync(join(root, "views", "all.json"), JSON.stringify({ name: "All", query: "" }));
		const uri = at("view", "all", "All");
		const stat = await workspace.fs.stat(uri);
		assert.deepEqual([stat.type, stat.permissions], [FileType.File, FilePermission.Readonly]);
		await assert.rejects(Promise.resolve(write(uri, "x")));
	});

	it("a list can be edited as JSON, and invalid JSON is refused and changes nothing", async () => {
		const uri = at("list", "raw", "Raw");
		await write(uri, "- [ ] One\n");
		await commands.executeCommand("troupe.openArtifactJson", { kind: "list", id: "raw" });
		const document = window.activeTextEditor?.document ?? assert.fail("nothing is open");
		assert.deepEqual([document.languageId, JSON.parse(document.getText()).items[0].title], ["json", "One"]);
		const kept = disk("lists", "raw.json");
		await assert.rejects(Promise.resolve(write(document.uri, "{")), /The content is not valid/);
		await assert.rejects(Promise.resolve(write(document.uri, '{"name":"Raw","items":[{"title":"no id"}]}')), /items\.0\.id/);
		assert.equal(disk("lists", "raw.json"), kept);
		await write(document.uri, kept.replace("One", "Two"));
		assert.equal(await text(uri), "- [ ] Two\n");
	});

	it("saving a note does not overwrite a change made on disk meanwhile", async () => {
		const uri = at("note", "both", "Both");
		await write(uri, "one\n");
		const document = await opened(uri);
		await typed(document, "mine\n");
		const path = join(root, "notes", "both.md");
		writeFileSync(path, readFileSync(path, "utf8").replace("one", "theirs"));
		await until(async () => assert.equal(await text(uri), "theirs\n"));
		assert.equal(await document.save(), false);
		assert.deepEqual([document.getText(), await text(uri)], ["mine\none\n", "theirs\n"]);
	});

	it("saving a list does not overwrite an item that was ticked on disk", async () => {
		const uri = at("list", "ticked", "Ticked");
		await write(uri, "- [ ] One\n- [ ] Two\n");
		const document = await opened(uri);
		await typed(document, "Mine\n\n");
		const path = join(root, "lists", "ticked.json");
		writeFileSync(path, readFileSync(path, "utf8").replace('"done": false', '"done": true'));
		await until(async () => assert.match(await text(uri), /\[x\] One/));
		assert.equal(await document.save(), false);
		assert.match(await text(uri), /^- \[x\] One/);
	});

	it("renaming a note renames its tab and keeps unsaved text", async () => {
		const uri = at("note", "draft", "Draft");
		await write(uri, "one\n");
		await typed(await opened(uri), "unsaved\n");
		await renamed("note", "draft", "Final/1.2");
		await until(async () => assert.deepEqual(tabs(), [["Final\u22151\u20242", "troupe-artifact"]]));
		const document = window.activeTextEditor?.document ?? assert.fail("nothing is open");
		assert.deepEqual([document.getText(), document.isDirty], ["unsaved\none\n", true]);
		assert.match(disk("notes", "draft.md"), /title: "Final\/1\.2"/);
		assert.ok(await document.save());
		assert.match(disk("notes", "draft.md"), /unsaved\none\n$/);
	});

	it("renaming a note on disk renames its tab", async () => {
		const uri = at("note", "other", "Other");
		await write(uri, "one\n");
		await opened(uri);
		const path = join(root, "notes", "other.md");
		writeFileSync(path, readFileSync(path, "utf8").replace('"Other"', '"Another"'));
		await until(async () => assert.deepEqual(tabs(), [["Another", "troupe-artifact"]]));
	});

	it("a note opened under an earlier name shows its current name", async () => {
		await write(at("note", "named", "Named"), "one\n");
		await opened(at("note", "named", "Called before"));
		await until(async () => assert.deepEqual(tabs(), [["Named", "troupe-artifact"]]));
		assert.equal(window.activeTextEditor?.document.getText(), "one\n");
	});

	it("a deleted note moves to the trash, closes its editor, and returns when saved", async () => {
		const uri = at("note", "going", "Going");
		await write(uri, "one\n");
		await opened(uri);
		await commands.executeCommand("troupe.deleteArtifact", { kind: "note", id: "going" });
		await until(async () => assert.deepEqual(tabs(), []));
		await assert.rejects(Promise.resolve(workspace.fs.stat(uri)), (error: FileSystemError) => error.code === "FileNotFound");
		assert.equal(readdirSync(join(root, "trash")).filter((name) => name.startsWith("note.going.")).length, 1);
		await write(uri, "again\n");
		assert.equal(await text(uri), "again\n");
	});

	it("a list can be copied into the workspace, and a file imported as a note", async () => {
		const uri = at("list", "copied", "Copied");
		await write(uri, "- [ ] One\n");
		const copy = Uri.file(join(folder, "Copied.md"));
		await workspace.fs.copy(uri, copy, { overwrite: true });
		assert.equal(readFileSync(copy.fsPath, "utf8"), "- [ ] One\n");
		writeFileSync(join(folder, "taken.md"), "# Taken in\n");
		await commands.executeCommand("troupe.importArtifact", Uri.file(join(folder, "taken.md")));
		assert.equal(window.activeTextEditor?.document.getText(), "# Taken in\n");
		assert.match(disk("notes", "taken.md"), /title: "taken"/);
	});

	it("an artifact address with an invalid path cannot be read", async () => {
		for (const path of ["/note/..%2f..%2fsecret/x.md", "/other/probe/Probe.md", "/note/probe", "/note/probe/a/b.md"]) {
			const uri = Uri.from({ scheme: "troupe-artifact", path: decodeURIComponent(path) });
			await assert.rejects(Promise.resolve(workspace.fs.readFile(uri)));
		}
		const kinds = await workspace.fs.readDirectory(Uri.from({ scheme: "troupe-artifact", path: "/" }));
		assert.ok(kinds.some(([name]) => name === "note"));
	});
});

/** Renames as a person does: the command asks for the name. */
async function renamed(kind: string, id: string, name: string): Promise<void> {
	await commands.executeCommand("troupe.renameArtifact", { kind, id, name });
}

/** Where this window keeps what belongs to its workspace: the folder below the run's own that holds the note of that name. */
function storageOf(name: string): string {
	const folders = readdirSync(tmpdir(), { withFileTypes: true }).filter((entry) => entry.isDirectory() && entry.name.startsWith("troupe-"));
	for (const { name: profile } of folders) {
		const found = existsSync(join(tmpdir(), profile)) ? readdirSync(join(tmpdir(), profile), { recursive: true, encoding: "utf8" }) : [];
		const path = found.find((entry) => entry.endsWith(join("artifacts", "notes", `${name}.md`)));
		if (path) return join(tmpdir(), profile, path, "..", "..");
	}
	return assert.fail("the first note lies nowhere");
}

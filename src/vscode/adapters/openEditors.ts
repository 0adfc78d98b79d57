// Tracks the editor's open tabs, the file in each, and the active one.
import * as vscode from "vscode";
import { formatDisplayPath } from "../../core/paths.ts";
import type { EditorContextSetting } from "../../core/ports/promptSources.ts";
import type { OpenEditor } from "../../core/prompt.ts";
import { createListeners } from "../../shared/listeners.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { selectedLines } from "./selectedLines.ts";
import { pathForUri, workspaceFolders } from "./virtualFileSystem.ts";

/** Returns the artifact or view that an artifact document shows, and the selected list items. */
export type ArtifactResolver = (uri: vscode.Uri, marked?: Marked) => Pick<OpenEditor, "item" | "view" | "selected"> | undefined;

interface Marked {
	text: string;
	/** First and last line, 1-based. */
	lines: [number, number];
}

export interface OpenEditorsTracker extends vscode.Disposable {
	openEditors(): readonly OpenEditor[];
	context: EditorContextSetting;
}

/** Milliseconds without selection changes before listeners are notified. */
const QUIET = 150;
/** workspaceState key: the user turned the editor context of messages off. */
const OFF = "troupe.contextOff";
/** Our own pages are never part of the editor context. */
const OURS = /(^|-)troupe\.(chat|agents)Panel$/;

export function trackOpenEditors(state: vscode.Memento, artifact: ArtifactResolver = () => undefined): OpenEditorsTracker {
	const listeners = createListeners<() => void>();
	let last = activeTab();
	let timer: NodeJS.Timeout | undefined;
	const changed = (): void => {
		last = activeTab() ?? last;
		clearTimeout(timer);
		if (listeners.isEmpty()) return;
		timer = setTimeout(() => listeners.tell((listener) => listener()), QUIET);
	};
	const { window } = vscode;
	const following = [
		window.tabGroups.onDidChangeTabs(changed),
		window.tabGroups.onDidChangeTabGroups(changed),
		window.onDidChangeActiveTextEditor(changed),
		window.onDidChangeTextEditorSelection(changed),
	];
	return {
		openEditors: () => listOpenEditors(last, artifact),
		context: {
			on: () => state.get(OFF) !== true,
			async turn(on) {
				await state.update(OFF, on ? undefined : true);
				changed();
			},
			mode: () => (vscode.workspace.getConfiguration("troupe").get("contextMode") === "brief" ? "brief" : undefined),
			onChange: listeners.add,
		},
		dispose() {
			clearTimeout(timer);
			for (const end of following) end.dispose();
		},
	};
}

/** The active tab, unless it is one of our pages. */
function activeTab(): vscode.Tab | undefined {
	const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
	return tab && !isOwnPage(tab) ? tab : undefined;
}

function listOpenEditors(last: vscode.Tab | undefined, artifact: ArtifactResolver): OpenEditor[] {
	const groups = vscode.window.tabGroups.all;
	const tabs = groups.flatMap((group) => group.tabs.filter((tab) => !isOwnPage(tab)));
	const shown = tabs.filter((tab) => tab.isActive);
	// While one of our pages is active, the previously active tab counts as long as it is visible.
	const before = last && shown.find((tab) => isSameTab(tab, last));
	const active = activeTab() ?? before ?? shown[0];
	const ids = new Map<string, number>();
	return tabs.map((tab) => {
		const name = sha256(`${kindOf(tab)} ${uriOf(tab)?.toString() ?? titleOf(tab)}`).slice(0, 8);
		const occurrence = (ids.get(name) ?? 0) + 1;
		ids.set(name, occurrence);
		const marked = tab.isActive ? markedIn(tab) : undefined;
		return {
			id: occurrence === 1 ? `tab-${name}` : `tab-${name}-${occurrence}`,
			title: titleOf(tab),
			active: tab === active,
			visible: tab.isActive,
			...describeTab(tab, artifact, marked),
			...(marked && { lines: marked.lines }),
		};
	});
}

/** Webviews put a dot before their title while they have unsaved changes. */
function titleOf({ label }: vscode.Tab): string {
	return label.replace(/^● /, "");
}

function describeTab(
	tab: vscode.Tab,
	artifact: ArtifactResolver,
	marked?: Marked,
): Pick<OpenEditor, "type" | "item" | "view" | "selected"> {
	const uri = uriOf(tab);
	const type = kindOf(tab);
	const resolved = uri && artifact(uri, marked);
	if (resolved) return { type, ...resolved };
	// The git side of a diff counts as that file, too.
	const path = uri && (uri.scheme === "git" ? uri.fsPath : pathForUri(uri));
	if (path === undefined) return { type };
	const id = formatDisplayPath(path, workspaceFolders()).replaceAll("\\", "/");
	return { type, item: { type: "file", id, name: id.slice(id.lastIndexOf("/") + 1) } };
}

function kindOf({ input }: vscode.Tab): string {
	if (input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom) return "editor";
	if (input instanceof vscode.TabInputTextDiff || input instanceof vscode.TabInputNotebookDiff) return "diff";
	if (input instanceof vscode.TabInputNotebook) return "notebook";
	if (input instanceof vscode.TabInputTerminal) return "terminal";
	return "webview";
}

function uriOf({ input }: vscode.Tab): vscode.Uri | undefined {
	if (input instanceof vscode.TabInputTextDiff || input instanceof vscode.TabInputNotebookDiff) return input.modified;
	const single = input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom || input instanceof vscode.TabInputNotebook;
	return single ? input.uri : undefined;
}

/** Returns undefined if the selection is empty. */
function markedIn(tab: vscode.Tab): Marked | undefined {
	const uri = uriOf(tab)?.toString();
	const editor = vscode.window.visibleTextEditors.find(
		({ document, viewColumn }) => document.uri.toString() === uri && viewColumn === tab.group.viewColumn,
	);
	if (!editor || editor.selection.isEmpty) return undefined;
	const { document, selection } = editor;
	// Read lazily.
	return {
		get text() {
			return document.getText();
		},
		lines: selectedLines(selection),
	};
}

/** The editor recreates tab objects when tabs change. */
function isSameTab(left: vscode.Tab, right: vscode.Tab): boolean {
	return kindOf(left) === kindOf(right) && left.label === right.label && uriOf(left)?.toString() === uriOf(right)?.toString();
}

function isOwnPage({ input }: vscode.Tab): boolean {
	return input instanceof vscode.TabInputWebview && OURS.test(input.viewType);
}

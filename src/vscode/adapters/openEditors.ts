// Tracks the editor's open tabs, the file in each, and the active one.
import { createHash } from "node:crypto";
import * as vscode from "vscode";
import { formatDisplayPath } from "../../core/paths.ts";
import type { EditorContextSetting, OpenEditor } from "../../core/prompt.ts";
import { selectedLines } from "../mentions/editorFacts.ts";
import { pathForUri, workspaceFolders } from "./virtualFileSystem.ts";

/** Where a document is an artifact: which, or the view that it shows, and which items of a list are marked. */
export type ArtifactResolver = (uri: vscode.Uri, marked?: Marked) => Pick<OpenEditor, "item" | "view" | "selected"> | undefined;

interface Marked {
	text: string;
	/** From 1. */
	lines: [number, number];
}

export interface OpenEditorsTracker extends vscode.Disposable {
	openEditors(): readonly OpenEditor[];
	context: EditorContextSetting;
}

/** Milliseconds of quiet after which a change of the selection is told. */
const QUIET = 150;
/** In workspaceState: the person has switched the context of messages off. */
const OFF = "troupe.contextOff";
/** Our own pages are none of the panels that a conversation is about. */
const OURS = /(^|-)troupe\.(chat|agents)Panel$/;

export function trackOpenEditors(state: vscode.Memento, artifact: ArtifactResolver = () => undefined): OpenEditorsTracker {
	const listeners = new Set<() => void>();
	let last = inFront();
	let timer: NodeJS.Timeout | undefined;
	const changed = (): void => {
		last = inFront() ?? last;
		clearTimeout(timer);
		if (listeners.size === 0) return;
		timer = setTimeout(() => {
			for (const listener of [...listeners]) listener();
		}, QUIET);
	};
	const { window } = vscode;
	const following = [
		window.tabGroups.onDidChangeTabs(changed),
		window.tabGroups.onDidChangeTabGroups(changed),
		window.onDidChangeActiveTextEditor(changed),
		window.onDidChangeTextEditorSelection(changed),
	];
	return {
		openEditors: () => panelsOf(last, artifact),
		context: {
			on: () => state.get(OFF) !== true,
			async turn(on) {
				await state.update(OFF, on ? undefined : true);
				changed();
			},
			mode: () => (vscode.workspace.getConfiguration("troupe").get("contextMode") === "brief" ? "brief" : undefined),
			onChange(listener) {
				listeners.add(listener);
				return { dispose: () => listeners.delete(listener) };
			},
		},
		dispose() {
			clearTimeout(timer);
			for (const end of following) end.dispose();
		},
	};
}

/** The tab that the person looks at, unless that is a page of ours. */
function inFront(): vscode.Tab | undefined {
	const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
	return tab && !isOurs(tab) ? tab : undefined;
}

function panelsOf(last: vscode.Tab | undefined, artifact: ArtifactResolver): OpenEditor[] {
	const groups = vscode.window.tabGroups.all;
	const tabs = groups.flatMap((group) => group.tabs.filter((tab) => !isOurs(tab)));
	const shown = tabs.filter((tab) => tab.isActive);
	// With a page of ours in front, the tab from before counts as long as it is in sight.
	const before = last && shown.find((tab) => same(tab, last));
	const active = inFront() ?? before ?? shown[0];
	const ids = new Map<string, number>();
	return tabs.map((tab) => {
		const name = createHash("sha256")
			.update(`${kindOf(tab)} ${uriOf(tab)?.toString() ?? titleOf(tab)}`)
			.digest("hex")
			.slice(0, 8);
		const again = (ids.get(name) ?? 0) + 1;
		ids.set(name, again);
		const marked = tab.isActive ? markedIn(tab) : undefined;
		return {
			id: again === 1 ? `tab-${name}` : `tab-${name}-${again}`,
			title: titleOf(tab),
			active: tab === active,
			visible: tab.isActive,
			...whatOf(tab, artifact, marked),
			...(marked && { lines: marked.lines }),
		};
	});
}

/** Pages put a dot before their title while something is not saved. */
function titleOf({ label }: vscode.Tab): string {
	return label.replace(/^● /, "");
}

function whatOf(tab: vscode.Tab, artifact: ArtifactResolver, marked?: Marked): Pick<OpenEditor, "type" | "item" | "view" | "selected"> {
	const uri = uriOf(tab);
	const type = kindOf(tab);
	const own = uri && artifact(uri, marked);
	if (own) return { type, ...own };
	// A side of a diff that git holds is that file, too.
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

/** Undefined where only the cursor stands. */
function markedIn(tab: vscode.Tab): Marked | undefined {
	const uri = uriOf(tab)?.toString();
	const editor = vscode.window.visibleTextEditors.find(
		({ document, viewColumn }) => document.uri.toString() === uri && viewColumn === tab.group.viewColumn,
	);
	if (!editor || editor.selection.isEmpty) return undefined;
	const { document, selection } = editor;
	// Read where somebody asks for it.
	return {
		get text() {
			return document.getText();
		},
		lines: selectedLines(selection),
	};
}

/** Tabs are made anew by the editor when they change. */
function same(one: vscode.Tab, other: vscode.Tab): boolean {
	return kindOf(one) === kindOf(other) && one.label === other.label && uriOf(one)?.toString() === uriOf(other)?.toString();
}

function isOurs({ input }: vscode.Tab): boolean {
	return input instanceof vscode.TabInputWebview && OURS.test(input.viewType);
}

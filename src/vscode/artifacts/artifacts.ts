// Registers the tree and documents of notes, lists and views.

// Everything is loaded on first use.

import * as vscode from "vscode";
import type { LazyEngine } from "../engine.ts";
import { ArtifactsTree } from "./artifactsTree.ts";
import { ARTIFACT_SCHEME } from "./artifactUris.ts";
import { registerEmptyListHint } from "./emptyListHint.ts";

interface ArtifactViewsContext {
	engine: LazyEngine;
	log: vscode.LogOutputChannel;
}

export function registerArtifacts({ engine, log }: ArtifactViewsContext): vscode.Disposable[] {
	const tree = new ArtifactsTree(engine);
	return [
		registerEmptyListHint(),
		vscode.window.createTreeView("troupe.artifacts", { treeDataProvider: tree, showCollapseAll: true }),
		vscode.workspace.registerFileSystemProvider(ARTIFACT_SCHEME, lazyFiles(engine, log), { isCaseSensitive: true }),
	];
}

/** Loads the file system on first use. */
function lazyFiles(engine: LazyEngine, log: vscode.LogOutputChannel): vscode.FileSystemProvider {
	const changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
	let loading: Promise<Required<Pick<vscode.FileSystemProvider, (typeof FILE_ACTS)[number]>>> | undefined;
	const files = () => {
		loading ??= Promise.all([engine.load(), import("./artifactFileSystem.ts")]).then(
			([{ artifacts }, { artifactFiles }]) => artifactFiles(artifacts, (found) => changes.fire(found), log),
			(error: unknown) => {
				loading = undefined;
				throw error;
			},
		);
		return loading;
	};
	return {
		onDidChangeFile: changes.event,
		// Open documents are followed from their first read.
		watch: () => new vscode.Disposable(() => undefined),
		stat: async (uri) => (await files()).stat(uri),
		readFile: async (uri) => (await files()).readFile(uri),
		writeFile: async (uri, content, options) => (await files()).writeFile(uri, content, options),
		rename: async (from, to, options) => (await files()).rename(from, to, options),
		delete: async (uri, options) => (await files()).delete(uri, options),
		readDirectory: async (uri) => (await files()).readDirectory(uri),
		createDirectory: (uri) => {
			throw vscode.FileSystemError.NoPermissions(uri);
		},
	};
}

const FILE_ACTS = ["stat", "readFile", "writeFile", "rename", "delete", "readDirectory"] as const;

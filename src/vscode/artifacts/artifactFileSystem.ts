// File system of artifact documents: notes as Markdown, lists as checklists, views as query results.

// Notifies open editors of changes.
import * as vscode from "vscode";
import { ArtifactError, type Artifacts } from "../../core/ports/artifacts.ts";
import { Serial } from "../../shared/node/serial.ts";
import { toUserError } from "./artifactErrors.ts";
import { ARTIFACT_SCHEME, type ArtifactAddress, artifactUri, cacheArtifactSummary, parseArtifactUri } from "./artifactUris.ts";

type Files = Required<Pick<vscode.FileSystemProvider, "stat" | "readFile" | "writeFile" | "rename" | "delete" | "readDirectory">>;

/** Tabs being moved to a new name, by path. Until `given`, stat fails; otherwise the editor would not move them. */
const moving = new Map<string, { name: string; given: boolean }>();

/** Paths the editor has moved away from. It keeps their documents for a while; they must not move again. */
const movedFrom = new Set<string>();

/** Retries of unreadable content, and milliseconds between them: its writer may report only the first write. */
const MAX_RETRIES = 5;
const RETRY_DELAY = 100;

/** Mark of a deleted artifact. */
const GONE = "gone";

/** Maximum marks stored: covers all open documents and reads without one. */
const MAX_MARKS = 1_000;

export function artifactFiles(
	artifacts: Artifacts,
	changed: (changes: vscode.FileChangeEvent[]) => void,
	log: vscode.LogOutputChannel,
): Files {
	/** The last content read, by URI. The editor reads before it opens the document, so entries without a document remain. */
	const marks = new Map<string, string>();

	/** Runs one after another; changes during a run schedule one more. */
	const following = new Serial((error) => log.warn(`open notes and lists could not be followed: ${String(error)}`));
	let scheduled = false;
	const scheduleCheck = (): void => {
		if (scheduled) return;
		scheduled = true;
		following.add(() => {
			scheduled = false;
			return checkDocuments();
		});
	};
	artifacts.onChange(scheduleCheck);
	// Changes between reading and opening were not reported.
	vscode.workspace.onDidOpenTextDocument(({ uri }) => parseArtifactUri(uri) && scheduleCheck());
	vscode.workspace.onDidCloseTextDocument(({ uri }) => void marks.delete(uri.toString()));

	// A tab restored after a reload may have an old name.
	vscode.window.tabGroups.onDidChangeTabs(({ opened }) => {
		for (const { input } of opened) {
			const uri = input instanceof vscode.TabInputText ? input.uri : undefined;
			const address = uri && parseArtifactUri(uri);
			if (uri && address) following.add(() => updateTabName(address, uri));
		}
	});
	for (const { uri } of tabsOf(() => true)) following.add(() => updateTabName(requireAddress(uri), uri));

	async function checkDocuments(tries = MAX_RETRIES): Promise<void> {
		let unreadable = false;
		const changes: vscode.FileChangeEvent[] = [];
		for (const { uri } of vscode.workspace.textDocuments) {
			const [address, key] = [parseArtifactUri(uri), uri.toString()];
			if (!address) continue;
			const mark = marks.get(key);
			// A file being written may be briefly unreadable; report only missing ones as deleted.
			const now = await readDocument(uri).catch((error: unknown) => (isGone(error) ? { mark: GONE } : undefined));
			unreadable ||= !now;
			if (!now || now.mark === mark) {
				if (now && mark !== GONE) await updateTabName(address, uri);
				continue;
			}
			marks.set(key, now.mark);
			const { Changed, Created, Deleted } = vscode.FileChangeType;
			changes.push({ type: now.mark === GONE ? Deleted : mark === GONE ? Created : Changed, uri });
			if (now.mark !== GONE) await updateTabName(address, uri);
		}
		if (changes.length > 0) changed(changes);
		if (unreadable && tries > 0) setTimeout(() => following.add(() => checkDocuments(tries - 1)), RETRY_DELAY).unref();
	}

	/** Renames the tab to the current name, whoever renamed the artifact. */
	async function updateTabName({ kind, id, format }: ArtifactAddress, uri: vscode.Uri): Promise<void> {
		const summary = await artifacts.get(kind, id);
		const named = artifactUri(summary, format);
		if (named.path === uri.path || moving.has(named.path) || movedFrom.has(uri.path)) return;
		const showing = tabsOf((shown) => shown.path === uri.path);
		if (showing.some(({ tab }) => tab.isDirty)) await moveUnsaved(uri, named, summary.name);
		else await swapTabs(uri, named);
	}

	async function readDocument(uri: vscode.Uri): Promise<{ bytes: Uint8Array; mtime: number; ctime: number; mark: string }> {
		const { kind, id, format } = requireAddress(uri);
		if (moving.get(uri.path)?.given === false) throw vscode.FileSystemError.FileNotFound(uri);
		const { text, mtime, ctime } = await artifacts.read(kind, id, format).catch((error: unknown) => {
			throw error instanceof ArtifactError && error.code === "missing" ? vscode.FileSystemError.FileNotFound(uri) : toUserError(error);
		});
		const bytes = new TextEncoder().encode(text);
		return { bytes, mtime, ctime, mark: `${mtime} ${text}` };
	}

	return {
		async stat(uri) {
			if (FOLDER.test(uri.path)) return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
			const { kind, format } = requireAddress(uri);
			const { bytes, mtime, ctime } = await readDocument(uri);
			const stat = { type: vscode.FileType.File, ctime, mtime, size: sizeFor(bytes) };
			return kind === "view" && format === "md" ? { ...stat, permissions: vscode.FilePermission.Readonly } : stat;
		},
		async readFile(uri) {
			const address = requireAddress(uri);
			const { bytes, mark } = await readDocument(uri);
			const summary = await artifacts.get(address.kind, address.id);
			cacheArtifactSummary(summary);
			marks.set(uri.toString(), mark);
			const [oldest] = marks.keys();
			if (marks.size > MAX_MARKS && oldest !== undefined) marks.delete(oldest);
			return bytes;
		},
		async writeFile(uri, content, { create }) {
			const { kind, id, format, name } = requireAddress(uri);
			if (kind === "view" && format === "md") throw vscode.FileSystemError.NoPermissions(uri);
			const text = new TextDecoder().decode(content);
			try {
				await artifacts.write(kind, id, format, text);
			} catch (error) {
				if (!(error instanceof ArtifactError) || error.code !== "missing") throw toUserError(error);
				if (!create || format === "json") throw vscode.FileSystemError.FileNotFound(uri);
				// It was deleted while open here; what the user saves is kept.
				await artifacts.create(kind, name, text, id).catch((cause: unknown) => {
					throw toUserError(cause);
				});
			}
		},
		async rename(from, to) {
			const [old, wanted] = [requireAddress(from), requireAddress(to)];
			const name = moving.get(to.path)?.name ?? wanted.name;
			if (old.kind !== wanted.kind || old.id !== wanted.id) throw vscode.FileSystemError.NoPermissions(to);
			await artifacts.rename(old.kind, old.id, name).catch((error: unknown) => {
				throw toUserError(error);
			});
			const move = moving.get(to.path);
			if (move) move.given = true;
		},
		async delete(uri) {
			const { kind, id } = requireAddress(uri);
			await artifacts.remove(kind, id);
		},
		async readDirectory(uri) {
			const { artifacts: all } = await artifacts.catalog();
			const [kind, id] = uri.path.split("/").filter(Boolean);
			const { Directory, File } = vscode.FileType;
			if (kind === undefined) return [...new Set(all.map((one) => one.kind))].map((name) => [name, Directory]);
			if (id === undefined) return all.filter((one) => one.kind === kind).map((one) => [one.id, Directory]);
			const here = all.filter((one) => one.kind === kind && one.id === id);
			return here.map((one) => [artifactUri(one).path.split("/").at(-1) ?? "", File]);
		},
	};
}

/**
 * The editor treats a file with a new mtime but the same size as unchanged and would overwrite an item checked meanwhile. So a
 * checksum of the bytes is added to the size.
 */
function sizeFor(bytes: Uint8Array): number {
	return bytes.length + bytes.reduce((sum, byte) => (sum * 31 + byte) % 65_521, 0);
}

function isGone(error: unknown): boolean {
	return error instanceof vscode.FileSystemError && error.code === "FileNotFound";
}

const FOLDER = /^\/((note|list|view)(\/[A-Za-z0-9_-]{1,64})?\/?)?$/;

function requireAddress(uri: vscode.Uri): ArtifactAddress {
	const address = parseArtifactUri(uri);
	if (!address) throw vscode.FileSystemError.FileNotFound(uri);
	return address;
}

/** Closes the artifact's tabs except unsaved ones. */
export async function closeArtifactTabs(kind: string, id: string): Promise<void> {
	const showing = tabsOf((uri) => {
		const address = parseArtifactUri(uri);
		return address?.kind === kind && address.id === id;
	}).filter(({ tab }) => !tab.isDirty);
	await vscode.window.tabGroups.close(
		showing.map(({ tab }) => tab),
		true,
	);
}

/** Renames an artifact and its tabs, including unsaved ones. */
export async function renameArtifactAndTabs(
	artifacts: Artifacts,
	{ kind, id }: Pick<ArtifactAddress, "kind" | "id">,
	name: string,
): Promise<void> {
	const open = tabsOf((uri) => {
		const address = parseArtifactUri(uri);
		return address?.kind === kind && address.id === id;
	});
	const uris = [...new Map(open.map(({ uri }) => [uri.path, uri])).values()];
	const named = (uri: vscode.Uri) => artifactUri({ kind, id, name }, requireAddress(uri).format);
	for (const uri of uris.filter(isDirty)) await moveUnsaved(uri, named(uri), name);
	await artifacts.rename(kind, id, name);
	for (const uri of uris) await swapTabs(uri, named(uri));
}

function isDirty(uri: vscode.Uri): boolean {
	return vscode.workspace.textDocuments.some(
		(document) => document.uri.path === uri.path && document.uri.scheme === ARTIFACT_SCHEME && document.isDirty,
	);
}

function tabsOf(fits: (uri: vscode.Uri) => boolean): { tab: vscode.Tab; uri: vscode.Uri }[] {
	return vscode.window.tabGroups.all.flatMap(({ tabs }) =>
		tabs.flatMap((tab) => {
			const uri = tab.input instanceof vscode.TabInputText && tab.input.uri.scheme === ARTIFACT_SCHEME ? tab.input.uri : undefined;
			return uri && fits(uri) ? [{ tab, uri }] : [];
		}),
	);
}

/** Replaces the old document's tabs by the new one's; the active tab stays active. */
async function swapTabs(from: vscode.Uri, to: vscode.Uri): Promise<void> {
	if (from.path === to.path) return;
	for (const { tab } of tabsOf((uri) => uri.path === from.path)) {
		if (tab.isDirty) continue;
		const { viewColumn, activeTab } = tab.group;
		const front = activeTab !== tab && activeTab?.input instanceof vscode.TabInputText ? activeTab.input.uri : undefined;
		const options = { viewColumn, preserveFocus: true, preview: false };
		await vscode.window.showTextDocument(to, options);
		await vscode.window.tabGroups.close(tab, true);
		if (front) await vscode.window.showTextDocument(front, options);
	}
}

/** Unsaved changes survive only if the editor itself renames the file. */
async function moveUnsaved(from: vscode.Uri, to: vscode.Uri, name: string): Promise<void> {
	if (from.path === to.path) return;
	const edit = new vscode.WorkspaceEdit();
	edit.renameFile(from, to);
	moving.set(to.path, { name, given: false });
	movedFrom.add(from.path);
	movedFrom.delete(to.path);
	try {
		await vscode.workspace.applyEdit(edit);
	} finally {
		moving.delete(to.path);
	}
}

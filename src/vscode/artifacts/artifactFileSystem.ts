// File system of artifact documents: notes as Markdown, lists as checklists, views as query results.

// Open editors follow changes.
import * as vscode from "vscode";
import { ArtifactError, type Artifacts } from "../../core/ports/artifacts.ts";
import { toUserError } from "./artifactErrors.ts";
import { ARTIFACT_SCHEME, type ArtifactAddress, artifactUri, cacheArtifactSummary, parseArtifactUri } from "./artifactUris.ts";

type Files = Required<Pick<vscode.FileSystemProvider, "stat" | "readFile" | "writeFile" | "rename" | "delete" | "readDirectory">>;

/** Tabs that move to a new name, by its path: until it is given nothing is there, or the editor would not move them. */
const moving = new Map<string, { name: string; given: boolean }>();

/** Paths that the editor has moved away from: it keeps their documents for a while, and they are not to move again. */
const left = new Set<string>();

/** How often, and after how many milliseconds, what could not be read is looked at again: its writer may tell of the first stroke alone. */
const STUMBLES = 5;
const PAUSE = 100;

/** In place of the mark of what is not there. */
const GONE = "gone";

/** Marks that are kept: of every document that may be open, and of what was read for nobody. */
const MARKS = 1_000;

export function artifactFiles(
	artifacts: Artifacts,
	changed: (changes: vscode.FileChangeEvent[]) => void,
	log: vscode.LogOutputChannel,
): Files {
	/** What was read last, by address. The editor reads before it tells of the document: what is no document yet stays in here. */
	const marks = new Map<string, string>();

	/** One after the other; what changes meanwhile is looked at once more. */
	let following = Promise.resolve();
	let again = false;
	const followSoon = (): void => {
		if (again) return;
		again = true;
		next(() => {
			again = false;
			return follow();
		});
	};
	artifacts.onChange(followSoon);
	// What changed between its reading and now was told to nobody.
	vscode.workspace.onDidOpenTextDocument(({ uri }) => parseArtifactUri(uri) && followSoon());
	vscode.workspace.onDidCloseTextDocument(({ uri }) => void marks.delete(uri.toString()));

	// A tab that comes back after a reload may have a name of before.
	vscode.window.tabGroups.onDidChangeTabs(({ opened }) => {
		for (const { input } of opened) {
			const uri = input instanceof vscode.TabInputText ? input.uri : undefined;
			const address = uri && parseArtifactUri(uri);
			if (uri && address) next(() => followName(address, uri));
		}
	});
	for (const { uri } of tabsOf(() => true)) next(() => followName(addressed(uri), uri));

	function next(work: () => Promise<void>): void {
		following = following.then(work).catch((error: unknown) => log.warn(`open notes and lists could not be followed: ${String(error)}`));
	}

	async function follow(tries = STUMBLES): Promise<void> {
		let stumbled = false;
		const changes: vscode.FileChangeEvent[] = [];
		for (const { uri } of vscode.workspace.textDocuments) {
			const [address, key] = [parseArtifactUri(uri), uri.toString()];
			if (!address) continue;
			const mark = marks.get(key);
			// A file that is just being written may not be readable for a moment: only what is gone is told as gone.
			const now = await look(uri).catch((error: unknown) => (isGone(error) ? { mark: GONE } : undefined));
			stumbled ||= !now;
			if (!now || now.mark === mark) {
				if (now && mark !== GONE) await followName(address, uri);
				continue;
			}
			marks.set(key, now.mark);
			const { Changed, Created, Deleted } = vscode.FileChangeType;
			changes.push({ type: now.mark === GONE ? Deleted : mark === GONE ? Created : Changed, uri });
			if (now.mark !== GONE) await followName(address, uri);
		}
		if (changes.length > 0) changed(changes);
		if (stumbled && tries > 0) setTimeout(() => next(() => follow(tries - 1)), PAUSE).unref();
	}

	/** Its tab says what it is called now, whoever renamed it. */
	async function followName({ kind, id, format }: ArtifactAddress, uri: vscode.Uri): Promise<void> {
		const summary = await artifacts.get(kind, id);
		const named = artifactUri(summary, format);
		if (named.path === uri.path || moving.has(named.path) || left.has(uri.path)) return;
		const showing = tabsOf((shown) => shown.path === uri.path);
		if (showing.some(({ tab }) => tab.isDirty)) await moveUnsaved(uri, named, summary.name);
		else await swapTabs(uri, named);
	}

	async function look(uri: vscode.Uri): Promise<{ bytes: Uint8Array; mtime: number; ctime: number; mark: string }> {
		const { kind, id, format } = addressed(uri);
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
			const { kind, format } = addressed(uri);
			const { bytes, mtime, ctime } = await look(uri);
			const stat = { type: vscode.FileType.File, ctime, mtime, size: sizeFor(bytes) };
			return kind === "view" && format === "md" ? { ...stat, permissions: vscode.FilePermission.Readonly } : stat;
		},
		async readFile(uri) {
			const address = addressed(uri);
			const { bytes, mark } = await look(uri);
			const summary = await artifacts.get(address.kind, address.id);
			cacheArtifactSummary(summary);
			marks.set(uri.toString(), mark);
			const [oldest] = marks.keys();
			if (marks.size > MARKS && oldest !== undefined) marks.delete(oldest);
			return bytes;
		},
		async writeFile(uri, content, { create }) {
			const { kind, id, format, name } = addressed(uri);
			if (kind === "view" && format === "md") throw vscode.FileSystemError.NoPermissions(uri);
			const text = new TextDecoder().decode(content);
			try {
				await artifacts.write(kind, id, format, text);
			} catch (error) {
				if (!(error instanceof ArtifactError) || error.code !== "missing") throw toUserError(error);
				if (!create || format === "json") throw vscode.FileSystemError.FileNotFound(uri);
				// It was deleted while it stood open here; what the person saves is kept.
				await artifacts.create(kind, name, text, id).catch((cause: unknown) => {
					throw toUserError(cause);
				});
			}
		},
		async rename(from, to) {
			const [old, wanted] = [addressed(from), addressed(to)];
			const name = moving.get(to.path)?.name ?? wanted.name;
			if (old.kind !== wanted.kind || old.id !== wanted.id) throw vscode.FileSystemError.NoPermissions(to);
			await artifacts.rename(old.kind, old.id, name).catch((error: unknown) => {
				throw toUserError(error);
			});
			const move = moving.get(to.path);
			if (move) move.given = true;
		},
		async delete(uri) {
			const { kind, id } = addressed(uri);
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
 * The editor takes a file of another time, but of the same size, for unchanged: it would save over an item that was ticked
 * meanwhile. So the size grows by what the bytes say.
 */
function sizeFor(bytes: Uint8Array): number {
	return bytes.length + bytes.reduce((sum, byte) => (sum * 31 + byte) % 65_521, 0);
}

function isGone(error: unknown): boolean {
	return error instanceof vscode.FileSystemError && error.code === "FileNotFound";
}

const FOLDER = /^\/((note|list|view)(\/[A-Za-z0-9_-]{1,64})?\/?)?$/;

function addressed(uri: vscode.Uri): ArtifactAddress {
	const address = parseArtifactUri(uri);
	if (!address) throw vscode.FileSystemError.FileNotFound(uri);
	return address;
}

/** Closes what shows an artifact, but for what is not saved there. */
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

/** Renames an artifact and takes its tabs along, with what is not saved in them. */
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
	const named = (uri: vscode.Uri) => artifactUri({ kind, id, name }, addressed(uri).format);
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

/** Shows the document of the new name in place of the old one's; what stood in front stays in front. */
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

/** What is not saved goes along only if the editor itself moves the file. */
async function moveUnsaved(from: vscode.Uri, to: vscode.Uri, name: string): Promise<void> {
	if (from.path === to.path) return;
	const edit = new vscode.WorkspaceEdit();
	edit.renameFile(from, to);
	moving.set(to.path, { name, given: false });
	left.add(from.path);
	left.delete(to.path);
	try {
		await vscode.workspace.applyEdit(edit);
	} finally {
		moving.delete(to.path);
	}
}

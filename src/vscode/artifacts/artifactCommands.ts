// Commands for notes, lists and views, applied to the selected, open or picked one.

import * as vscode from "vscode";
import type { ArtifactFormat, ArtifactKind, ArtifactSummary, Artifacts } from "../../core/ports/artifacts.ts";
import { UserError } from "../../core/userError.ts";
import { formatDateTime, t } from "../../shared/l10n.ts";
import { escapeLabel } from "../../shared/safeText.ts";
import { showNotification } from "../notifications.ts";
import { queryErrorMessage, toUserError } from "./artifactErrors.ts";
import { closeArtifactTabs, renameArtifactAndTabs } from "./artifactFileSystem.ts";
import { artifactUri, parseArtifactUri } from "./artifactUris.ts";

type Handler = (artifacts: Artifacts, target: unknown) => Promise<unknown>;

export type ArtifactCommand = keyof typeof handlers;

const handlers = {
	newNote: (artifacts) => begin(artifacts, "note", t("New Note")),
	newList: (artifacts) => begin(artifacts, "list", t("New List")),
	async newView(artifacts) {
		const name = await askName(t("New View"));
		const query = name === undefined ? undefined : await askQuery(artifacts, t("New View"), "done:false");
		if (name !== undefined && query !== undefined) await show(await artifacts.create("view", name, query));
	},
	async openArtifact(artifacts, target) {
		const found = await resolveTarget(artifacts, target, ALL, t("Open Note, List or View"), "pick");
		if (found) await show(found);
	},
	async openArtifactJson(artifacts, target) {
		const found = await resolveTarget(artifacts, target, ["list", "view"], t("Open as JSON"));
		if (found) await show(found, "json");
	},
	async renameArtifact(artifacts, target) {
		const found = await resolveTarget(artifacts, target, ALL, t("Rename"));
		const name = found && (newNameIn(target) ?? (await askName(t("Rename"), found.name)));
		if (found && name !== undefined) await renameArtifactAndTabs(artifacts, found, name);
	},
	async tagArtifact(artifacts, target) {
		const found = await resolveTarget(artifacts, target, ["note", "list"], t("Set Tags"));
		if (!found) return;
		const tags = await vscode.window.showInputBox({
			title: t("Set Tags"),
			value: found.tags.join(" "),
			prompt: t("Tags of letters and digits, separated by spaces. Leave empty to remove all tags."),
		});
		if (tags !== undefined) await artifacts.retag(found.kind, found.id, tags.split(/[\s,]+/).filter(Boolean));
	},
	async editQuery(artifacts, target) {
		const found = await resolveTarget(artifacts, target, ["view"], t("Edit Query"));
		const query = found && (await askQuery(artifacts, t("Edit Query"), found.query ?? ""));
		if (found && query !== undefined) await artifacts.requery(found.id, query);
	},
	async deleteArtifact(artifacts, target) {
		const found = await resolveTarget(artifacts, target, ALL, t("Delete"));
		if (!found) return;
		const file = await artifacts.remove(found.kind, found.id);
		await closeArtifactTabs(found.kind, found.id);
		const undo = t("Undo");
		// The message waits for the user; the caller does not.
		void showNotification("info", t("“{0}” was moved to the trash.", found.name), undo).then(async (answer) => {
			if (answer === undo) await artifacts.restore(file);
		});
	},
	async restoreArtifact(artifacts) {
		const trashed = await artifacts.trash();
		if (trashed.length === 0) return void showNotification("info", t("The trash is empty."));
		const items = trashed.map(({ file, kind, name, list, at }) => ({
			label: `$(${ICONS[kind]}) ${escapeLabel(name)}`,
			description: escapeLabel([...(list === undefined ? [] : [t("item in {0}", list)]), formatDateTime(at)].join(" · ")),
			file,
		}));
		const picked = await vscode.window.showQuickPick(items, {
			title: t("Restore Note, List, View or Item"),
			matchOnDescription: true,
		});
		if (picked) await show(await artifacts.restore(picked.file));
	},
	async exportArtifact(artifacts, target) {
		const found = await resolveTarget(artifacts, target, ALL, t("Save to Workspace"));
		const folder = found && vscode.workspace.workspaceFolders?.[0]?.uri;
		if (!found) return;
		const shown = target === undefined ? vscode.window.activeTextEditor?.document.uri : target;
		const format = (shown instanceof vscode.Uri && parseArtifactUri(shown)?.format) || "md";
		const name = `${found.name.replace(/[^\p{L}\p{N} _-]/gu, "").slice(0, 60) || found.id}.${format}`;
		const filters = Object.entries({ Markdown: ["md"], ...(found.kind !== "note" && { JSON: ["json"] }) });
		const goal = await vscode.window.showSaveDialog({
			title: t("Save to Workspace"),
			filters: Object.fromEntries(format === "json" ? filters.reverse() : filters),
			...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
		});
		if (!goal) return;
		const text = await textOf(artifacts, found, found.kind !== "note" && goal.path.endsWith(".json") ? "json" : "md");
		await vscode.workspace.fs.writeFile(goal, new TextEncoder().encode(text));
		await vscode.window.showTextDocument(goal);
	},
	async importArtifact(artifacts, target) {
		const given =
			target instanceof vscode.Uri
				? [target]
				: await vscode.window.showOpenDialog({ title: t("Import as Note or List"), filters: { Markdown: ["md", "txt"] } });
		const [uri] = given ?? [];
		if (!uri) return;
		if ((await vscode.workspace.fs.stat(uri)).size > MAX_BYTES)
			throw new UserError(
				t("The content is too large. Notes are limited to 256 KB and lists to 2 MB. Nothing was saved. Split the content and try again."),
			);
		const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
		const kind = /^[-*+] \[[ xX]\] /m.test(text) ? await pickKind() : "note";
		const name =
			uri.path
				.split("/")
				.at(-1)
				?.replace(/\.\w+$/, "") || t("Imported");
		if (kind) await show(await artifacts.create(kind, name, text));
	},
} satisfies Record<string, Handler>;

const ALL: readonly ArtifactKind[] = ["note", "list", "view"];
const ICONS: Record<ArtifactKind | "item", string> = { note: "note", list: "checklist", view: "filter", item: "circle-outline" };
/** Maximum bytes of an imported file. */
const MAX_BYTES = 2 * 1024 * 1024;

/** Rejects with a sentence for the person. */
export async function runArtifactCommand(name: ArtifactCommand, artifacts: Artifacts, target: unknown): Promise<unknown> {
	try {
		return await handlers[name](artifacts, target);
	} catch (error) {
		throw toUserError(error);
	}
}

async function begin(artifacts: Artifacts, kind: ArtifactKind, title: string): Promise<void> {
	const name = await askName(title);
	if (name !== undefined) await show(await artifacts.create(kind, name));
}

async function show(artifact: ArtifactSummary, format: ArtifactFormat = "md"): Promise<void> {
	await vscode.window.showTextDocument(artifactUri(artifact, format), { preview: false });
}

/** The editor's text, saved or not. */
async function textOf(artifacts: Artifacts, { kind, id }: ArtifactSummary, format: ArtifactFormat): Promise<string> {
	const matches = ({ uri, isDirty }: vscode.TextDocument): boolean => {
		const address = isDirty ? parseArtifactUri(uri) : undefined;
		return address?.kind === kind && address.id === id && address.format === format;
	};
	return vscode.workspace.textDocuments.find(matches)?.getText() ?? (await artifacts.read(kind, id, format)).text;
}

function askName(title: string, value = ""): Thenable<string | undefined> {
	return vscode.window.showInputBox({
		title,
		value,
		prompt: t("Name of the note, list, or view"),
		validateInput: (text) => (text.trim() === "" ? t("Enter a name.") : undefined),
	});
}

function askQuery(artifacts: Artifacts, title: string, value: string): Thenable<string | undefined> {
	return vscode.window.showInputBox({
		title,
		value,
		prompt: t("Filter by text or keys, e.g. list:Bugs tag:ui type:item done:false sort:-updated limit:20. Prefix with - to exclude."),
		validateInput: (query) => {
			const part = artifacts.misreads(query);
			return part === undefined ? undefined : queryErrorMessage(part);
		},
	});
}

async function pickKind(): Promise<ArtifactKind | undefined> {
	const kinds: (vscode.QuickPickItem & { kindOf: ArtifactKind })[] = [
		{ label: `$(${ICONS.list}) ${t("List")}`, kindOf: "list" },
		{ label: `$(${ICONS.note}) ${t("Note")}`, kindOf: "note" },
	];
	return (await vscode.window.showQuickPick(kinds, { title: t("Import as Note or List") }))?.kindOf;
}

/** With `pick`, the open document is ignored. */
async function resolveTarget(
	artifacts: Artifacts,
	target: unknown,
	kinds: readonly ArtifactKind[],
	title: string,
	how?: "pick",
): Promise<ArtifactSummary | undefined> {
	const given = addressIn(target) ?? (how ? undefined : addressIn(vscode.window.activeTextEditor?.document.uri));
	if (given && kinds.includes(given.kind)) return artifacts.get(given.kind, given.id);
	const fitting = (await artifacts.catalog()).artifacts.filter(({ kind }) => kinds.includes(kind));
	if (fitting.length === 0)
		void showNotification("info", t("Nothing to select yet. To create something, run “Troupe: New Note” or “Troupe: New List”."));
	if (fitting.length === 0) return undefined;
	const items = fitting.map((artifact) => ({
		label: `$(${ICONS[artifact.kind]}) ${escapeLabel(artifact.name)}`,
		description: escapeLabel(artifact.query ?? ""),
		artifact,
	}));
	return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.artifact;
}

/** The new name, if the caller passed one. */
function newNameIn(target: unknown): string | undefined {
	const { name } = (target ?? {}) as { name?: unknown };
	return typeof name === "string" ? name : undefined;
}

/** Accepts a tree node, a document URI, or an artifact's kind and id. */
function addressIn(target: unknown): { kind: ArtifactKind; id: string } | undefined {
	if (target instanceof vscode.Uri) return parseArtifactUri(target);
	const { artifact, kind, id } = (target ?? {}) as { artifact?: ArtifactSummary; kind?: unknown; id?: unknown };
	if (artifact) return artifact;
	const known = ALL.find((one) => one === kind);
	return known && typeof id === "string" ? { kind: known, id } : undefined;
}

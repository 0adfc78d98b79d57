// Opens a task's changes in diff and merge editors, and takes what those editors show.
import * as vscode from "vscode";
import { describeTakeProblem } from "../../chat/taskChanges.ts";
import type { CopyVersions } from "../../core/ports/copies.ts";
import { UserError } from "../../core/userError.ts";
import type { ApplyChanges, TaskChange } from "../../delegation/applyChanges/applyChanges.ts";
import { formatSessionTitle } from "../../session/transcript/sessionTitle.ts";
import type { Sessions } from "../../sessions/sessions.ts";
import { t } from "../../shared/l10n.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { visibleLine } from "../../shared/safeText.ts";
import { uriForPath } from "../adapters/virtualFileSystem.ts";
import { showNotification } from "../notifications.ts";
import type { CopyDocument, CopyDocuments } from "./copyDocuments.ts";
import { findSelectedHunks } from "./hunks.ts";

interface ShownChange {
	task: string;
	name: string;
	change: TaskChange;
	versions: CopyVersions;
}

export interface TaskReview {
	/** Shows one change, as a merge if it is in conflict, or all. Rejects with a sentence if there is no copy, or no such change. */
	open(task: string, path?: string): Promise<void>;
	/** Takes the file that a diff editor shows: the active one if no document of it is named. */
	takeFile(uri?: vscode.Uri): Promise<void>;
	/** Takes the parts of it in which lines of the copy are selected. */
	takeSelection(uri?: vscode.Uri): Promise<void>;
}

export function createTaskReview(sessions: Pick<Sessions, "find">, applyChanges: ApplyChanges, documents: CopyDocuments): TaskReview {
	async function nameOf(task: string): Promise<string> {
		const summary = await sessions.find(task);
		return summary ? visibleLine(formatSessionTitle(summary)) : "";
	}

	function sides({ task, change: { path, real, shown }, versions }: ShownChange) {
		const uri = uriForPath(real);
		const side = (name: keyof CopyVersions, of = shown) => documents.add(uri, { task, path, side: name, shown: of }, versions[name]);
		// The file itself, so that the left side follows the user's edits.
		const original = versions.original ? uri : side("original");
		return { uri, original, base: side("base"), copied: side("copied"), snapshot: () => side("original", sha256(versions.original ?? "")) };
	}

	async function openDiff(shown: ShownChange): Promise<void> {
		const { original, copied } = sides(shown);
		const title = t("{0} (Workspace ↔ {1})", visibleLine(shown.change.path), shown.name);
		await vscode.commands.executeCommand("vscode.diff", original, copied, title, { preview: true });
	}

	/** The result starts with the user's file, in which they accept what the task has changed. */
	async function openMerge(shown: ShownChange): Promise<void> {
		const { uri, base, copied, snapshot } = sides(shown);
		try {
			await vscode.commands.executeCommand(MERGE_EDITOR, {
				base,
				input1: { uri: copied, title: t("Background task"), description: shown.name },
				input2: { uri: snapshot(), title: t("Workspace"), description: visibleLine(shown.change.path) },
				output: uri,
			});
		} catch {
			await openDiff(shown);
		}
	}

	async function openAll(task: string): Promise<void> {
		const { changes } = await applyChanges.list(task);
		const name = await nameOf(task);
		const rows: [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined][] = [];
		const showable = changes.filter(({ ignored, group }) => !ignored && group !== "refused");
		const first = showable.slice(0, MAX_DIFFS);
		const found = await applyChanges.versionsOf(
			task,
			first.map(({ path }) => path),
		);
		for (const change of first) {
			const versions = found.get(change.path);
			if (!versions) continue;
			const { uri, original, copied } = sides({ task, name, change, versions });
			rows.push([uri, versions.original && original, versions.copied && copied]);
		}
		const title =
			showable.length > MAX_DIFFS ? t("First {0} of {1} changes of {2}", MAX_DIFFS, showable.length, name) : t("Changes of {0}", name);
		await vscode.commands.executeCommand("vscode.changes", title, rows);
	}

	const findChange = async (task: string, path: string) => (await applyChanges.list(task)).changes.find((one) => one.path === path);

	async function open(task: string, path: string): Promise<void> {
		const change = await findChange(task, path);
		if (!change) throw new UserError(t("There is nothing left to take of {0}.", path));
		const shown: ShownChange = { task, name: await nameOf(task), change, versions: await applyChanges.versions(task, path) };
		const { base, copied, original } = shown.versions;
		const isMergeable = change.unshown?.why !== "binary" && copied && original;
		return change.changedMeanwhile && change.group !== "refused" && isMergeable && (base || change.action === "create")
			? openMerge(shown)
			: openDiff(shown);
	}

	/** The editor then shows what is left, if anything is. */
	async function take(uri: vscode.Uri, { task, path, shown }: CopyDocument, hunks?: readonly number[]): Promise<void> {
		const result = await applyChanges.take(task, { shown, path, ...(hunks && { hunks }) });
		const problem = describeTakeProblem(result, path);
		if (problem) void showNotification(problem.level, problem.text);
		const left = result.deleted ? undefined : await findChange(task, path);
		if (left?.shown === shown) return;
		await vscode.window.tabGroups.close(findDiffTabs(uri));
		if (left) await open(task, path);
	}

	return {
		open: (task, path) => (path === undefined ? openAll(task) : open(task, path)),
		async takeFile(uri = activeUri()) {
			const document = uri && documents.parse(uri);
			if (document) await take(uri, document);
		},
		async takeSelection(uri = activeUri()) {
			const document = uri && documents.parse(uri);
			const editor = vscode.window.visibleTextEditors.find((one) => one.document.uri.toString() === uri?.toString());
			if (!document || !editor) return;
			const change = await findChange(document.task, document.path);
			const selected = editor.selections.map(({ start, end }) => ({ first: start.line + 1, last: end.line + 1 }));
			const hunks = change ? findSelectedHunks(change.diff, selected) : [];
			if (hunks.length > 0) return take(uri, document, hunks);
			void showNotification("info", t("No change is selected. Select changed lines on the right, then take them."));
		},
	};
}

function activeUri(): vscode.Uri | undefined {
	const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
	return input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
}

function findDiffTabs(modified: vscode.Uri): vscode.Tab[] {
	const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
	return tabs.filter(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === modified.toString());
}

/** Internal, but used by Git's own extension since VS Code 1.70. */
const MERGE_EDITOR = "_open.mergeEditor";
/** Most files that one editor shows. */
const MAX_DIFFS = 100;

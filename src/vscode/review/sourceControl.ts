// Source control "Troupe": exists while there are unreviewed changes, with one entry per file.
import * as vscode from "vscode";
import { formatList, t } from "../../shared/l10n.ts";
import { visibleLine } from "../../shared/safeText.ts";
import { pathForUri, uriForPath } from "../adapters/virtualFileSystem.ts";
import { baselineUri, emptyBaselineUri } from "./baselines.ts";
import type { ReviewedFile } from "./reviewStates.ts";

export interface ReviewResourceState extends vscode.SourceControlResourceState {
	file: ReviewedFile;
}

export class ReviewSourceControl implements vscode.Disposable {
	private control: vscode.SourceControl | undefined;
	private group: vscode.SourceControlResourceGroup | undefined;
	private files: ReadonlyMap<string, ReviewedFile> = new Map();

	/** Takes files by absolute path. */
	setFiles(files: ReadonlyMap<string, ReviewedFile>): void {
		this.files = files;
		if (files.size === 0) {
			this.dispose();
			return;
		}
		if (!this.control || !this.group) {
			this.control = vscode.scm.createSourceControl("troupe", "Troupe");
			this.control.inputBox.visible = false;
			this.control.quickDiffProvider = { provideOriginalResource: (uri) => this.original(uri) };
			this.group = this.control.createResourceGroup("changes", t("Changed by Agents"));
		}
		// Version control counts the same files, so don't add a second badge.
		this.control.count = 0;
		this.group.resourceStates = [...files.values()].map(entryOf);
	}

	dispose(): void {
		this.control?.dispose();
		this.control = undefined;
		this.group = undefined;
	}

	private original(uri: vscode.Uri): vscode.Uri | undefined {
		const file = this.files.get(pathForUri(uri) ?? "");
		return file && file.state !== "deleted" && (file.original || file.created) ? baselineUri(file.absolute) : undefined;
	}
}

const STATES: Record<ReviewedFile["state"], { icon: string; color: string; words(file: ReviewedFile): string }> = {
	created: { icon: "diff-added", color: "gitDecoration.addedResourceForeground", words: () => t("Created") },
	deleted: { icon: "diff-removed", color: "gitDecoration.deletedResourceForeground", words: () => t("Deleted") },
	moved: { icon: "diff-renamed", color: "gitDecoration.renamedResourceForeground", words: ({ was }) => t("Moved from {0}", was ?? "") },
	changed: { icon: "diff-modified", color: "gitDecoration.modifiedResourceForeground", words: () => t("Changed") },
};

function entryOf(file: ReviewedFile): ReviewResourceState {
	const { icon, color, words } = STATES[file.state];
	return {
		file,
		resourceUri: uriForPath(file.absolute),
		contextValue: file.state,
		command: { title: t("Open Changes"), command: "vscode.diff", arguments: [...diffUris(file), title(file)] },
		decorations: {
			tooltip: file.tasks ? `${words(file)} · ${t("Background task: {0}", formatList(file.tasks.map(visibleLine)))}` : words(file),
			strikeThrough: file.state === "deleted",
			iconPath: new vscode.ThemeIcon(icon, new vscode.ThemeColor(color)),
		},
	};
}

/** The two sides of the diff: before and now. */
export function diffUris({ absolute, state, created }: ReviewedFile): [vscode.Uri, vscode.Uri] {
	return [
		created ? emptyBaselineUri(absolute) : baselineUri(absolute),
		state === "deleted" ? emptyBaselineUri(absolute) : uriForPath(absolute),
	];
}

function title({ path, was }: ReviewedFile): string {
	return t("{0} (before ↔ now)", was === undefined ? path : `${was} → ${path}`);
}

// Tree of notes, lists and views, each with its progress and age.
import * as vscode from "vscode";
import type { ArtifactCatalog, ArtifactKind, ArtifactSummary, DamagedArtifact } from "../../core/ports/artifacts.ts";
import { formatDateTime, formatNumber, t } from "../../shared/l10n.ts";
import { formatRelativeTime, formatSpokenTime } from "../../shared/relativeTime.ts";
import { visibleLine } from "../../shared/safeText.ts";
import type { Engine, LazyEngine } from "../engine.ts";
import { artifactUri } from "./artifactUris.ts";

export type ArtifactNode =
	| { kind: ArtifactKind; group: true; artifacts: readonly ArtifactSummary[]; damaged: readonly DamagedArtifact[] }
	| { kind: ArtifactKind; artifact: ArtifactSummary }
	| { kind: ArtifactKind; damaged: DamagedArtifact };

/** Milliseconds that let the chat load first. */
const ENGINE_DELAY = 200;

export class ArtifactsTree implements vscode.TreeDataProvider<ArtifactNode> {
	private readonly changed = new vscode.EventEmitter<undefined>();
	readonly onDidChangeTreeData = this.changed.event;
	private readonly engine: LazyEngine;
	private listening: { dispose(): void } | undefined;

	constructor(engine: LazyEngine) {
		this.engine = engine;
	}

	async getChildren(node?: ArtifactNode): Promise<ArtifactNode[]> {
		if (node) return "group" in node ? childrenOf(node) : [];
		if (!this.engine.current()) await new Promise((resolve) => setTimeout(resolve, ENGINE_DELAY));
		const { artifacts } = await this.engine.load();
		this.listening ??= artifacts.onChange(() => {
			this.changed.fire(undefined);
			// The editor requests no rows of a collapsed view, but the context key must be current.
			void this.roots(artifacts);
		});
		return this.roots(artifacts);
	}

	private async roots(artifacts: Pick<Engine["artifacts"], "catalog">): Promise<ArtifactNode[]> {
		const roots = groups(await artifacts.catalog());
		void vscode.commands.executeCommand("setContext", "troupe.noArtifacts", roots.length === 0);
		return roots;
	}

	getTreeItem(node: ArtifactNode): vscode.TreeItem {
		if ("group" in node) return groupItem(node.kind, node.artifacts.length);
		return "artifact" in node ? artifactItem(node.artifact) : damagedItem(node.damaged);
	}
}

/** Returns only nonempty groups, so that an empty tree shows the welcome content. */
function groups({ artifacts, damaged }: ArtifactCatalog): ArtifactNode[] {
	return (["note", "list", "view"] as const).flatMap((kind) => {
		const group = {
			kind,
			group: true as const,
			artifacts: artifacts.filter((one) => one.kind === kind),
			damaged: damaged.filter((one) => one.kind === kind),
		};
		return group.artifacts.length + group.damaged.length > 0 ? [group] : [];
	});
}

function childrenOf({ kind, artifacts, damaged }: Extract<ArtifactNode, { group: true }>): ArtifactNode[] {
	return [...artifacts.map((artifact) => ({ kind, artifact })), ...damaged.map((one) => ({ kind, damaged: one }))];
}

const ICONS: Record<ArtifactKind, string> = { note: "note", list: "checklist", view: "filter" };

function groupItem(kind: ArtifactKind, count: number): vscode.TreeItem {
	const labels: Record<ArtifactKind, string> = { note: t("Notes"), list: t("Lists"), view: t("Views") };
	const item = new vscode.TreeItem(labels[kind], vscode.TreeItemCollapsibleState.Expanded);
	item.id = `group:${kind}`;
	item.contextValue = `artifacts.${kind}`;
	item.description = formatNumber(count);
	item.accessibilityInformation = { label: `${labels[kind]}, ${formatNumber(count)}` };
	return item;
}

function artifactItem(artifact: ArtifactSummary): vscode.TreeItem {
	const { kind, id, tags, items, query, updatedAt } = artifact;
	const name = visibleLine(artifact.name);
	const item = new vscode.TreeItem(name);
	item.id = `artifact:${kind}/${id}`;
	item.contextValue = `artifact.${kind}`;
	item.iconPath = new vscode.ThemeIcon(ICONS[kind]);
	const age = formatRelativeTime(updatedAt);
	const count = items && t("{0} of {1} done", formatNumber(items.done), formatNumber(items.total));
	item.description = [...(items ? [`${formatNumber(items.done)}/${formatNumber(items.total)}`] : []), age ?? t("now")].join(" · ");
	const more = [count, query, tags.map((tag) => `#${tag}`).join(" "), formatDateTime(updatedAt)].filter(Boolean);
	item.tooltip = new vscode.MarkdownString().appendText([name, ...more.map((part = "") => visibleLine(part))].join("\n"));
	item.command = { command: "vscode.open", title: t("Open"), arguments: [artifactUri(artifact)] };
	item.accessibilityInformation = { label: [name, ...(count ? [count] : []), formatSpokenTime(updatedAt)].join(", ") };
	return item;
}

/** Opens the file as is; once readable, it returns to the tree. */
function damagedItem({ path, ...given }: DamagedArtifact): vscode.TreeItem {
	const [file, problem] = [visibleLine(given.file), visibleLine(given.problem)];
	const item = new vscode.TreeItem(file);
	item.id = `damaged:${path}`;
	item.contextValue = "artifact.damaged";
	item.iconPath = new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground"));
	item.description = t("Can't be read");
	const text = t("This file can't be read and was set aside: {0}. Fix and save the file to restore it.", problem);
	item.tooltip = new vscode.MarkdownString().appendText(text);
	item.command = { command: "vscode.open", title: t("Open"), arguments: [vscode.Uri.file(path)] };
	item.accessibilityInformation = { label: `${file}, ${t("Can't be read")}` };
	return item;
}

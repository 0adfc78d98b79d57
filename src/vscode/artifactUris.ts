// Where artifacts are in the editor: `troupe-artifact:/note/<id>/<name>.md`. The id leads to it, the name is what its tab says.
import * as vscode from "vscode";
import type { ArtifactFormat, ArtifactKind, ArtifactSummary } from "../core/artifacts.ts";
import type { Panel } from "../core/prompt.ts";

export const ARTIFACT = "troupe-artifact";

export interface Address {
	kind: ArtifactKind;
	id: string;
	format: ArtifactFormat;
	/** As the tab has it. */
	name: string;
}

export function artifactUri({ kind, id, name }: Pick<ArtifactSummary, "kind" | "id" | "name">, format: ArtifactFormat = "md"): vscode.Uri {
	return vscode.Uri.from({ scheme: ARTIFACT, path: `/${kind}/${id}/${fileName(name)}.${format}` });
}

/** A name as a part of a path; a slash becomes one that only looks like it. */
function fileName(name: string): string {
	return name.replaceAll("/", "\u2215").replaceAll("\\", "\u2216").replace(/^\.+$/, "_");
}

export function addressOf({ scheme, path }: vscode.Uri): Address | undefined {
	const [, kind, id, name, format] = /^\/(note|list|view)\/([A-Za-z0-9_-]{1,64})\/([^/]+)\.(md|json)$/.exec(path) ?? [];
	if (scheme !== ARTIFACT || !kind || !id || !name) return undefined;
	return { kind: kind as ArtifactKind, id, format: format as ArtifactFormat, name };
}

/** What is known of artifacts that this window has read. */
const seen = new Map<string, ArtifactSummary>();

export function noteSeen(summary: ArtifactSummary): void {
	seen.set(`${summary.kind}/${summary.id}`, summary);
}

/** The artifact of a tab, as a message's context tells of it; undefined for every other tab. */
export function artifactIn(uri: vscode.Uri): Pick<Panel, "item" | "view"> | undefined {
	const address = addressOf(uri);
	if (!address) return undefined;
	const { kind, id } = address;
	const { name = address.name, query = "" } = seen.get(`${kind}/${id}`) ?? {};
	return kind === "view" ? { view: { name, query } } : { item: { type: kind, id, name } };
}

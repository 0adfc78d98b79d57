// Builds and parses artifact URIs: `troupe-artifact:/note/<id>/<name>.md`.

// The id locates the artifact; the name becomes the tab's label.
import * as vscode from "vscode";
import type { ArtifactFormat, ArtifactKind, ArtifactSummary, Artifacts } from "../../core/ports/artifacts.ts";
import type { ArtifactResolver } from "../adapters/openEditors.ts";

export const ARTIFACT_SCHEME = "troupe-artifact";

export interface ArtifactAddress {
	kind: ArtifactKind;
	id: string;
	format: ArtifactFormat;
	/** The name shown in the tab. */
	name: string;
}

export function artifactUri({ kind, id, name }: Pick<ArtifactSummary, "kind" | "id" | "name">, format: ArtifactFormat = "md"): vscode.Uri {
	return vscode.Uri.from({ scheme: ARTIFACT_SCHEME, path: `/${kind}/${id}/${fileName(name)}.${format}` });
}

/**
 * A slash separates path segments and the tab's label ends at the first dot (`customLabels` in package.json), so they become
 * look-alikes.
 */
const LOOKALIKES: Record<string, string> = { "/": "\u2215", "\\": "\u2216", ".": "\u2024" };

function fileName(name: string): string {
	return name.replace(/[/\\.]/g, (character) => LOOKALIKES[character] ?? character);
}

function nameOf(file: string): string {
	return Object.entries(LOOKALIKES).reduce((name, [character, lookalike]) => name.replaceAll(lookalike, character), file);
}

export function parseArtifactUri({ scheme, path }: vscode.Uri): ArtifactAddress | undefined {
	const [, kind, id, name, format] = /^\/(note|list|view)\/([A-Za-z0-9_-]{1,64})\/([^/]+)\.(md|json)$/.exec(path) ?? [];
	if (scheme !== ARTIFACT_SCHEME || !kind || !id || !name) return undefined;
	return { kind: kind as ArtifactKind, id, format: format as ArtifactFormat, name: nameOf(name) };
}

/** Summaries of artifacts read in this window. */
const summaries = new Map<string, ArtifactSummary>();

export function cacheArtifactSummary(summary: ArtifactSummary): void {
	summaries.set(`${summary.kind}/${summary.id}`, summary);
}

/** Resolves a tab's artifact for a message's context; undefined for other tabs. */
export function createArtifactResolver(artifacts: Pick<Artifacts, "itemsAt">): ArtifactResolver {
	return (uri, marked) => {
		const address = parseArtifactUri(uri);
		if (!address) return undefined;
		const { kind, id, format } = address;
		const { name = address.name, query = "" } = summaries.get(`${kind}/${id}`) ?? {};
		if (kind === "view") return { view: { name, query } };
		const selected = kind === "list" && format === "md" && marked ? artifacts.itemsAt(id, marked.text, marked.lines) : [];
		return { item: { type: kind, id, name }, ...(selected.length > 0 && { selected }) };
	};
}

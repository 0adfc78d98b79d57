// Builds and parses artifact URIs: `troupe-artifact:/note/<id>/<name>.md`.

// The id locates the artifact; the name is its tab's label.
import * as vscode from "vscode";
import type { ArtifactFormat, ArtifactKind, ArtifactSummary, Artifacts } from "../../core/ports/artifacts.ts";
import type { ArtifactResolver } from "../adapters/openEditors.ts";

export const ARTIFACT_SCHEME = "troupe-artifact";

export interface ArtifactAddress {
	kind: ArtifactKind;
	id: string;
	format: ArtifactFormat;
	/** As the tab has it. */
	name: string;
}

export function artifactUri({ kind, id, name }: Pick<ArtifactSummary, "kind" | "id" | "name">, format: ArtifactFormat = "md"): vscode.Uri {
	return vscode.Uri.from({ scheme: ARTIFACT_SCHEME, path: `/${kind}/${id}/${fileName(name)}.${format}` });
}

/** Slashes lead elsewhere, and a tab's label ends at the first dot (`customLabels` in package.json): they become what looks like them. */
const ALIKE: Record<string, string> = { "/": "\u2215", "\\": "\u2216", ".": "\u2024" };

function fileName(name: string): string {
	return name.replace(/[/\\.]/g, (sign) => ALIKE[sign] ?? sign);
}

function nameOf(file: string): string {
	return Object.entries(ALIKE).reduce((name, [sign, alike]) => name.replaceAll(alike, sign), file);
}

export function parseArtifactUri({ scheme, path }: vscode.Uri): ArtifactAddress | undefined {
	const [, kind, id, name, format] = /^\/(note|list|view)\/([A-Za-z0-9_-]{1,64})\/([^/]+)\.(md|json)$/.exec(path) ?? [];
	if (scheme !== ARTIFACT_SCHEME || !kind || !id || !name) return undefined;
	return { kind: kind as ArtifactKind, id, format: format as ArtifactFormat, name: nameOf(name) };
}

/** What is known of artifacts that this window has read. */
const seen = new Map<string, ArtifactSummary>();

export function cacheArtifactSummary(summary: ArtifactSummary): void {
	seen.set(`${summary.kind}/${summary.id}`, summary);
}

/** The artifact of a tab, as a message's context tells of it; undefined for every other tab. */
export function createArtifactResolver(artifacts: Pick<Artifacts, "itemsAt">): ArtifactResolver {
	return (uri, marked) => {
		const address = parseArtifactUri(uri);
		if (!address) return undefined;
		const { kind, id, format } = address;
		const { name = address.name, query = "" } = seen.get(`${kind}/${id}`) ?? {};
		if (kind === "view") return { view: { name, query } };
		const selected = kind === "list" && format === "md" && marked ? artifacts.itemsAt(id, marked.text, marked.lines) : [];
		return { item: { type: kind, id, name }, ...(selected.length > 0 && { selected }) };
	};
}

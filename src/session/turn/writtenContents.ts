// Adds to the paths of a call what only the contents before and after tell: scripts that stay, settings and schemas that change.
import type { PathFacts } from "../../core/ports/tool.ts";
import type { FileEdit, Workspace } from "../../core/ports/workspace.ts";
import { findRemoteSchemas } from "../../core/remoteSchemas.ts";
import { contentHash } from "../hash.ts";

type Told = Pick<PathFacts, "scriptsUnchanged" | "runsChanged" | "schemaChanged">;

export function withContentFacts(
	workspace: Pick<Workspace, "read">,
	paths: readonly PathFacts[],
	edits: readonly FileEdit[],
): Promise<PathFacts[]> {
	return Promise.all(
		paths.map(async (fact) => {
			const edit = edits.find(
				(candidate) => candidate.path === fact.literal || (candidate.action === "rename" && candidate.to === fact.literal),
			);
			if (!edit || !("content" in edit) || !edit.content) return fact;
			const source = paths.find(({ literal }) => literal === edit.path) ?? fact;
			const before = edit.action === "create" ? undefined : await workspace.read(source.real).catch(() => undefined);
			const [old, now] = [before && textOf(before), textOf(edit.content)];
			return { ...fact, ...(edit.action === "update" && manifestTold(fact.real, old, now)), ...schemasTold(fact.real, old, now) };
		}),
	);
}

function textOf(bytes: Uint8Array): string {
	const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
	return new TextDecoder(utf16).decode(bytes);
}

/** What a package.json may say without deciding what runs before it is installed. */
const HARMLESS = new Set([
	...["name", "displayName", "version", "description", "keywords", "homepage", "bugs", "license", "licenses", "author", "contributors"],
	...[
		"maintainers",
		"funding",
		"repository",
		"private",
		"type",
		"main",
		"module",
		"browser",
		"types",
		"typings",
		"typesVersions",
		"exports",
	],
	...["imports", "files", "sideEffects", "engines", "os", "cpu", "libc", "dependencies", "devDependencies", "peerDependencies"],
	...["peerDependenciesMeta", "optionalDependencies", "bundledDependencies", "bundleDependencies", "$schema"],
	...["publisher", "icon", "galleryBanner", "categories", "badges", "activationEvents", "contributes", "capabilities", "l10n", "preview"],
	...["pricing", "qna", "sponsor", "extensionKind", "extensionPack", "extensionDependencies", "enabledApiProposals"],
]);

function manifestTold(path: string, before: string | undefined, after: string): Told {
	if (!/(^|\/)package\.json$/i.test(path)) return {};
	const [old, now] = [parsed(before), parsed(after)];
	if (!old || !now || !same(old["scripts"], now["scripts"])) return { scriptsUnchanged: false };
	const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((key) => key !== "scripts" && !HARMLESS.has(key));
	return { scriptsUnchanged: true, ...(keys.some((key) => !same(old[key], now[key])) && { runsChanged: true }) };
}

function parsed(text: string | undefined): Record<string, unknown> | undefined {
	try {
		const found: unknown = text === undefined ? undefined : JSON.parse(text);
		return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Record<string, unknown>) : undefined;
	} catch {
		return undefined;
	}
}

function same(one: unknown, other: unknown): boolean {
	return contentHash(one ?? null) === contentHash(other ?? null);
}

function schemasTold(path: string, before: string | undefined, after: string): Told {
	const known = before === undefined ? undefined : findRemoteSchemas(path, before);
	return [...findRemoteSchemas(path, after)].every((address) => known?.has(address)) ? {} : { schemaChanged: true };
}

// Filters open editors for the model: any that involves a protected file is omitted entirely.
import { isWindowsPath } from "./paths.ts";
import type { WorkspaceFolder } from "./ports/workspace/files.ts";
import { type OpenEditor, quoteName, toSingleLine } from "./prompt.ts";
import { isProtectedName, normalizeName } from "./protected/protectedNames.ts";

interface EditorFilterContext {
	/** Resolves to true if an absolute path may be shown without approval. */
	visible(path: string): Promise<boolean>;
	folders(): readonly WorkspaceFolder[];
}

/** `left` counts the omitted editors. An editor whose path cannot be checked is omitted. */
export async function filterVisibleEditors(
	panels: readonly OpenEditor[],
	context: EditorFilterContext,
): Promise<{ shown: OpenEditor[]; left: number }> {
	const allowed = await Promise.all(panels.map((panel) => mayShowEditor(panel, context).catch(() => false)));
	const shown = panels.filter((_, index) => allowed[index]);
	return { shown, left: panels.length - shown.length };
}

async function mayShowEditor({ title, item }: OpenEditor, { visible, folders }: EditorFilterContext): Promise<boolean> {
	// Titles name files in various forms: ".env (Working Tree)".
	if (title.split(/[\s/\\:()↔]+/).some((word) => isProtectedName(normalizeName(word)))) return false;
	return item?.type !== "file" || visible(toAbsolutePath(item.id, folders()));
}

/** Resolves a path in the form that editors report it. */
function toAbsolutePath(shown: string, folders: readonly WorkspaceFolder[]): string {
	if (shown.startsWith("/") || isWindowsPath(shown)) return shown;
	const [first, ...rest] = shown.split("/");
	const named = folders.length > 1 ? folders.find(({ name }) => name === first) : undefined;
	return named ? [named.path, ...rest].join("/") : `${folders[0]?.path ?? ""}/${shown}`;
}

/** One line for an editor: `tab-1f3a editor "cart.ts", file "src/cart.ts"`. */
export function describeOpenEditor({ id, type, title, item, view }: OpenEditor): string {
	const content = item ? `, ${toSingleLine(item.type, 40)} ${quoteName(item.id, 300)}` : view ? `, view ${quoteName(view.name)}` : "";
	return `${toSingleLine(id, 80)} ${toSingleLine(type, 40)} ${quoteName(title)}${content}`;
}

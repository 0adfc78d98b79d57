// Filters open editors for the model: any that involves a protected file is omitted entirely.
import { isWindowsPath } from "./paths.ts";
import type { WorkspaceFolder } from "./ports/workspace.ts";
import { type OpenEditor, quoteName, toSingleLine } from "./prompt.ts";
import { isProtectedName, normalizeName } from "./protected/protectedNames.ts";

interface Looking {
	/** Whether an absolute path may be shown without approval. */
	visible(path: string): Promise<boolean>;
	folders(): readonly WorkspaceFolder[];
}

/** `left` counts the omitted editors. An editor whose path cannot be checked is omitted. */
export async function filterVisibleEditors(
	panels: readonly OpenEditor[],
	looking: Looking,
): Promise<{ shown: OpenEditor[]; left: number }> {
	const answers = await Promise.all(panels.map((panel) => isTellable(panel, looking).catch(() => false)));
	const shown = panels.filter((_, place) => answers[place]);
	return { shown, left: panels.length - shown.length };
}

async function isTellable({ title, item }: OpenEditor, { visible, folders }: Looking): Promise<boolean> {
	// Titles name files in various forms: ".env (Working Tree)".
	if (title.split(/[\s/\\:()↔]+/).some((word) => isProtectedName(normalizeName(word)))) return false;
	return item?.type !== "file" || visible(absoluteOf(item.id, folders()));
}

/** Resolves a path in the form that editors report it. */
function absoluteOf(shown: string, folders: readonly WorkspaceFolder[]): string {
	if (shown.startsWith("/") || isWindowsPath(shown)) return shown;
	const [first, ...rest] = shown.split("/");
	const named = folders.length > 1 ? folders.find(({ name }) => name === first) : undefined;
	return named ? [named.path, ...rest].join("/") : `${folders[0]?.path ?? ""}/${shown}`;
}

/** One line for an editor: `tab-1f3a editor "cart.ts", file "src/cart.ts"`. */
export function describeOpenEditor({ id, type, title, item, view }: OpenEditor): string {
	const inside = item ? `, ${toSingleLine(item.type, 40)} ${quoteName(item.id, 300)}` : view ? `, view ${quoteName(view.name)}` : "";
	return `${toSingleLine(id, 80)} ${toSingleLine(type, 40)} ${quoteName(title)}${inside}`;
}

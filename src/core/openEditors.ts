// Which of the open panels may be told to a model: those with a protected file in them are left out, whole.
import { isWindows } from "./paths.ts";
import type { WorkspaceFolder } from "./ports/workspace.ts";
import type { Panel } from "./prompt/parts.ts";
import { oneLine, quoted } from "./prompt/text.ts";
import { foldName, isProtectedReading } from "./protected/protectedNames.ts";

interface Looking {
	/** Whether an absolute path may be shown unasked. */
	visible(path: string): Promise<boolean>;
	folders(): readonly WorkspaceFolder[];
}

/** `left` counts those that are not told. A path that cannot be judged is not told. */
export async function tellablePanels(panels: readonly Panel[], looking: Looking): Promise<{ shown: Panel[]; left: number }> {
	const answers = await Promise.all(panels.map((panel) => isTellable(panel, looking).catch(() => false)));
	const shown = panels.filter((_, place) => answers[place]);
	return { shown, left: panels.length - shown.length };
}

async function isTellable({ title, item }: Panel, { visible, folders }: Looking): Promise<boolean> {
	// A title names files in ways of its own: ".env (Working Tree)".
	if (title.split(/[\s/\\:()↔]+/).some((word) => isProtectedReading(foldName(word)))) return false;
	return item?.type !== "file" || visible(absoluteOf(item.id, folders()));
}

/** Of a path as panels have it. */
function absoluteOf(shown: string, folders: readonly WorkspaceFolder[]): string {
	if (shown.startsWith("/") || isWindows(shown)) return shown;
	const [first, ...rest] = shown.split("/");
	const named = folders.length > 1 ? folders.find(({ name }) => name === first) : undefined;
	return named ? [named.path, ...rest].join("/") : `${folders[0]?.path ?? ""}/${shown}`;
}

/** A panel in a line: `tab-1f3a editor "cart.ts", file "src/cart.ts"`. */
export function panelLine({ id, type, title, item, view }: Panel): string {
	const inside = item ? `, ${oneLine(item.type, 40)} ${quoted(item.id, 300)}` : view ? `, view ${quoted(view.name)}` : "";
	return `${oneLine(id, 80)} ${oneLine(type, 40)} ${quoted(title)}${inside}`;
}

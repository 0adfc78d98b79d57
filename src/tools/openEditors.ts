// The panels_list and panels_selected tools: the open editors, and the active one.
import * as z from "zod";
import { filterVisibleEditors } from "../core/openEditors.ts";
import { defineTool, type Tool, type ToolContext } from "../core/ports/tool.ts";
import { type OpenEditor, toSingleLine } from "../core/prompt.ts";
import { t } from "../shared/l10n.ts";

/** Maximum number of editors in one answer. */
const MOST = 100;

const input = z.object({ includeContext: z.boolean().optional().describe("With file or view and selection") });

export function panelTools(panels: () => readonly OpenEditor[]): Tool[] {
	const shared = { plugin: "panels", permissions: ["ReadFiles"], capabilities: ["panels.read"], input } as const;
	return [
		defineTool<z.infer<typeof input>>({
			...shared,
			name: "panels_list",
			description: "What is open in the editor.",
			summary: () => t("List open editors"),
			done: () => t("Listed open editors"),
			async run({ includeContext = false }, context) {
				const { shown, left } = await filterEditors(panels(), context);
				const listed = shown.slice(0, MOST).map((panel) => describePanel(panel, includeContext));
				const more = shown.length - listed.length;
				return {
					output: JSON.stringify({ panels: listed, ...(more > 0 && { more }), ...(left > 0 && { protected_left_out: left }) }),
					view: { kind: "text", figure: String(shown.length) },
				};
			},
		}),
		defineTool<z.infer<typeof input>>({
			...shared,
			name: "panels_selected",
			description: "What the person looks at in the editor.",
			summary: () => t("View the active editor"),
			done: () => t("Viewed the active editor"),
			async run({ includeContext = false }, context) {
				const activePanels = panels().filter(({ active }) => active);
				const { shown, left } = await filterEditors(activePanels, context);
				const [panel] = shown;
				return {
					output: JSON.stringify({
						panel: panel ? describePanel(panel, includeContext) : null,
						...(left > 0 && { protected_left_out: left }),
					}),
				};
			},
		}),
	];
}

function filterEditors(panels: readonly OpenEditor[], { visible, workspace }: ToolContext) {
	return filterVisibleEditors(panels, { visible, folders: () => workspace.folders() });
}

function describePanel(
	{ id, type, title, active, visible, item, lines, selected, view }: OpenEditor,
	whole: boolean,
): Record<string, unknown> {
	const basic = { id: toSingleLine(id), type: toSingleLine(type), title: toSingleLine(title), active, visible };
	if (!whole) return basic;
	return {
		...basic,
		...(item && { item: { type: toSingleLine(item.type), id: toSingleLine(item.id, 1_024), name: toSingleLine(item.name) } }),
		...(view && { view: { name: toSingleLine(view.name), query: toSingleLine(view.query, 500) } }),
		...(lines && { lines: `${lines[0]}-${lines[1]}` }),
		...(selected && { selected: selected.slice(0, MOST).map((one) => toSingleLine(one)) }),
	};
}

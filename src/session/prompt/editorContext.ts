// Builds a message's context line from the active editor; kept in the transcript, never shown.
import { filterVisibleEditors } from "../../core/openEditors.ts";
import { escapeAttribute, type OpenEditor } from "../../core/prompt.ts";
import type { EditorContextChip, IntentOf, Update } from "../../shared/protocol/chat.ts";
import type { Services } from "../services.ts";

/** Maximum characters of an id. Longer ids are omitted because a truncated id would be wrong. */
const LONGEST_ID = 1_024;
/** Maximum characters of attributes that may be longer than usual: ids, and complete view queries. */
const LONG: Readonly<Record<string, number>> = { id: LONGEST_ID, selection: LONGEST_ID, "view-query": 500 };

/** Undefined if disabled, if no editor is active, or if the active editor is protected. Never rejects. */
export async function createContextLine(services: Services): Promise<string | undefined> {
	const { context } = services.parts;
	const mode = context.mode();
	const panel = await findActivePanel(services).catch(() => undefined);
	return panel && context.on() ? formatContextLine(panel, mode) : undefined;
}

/** Open editors that the model may be told about; none while the user has disabled editor context. */
export async function listVisibleEditors(services: Services): Promise<readonly OpenEditor[]> {
	const { parts } = services;
	return parts.context.on() ? (await filterVisible(services, parts.panels())).shown : [];
}

export function formatContextLine({ id, type, title, item, view, lines, selected }: OpenEditor, mode?: string): string {
	const itemAttributes = item && item.id.length <= LONGEST_ID ? { type: item.type, id: item.id, name: item.name } : {};
	const within = view ? { "view-name": view.name, "view-query": view.query } : itemAttributes;
	const attributes: Record<string, string | undefined> = {
		"panel-id": id,
		"panel-type": type,
		"panel-title": title,
		...within,
		selection: selected ? joinIds(selected) : lines && `${lines[0]}-${lines[1]}`,
		mode,
	};
	const written = Object.entries(attributes).map(([name, value]) =>
		value === undefined ? "" : ` ${name}="${escapeAttribute(value, LONG[name])}"`,
	);
	return `<context${written.join("")} />`;
}

/** Joins as many complete ids as fit. */
function joinIds(ids: readonly string[]): string {
	return ids.reduce((line, id) => (line.length + id.length < LONGEST_ID ? `${line}${line && ","}${id}` : line), "");
}

/** The context as the composer shows it; undefined if there is none, whether enabled or not. */
export async function createContextChip(services: Services): Promise<EditorContextChip | undefined> {
	const panel = await findActivePanel(services).catch(() => undefined);
	if (!panel) return undefined;
	const { item, view, title, lines } = panel;
	const name = view?.name ?? item?.name ?? title;
	return { on: services.parts.context.on(), name, place: item?.id ?? name, ...(lines && { lines }) };
}

interface ContextActs {
	acts: { panelContext(intent: IntentOf<"panelContext">): Promise<void> };
	dispose(): void;
}

/** Keeps a page's context chip up to date and handles the user's click on it. */
export function createContextActions(services: Services, post: (update: Update) => void): ContextActs {
	const { context } = services.parts;
	let shown: string | undefined;
	let last = 0;
	const update = async (): Promise<void> => {
		last += 1;
		const request = last;
		const panel = await createContextChip(services);
		const now = JSON.stringify(panel ?? "");
		// A later request may have finished first.
		if (request !== last || now === shown) return;
		shown = now;
		post({ type: "panel", ...(panel && { panel }) });
	};
	const listening = context.onChange(() => void update());
	return { acts: { panelContext: ({ on }) => context.turn(on) }, dispose: () => listening.dispose() };
}

async function findActivePanel(services: Services): Promise<OpenEditor | undefined> {
	const panel = services.parts.panels().find(({ active }) => active);
	return panel && (await filterVisible(services, [panel])).shown[0];
}

function filterVisible({ window: { gate, workspace } }: Services, panels: readonly OpenEditor[]) {
	return filterVisibleEditors(panels, { visible: (path) => gate.visible(path), folders: () => workspace.folders() });
}

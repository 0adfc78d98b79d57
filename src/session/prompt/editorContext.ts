// Builds a message's context line from the active editor; kept in the transcript, never shown.
import { filterVisibleEditors } from "../../core/openEditors.ts";
import { escapeAttribute, type OpenEditor } from "../../core/prompt.ts";
import type { EditorContextChip, Intent, Update } from "../../shared/protocol/chat.ts";
import type { Services } from "../context.ts";

/** Characters of an id: one that is longer would be wrong when cut, so it is left out. */
const LONGEST_ID = 1_024;
/** Characters of what is not cut at the usual length: ids, and queries as long as a view can have them. */
const LONG: Readonly<Record<string, number>> = { id: LONGEST_ID, selection: LONGEST_ID, "view-query": 500 };

/** Undefined where it is switched off, nothing is in front, or what is in front is protected. Never rejects. */
export async function createContextLine(services: Services): Promise<string | undefined> {
	const { context } = services.parts;
	const mode = context.mode();
	const panel = await panelInFront(services).catch(() => undefined);
	return panel && context.on() ? formatContextLine(panel, mode) : undefined;
}

/** Panels that may be told, none while the person's switch is off. */
export async function listVisibleEditors(services: Services): Promise<readonly OpenEditor[]> {
	const { parts } = services;
	return parts.context.on() ? (await tellable(services, parts.panels())).shown : [];
}

export function formatContextLine({ id, type, title, item, view, lines, selected }: OpenEditor, mode?: string): string {
	const named = item && item.id.length <= LONGEST_ID ? { type: item.type, id: item.id, name: item.name } : {};
	const within = view ? { "view-name": view.name, "view-query": view.query } : named;
	const attributes: Record<string, string | undefined> = {
		"panel-id": id,
		"panel-type": type,
		"panel-title": title,
		...within,
		selection: selected ? idsIn(selected) : lines && `${lines[0]}-${lines[1]}`,
		mode,
	};
	const written = Object.entries(attributes).map(([name, value]) =>
		value === undefined ? "" : ` ${name}="${escapeAttribute(value, LONG[name])}"`,
	);
	return `<context${written.join("")} />`;
}

/** As many as fit, none of them cut. */
function idsIn(ids: readonly string[]): string {
	return ids.reduce((line, id) => (line.length + id.length < LONGEST_ID ? `${line}${line && ","}${id}` : line), "");
}

/** What the composer shows of it; undefined where nothing would be told, whatever the switch says. */
export async function createContextChip(services: Services): Promise<EditorContextChip | undefined> {
	const panel = await panelInFront(services).catch(() => undefined);
	if (!panel) return undefined;
	const { item, view, title, lines } = panel;
	const name = view?.name ?? item?.name ?? title;
	return { on: services.parts.context.on(), name, place: item?.id ?? name, ...(lines && { lines }) };
}

interface ContextActs {
	acts: { panelContext(intent: Extract<Intent, { type: "panelContext" }>): Promise<void> };
	dispose(): void;
}

/** Keeps a page's chip as it is, and takes the person's click on it. */
export function createContextActions(services: Services, post: (update: Update) => void): ContextActs {
	const { context } = services.parts;
	let shown: string | undefined;
	let last = 0;
	const tell = async (): Promise<void> => {
		last += 1;
		const asked = last;
		const panel = await createContextChip(services);
		const now = JSON.stringify(panel ?? "");
		// What was asked for later may be known before.
		if (asked !== last || now === shown) return;
		shown = now;
		post({ type: "panel", ...(panel && { panel }) });
	};
	const listening = context.onChange(() => void tell());
	return { acts: { panelContext: ({ on }) => context.turn(on) }, dispose: () => listening.dispose() };
}

async function panelInFront(services: Services): Promise<OpenEditor | undefined> {
	const panel = services.parts.panels().find(({ active }) => active);
	return panel && (await tellable(services, [panel])).shown[0];
}

function tellable({ gate, workspace }: Services, panels: readonly OpenEditor[]) {
	return filterVisibleEditors(panels, { visible: (path) => gate.visible(path), folders: () => workspace.folders() });
}

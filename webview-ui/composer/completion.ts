// State of the completion list for @ mentions and slash commands: items, selection and inserted text.
import { computed, signal } from "@preact/signals";
import type { MentionSuggestion } from "../../src/core/ports/workspace.ts";
import { t } from "../../src/shared/l10n.ts";
import { postSessionIntent } from "../host.ts";
import { chatStatus } from "../state.ts";
import { type CompletionTrigger, findTrigger } from "./completionTrigger.ts";

export interface CompletionItem {
	icon: string;
	label: string;
	detail: string;
	/** `detail` says where it is. */
	detailIsPath: boolean;
	insert: string;
	group: string;
	matchIndices: readonly number[];
	/** Choosing it goes on with the list. */
	continues: boolean;
	/** Choosing it with Enter is enough: nothing can follow. */
	acceptsOnEnter: boolean;
}

/** Where the list stands open. */
export const activeTrigger = signal<CompletionTrigger | undefined>(undefined);
export const activeIndex = signal(0);
const offered = signal<readonly MentionSuggestion[]>([]);

export const completionItems = computed<CompletionItem[]>(() => {
	const at = activeTrigger.value;
	if (!at) return [];
	return at.kind === "slash" ? slashChoices(at.query) : offered.value.map(mentionChoice);
});

/** Milliseconds of quiet before the host is asked. */
const QUIET = 40;
let timer: ReturnType<typeof setTimeout> | undefined;
let ask = 0;
/** The answer that shows; older ones that come late are dropped. */
let shown = 0;
/** Closed by hand: it stays so for that word. */
let dismissed: number | undefined;

/** To be called whenever the text or the cursor has changed. */
export function updateCompletion(text: string, cursor: number): void {
	const at = findTrigger(text, cursor);
	if (at?.from !== dismissed) dismissed = undefined;
	if (!at || dismissed !== undefined) {
		shut();
		return;
	}
	const before = activeTrigger.value;
	if (before && before.kind === at.kind && before.from === at.from && before.query === at.query) {
		activeTrigger.value = at;
		return;
	}
	if (before?.kind !== at.kind || before.from !== at.from) offered.value = [];
	activeTrigger.value = at;
	activeIndex.value = 0;
	if (at.kind === "slash") return;
	clearTimeout(timer);
	const number = ++ask;
	timer = setTimeout(() => postSessionIntent("suggest", { ask: number, query: at.query }), QUIET);
}

export function closeCompletion(byHand = false): void {
	dismissed = byHand ? activeTrigger.value?.from : undefined;
	shut();
}

function shut(): void {
	clearTimeout(timer);
	// An answer that is on its way is for nobody.
	ask += 1;
	if (activeTrigger.value) activeTrigger.value = undefined;
	if (offered.value.length > 0) offered.value = [];
}

export function setSuggestions(number: number, items: readonly MentionSuggestion[]): void {
	if (number !== ask || activeTrigger.value?.kind !== "mention") return;
	// Symbols come later and stand below: what is marked stays.
	if (shown !== number) activeIndex.value = 0;
	shown = number;
	offered.value = items;
}

export function moveActive(by: number): void {
	const count = completionItems.value.length;
	if (count > 0) activeIndex.value = (activeIndex.value + by + count) % count;
}

/** What is marked, unless it is of an earlier word and no longer fits. */
export function activeItem(): CompletionItem | undefined {
	const choice = completionItems.value[activeIndex.value];
	const at = activeTrigger.value;
	if (!choice || !at || at.kind === "slash" || shown === ask) return choice;
	return choice.insert.toLowerCase().includes(at.query.toLowerCase()) ? choice : undefined;
}

const KINDS: Record<MentionSuggestion["kind"], { icon: string; group: () => string; place?: true }> = {
	selection: { icon: "list-selection", group: () => t("Editor") },
	problems: { icon: "warning", group: () => t("Editor") },
	terminal: { icon: "terminal", group: () => t("Editor") },
	changes: { icon: "diff", group: () => t("Editor") },
	url: { icon: "globe", group: () => t("Editor") },
	file: { icon: "file", group: () => t("Files"), place: true },
	folder: { icon: "folder", group: () => t("Folders"), place: true },
	symbol: { icon: "symbol-method", group: () => t("Symbols"), place: true },
};

export function suggestionIcon(kind: MentionSuggestion["kind"]): string {
	return KINDS[kind].icon;
}

function mentionChoice({ kind, label, detail, insert, marks = [], more = false }: MentionSuggestion): CompletionItem {
	const { icon, group, place = false } = KINDS[kind];
	return { icon, group: group(), label, detail, detailIsPath: place, insert, matchIndices: marks, continues: more, acceptsOnEnter: false };
}

function slashChoices(query: string): CompletionItem[] {
	const wanted = query.toLowerCase();
	return (chatStatus.value?.slash ?? [])
		.filter(({ name }) => name.toLowerCase().startsWith(wanted))
		.map(({ name, description, argument }) => ({
			icon: "",
			group: t("Commands"),
			label: `/${name}`,
			detail: description,
			detailIsPath: false,
			insert: `/${name}`,
			matchIndices: Array.from({ length: wanted.length + 1 }, (_, index) => index),
			continues: false,
			acceptsOnEnter: argument === undefined,
		}));
}

/** What choosing it writes: a folder's name stays open for what is in it. */
export function insertionText({ insert, continues: more }: CompletionItem): string {
	if (!more) return `${insert} `;
	if (insert.endsWith("://")) return insert;
	return insert.endsWith('"') ? `${insert.slice(0, -1)}/` : `${insert}/`;
}

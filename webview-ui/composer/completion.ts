// State of the completion list for @ mentions and slash commands: items, selection and inserted text.
import { computed, signal } from "@preact/signals";
import type { Attachment } from "../../src/core/events.ts";
import { t } from "../../src/shared/l10n.ts";
import type { MentionSuggestion } from "../../src/shared/protocol/chat.ts";
import { postSessionIntent } from "../host.ts";
import { chatStatus } from "../state.ts";
import { type CompletionTrigger, findTrigger } from "./completionTrigger.ts";

export interface CompletionItem {
	icon: string;
	label: string;
	detail: string;
	/** `detail` is a path. */
	detailIsPath: boolean;
	insert: string;
	group: string;
	matchIndices: readonly number[];
	/** Accepting it keeps the list open. */
	continues: boolean;
	/** Accepting it with Enter also sends, since no argument can follow. */
	acceptsOnEnter: boolean;
}

/** Trigger of the open list. */
export const activeTrigger = signal<CompletionTrigger | undefined>(undefined);
export const activeIndex = signal(0);
const suggestions = signal<readonly MentionSuggestion[]>([]);

export const completionItems = computed<CompletionItem[]>(() => {
	const at = activeTrigger.value;
	if (!at) return [];
	return at.kind === "slash" ? slashChoices(at.query) : suggestions.value.map(mentionChoice);
});

/** Milliseconds without typing before the host is asked. */
const REQUEST_DELAY = 40;
let timer: ReturnType<typeof setTimeout> | undefined;
let lastRequest = 0;
/** Number of the shown answer; older answers are dropped. */
let shownAnswer = 0;
/** Start of a trigger the user dismissed; the list stays closed for it. */
let dismissed: number | undefined;

/** Call whenever the text or the cursor changes. */
export function updateCompletion(text: string, cursor: number): void {
	const at = findTrigger(text, cursor);
	if (at?.from !== dismissed) dismissed = undefined;
	if (!at || dismissed !== undefined) {
		hide();
		return;
	}
	const before = activeTrigger.value;
	if (before && before.kind === at.kind && before.from === at.from && before.query === at.query) {
		activeTrigger.value = at;
		return;
	}
	if (before?.kind !== at.kind || before.from !== at.from) suggestions.value = [];
	activeTrigger.value = at;
	activeIndex.value = 0;
	if (at.kind === "slash") return;
	clearTimeout(timer);
	const number = ++lastRequest;
	timer = setTimeout(() => postSessionIntent("suggest", { ask: number, query: at.query }), REQUEST_DELAY);
}

export function closeCompletion(byHand = false): void {
	dismissed = byHand ? activeTrigger.value?.from : undefined;
	hide();
}

function hide(): void {
	clearTimeout(timer);
	// Invalidates pending answers.
	lastRequest += 1;
	if (activeTrigger.value) activeTrigger.value = undefined;
	if (suggestions.value.length > 0) suggestions.value = [];
}

export function setSuggestions(number: number, items: readonly MentionSuggestion[]): void {
	if (number !== lastRequest || activeTrigger.value?.kind !== "mention") return;
	// Symbols arrive later and are listed below, so the active item stays.
	if (shownAnswer !== number) activeIndex.value = 0;
	shownAnswer = number;
	suggestions.value = items;
}

export function moveActive(by: number): void {
	const count = completionItems.value.length;
	if (count > 0) activeIndex.value = (activeIndex.value + by + count) % count;
}

/** The active item, unless it belongs to an earlier query and no longer matches. */
export function activeItem(): CompletionItem | undefined {
	const choice = completionItems.value[activeIndex.value];
	const at = activeTrigger.value;
	if (!choice || !at || at.kind === "slash" || shownAnswer === lastRequest) return choice;
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

export function attachmentIcon(kind: Attachment["kind"]): string {
	return kind === "conversation" ? "comment-discussion" : KINDS[kind].icon;
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

/** Text to insert; a folder ends with a slash so that its content can follow. */
export function insertionText({ insert, continues: more }: CompletionItem): string {
	if (!more) return `${insert} `;
	if (insert.endsWith("://")) return insert;
	return insert.endsWith('"') ? `${insert.slice(0, -1)}/` : `${insert}/`;
}

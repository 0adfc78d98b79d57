// Page state that persists over a reload: drafts, expanded sections and scroll positions.
import { effect } from "@preact/signals";
import { readPersistedState, writePersistedState } from "./host.ts";
import { sessionId } from "./state.ts";

/** An image of a draft. */
export interface DraftImage {
	/** The page's own key. */
	key: string;
	name: string;
	/** Thumbnail as a data URL. */
	thumb: string;
	/** Blob hash of the image, once the host has stored it. */
	blob?: string;
}

interface Draft {
	text: string;
	pictures: DraftImage[];
	/** Both ends of the selection. */
	cursor?: [number, number];
}

interface Kept {
	/** Drafts by session; older pages stored only the text. */
	drafts: Record<string, Draft | string>;
	/** Expanded state by key, as set by the user. */
	open: Record<string, boolean>;
	/** Pixels from the end, by session; absent while following the newest message. */
	scroll: Record<string, number>;
	/** Text typed into a pending card, by request. */
	cardTexts?: Record<string, string>;
	/** The shown session; an editor tab is restored with it. */
	session?: string | undefined;
}

const state: Kept = { drafts: {}, open: {}, scroll: {}, ...(readPersistedState() as Partial<Kept> | undefined) };
let timer: ReturnType<typeof setTimeout> | undefined;

effect(() => {
	if (sessionId.value === undefined || sessionId.value === state.session) return;
	state.session = sessionId.value;
	flushPersistedState();
});

export function draft(): Draft {
	const found = state.drafts[sessionId.value ?? ""] ?? "";
	return typeof found === "string" ? { text: found, pictures: [] } : found;
}

/** Text typed before a session was loaded was moved to that session. */
export function clearSessionlessDraft(): void {
	setEntry(state.drafts, "", undefined);
}

export function updateDraft(change: Partial<Draft>): void {
	const now = { ...draft(), ...change };
	setEntry(state.drafts, sessionId.value ?? "", now.text === "" && now.pictures.length === 0 ? undefined : now);
	// The page may be unloaded at any moment.
	if (now.text.length < LONG_DRAFT) flushPersistedState();
}

/** Returns undefined if the user never toggled it. */
export function savedExpansion(key: string): boolean | undefined {
	return state.open[key];
}

export function saveExpansion(key: string, open: boolean): void {
	setEntry(state.open, key, open);
}

export function savedCardText(request: string): string | undefined {
	return state.cardTexts?.[request];
}

export function saveCardText(request: string, text: string): void {
	state.cardTexts ??= {};
	setEntry(state.cardTexts, request, text);
}

export function savedScrollOffset(): number | undefined {
	return state.scroll[sessionId.value ?? ""];
}

export function saveScrollOffset(top: number | undefined): void {
	setEntry(state.scroll, sessionId.value ?? "", top);
}

/** Removes the state of a deleted session. */
export function discardSessionState(session: string): void {
	delete state.drafts[session];
	delete state.scroll[session];
	flushPersistedState();
}

export function flushPersistedState(): void {
	clearTimeout(timer);
	timer = undefined;
	writePersistedState(state);
}

/** Characters from which a draft is not saved on every key. */
const LONG_DRAFT = 20_000;

/** Maximum entries per kind; the oldest are removed. */
const MAX_ENTRIES = 500;

function setEntry<T>(entries: Record<string, T>, key: string, value: T | undefined): void {
	delete entries[key];
	if (value !== undefined) entries[key] = value;
	for (const old of Object.keys(entries).slice(0, -MAX_ENTRIES)) delete entries[old];
	timer ??= setTimeout(flushPersistedState, 300);
}

// Page state that persists over a reload: drafts, expanded sections and scroll positions.
import { effect } from "@preact/signals";
import { readPersistedState, writePersistedState } from "./host.ts";
import { sessionId } from "./state.ts";

/** A picture of a message that is being written. */
export interface DraftImage {
	/** The page's name for it. */
	key: string;
	name: string;
	/** A small one, as a data URL. */
	thumb: string;
	/** Set once the host has it: it outlives the page. */
	blob?: string;
}

interface Draft {
	text: string;
	pictures: DraftImage[];
	/** Where the cursor stood: both ends of the selection. */
	cursor?: [number, number];
}

interface Kept {
	/** By session; older pages kept the text alone. */
	drafts: Record<string, Draft | string>;
	/** By item key: opened or closed by hand. */
	open: Record<string, boolean>;
	/** Pixels from the top, by session; absent while it follows the newest message. */
	scroll: Record<string, number>;
	/** The session that shows: an editor tab is restored with it. */
	session?: string | undefined;
}

const kept: Kept = { drafts: {}, open: {}, scroll: {}, ...(readPersistedState() as Partial<Kept> | undefined) };
let timer: ReturnType<typeof setTimeout> | undefined;

effect(() => {
	if (sessionId.value === undefined || sessionId.value === kept.session) return;
	kept.session = sessionId.value;
	flushPersistedState();
});

export function draft(): Draft {
	const found = kept.drafts[sessionId.value ?? ""] ?? "";
	return typeof found === "string" ? { text: found, pictures: [] } : found;
}

/** What was typed before a session was there belongs to the one that came. */
export function clearSessionlessDraft(): void {
	put(kept.drafts, "", undefined);
}

export function updateDraft(change: Partial<Draft>): void {
	const now = { ...draft(), ...change };
	put(kept.drafts, sessionId.value ?? "", now.text === "" && now.pictures.length === 0 ? undefined : now);
	// The page may go any moment, and what is kept later is lost with it.
	if (now.text.length < LONG) flushPersistedState();
}

/** Undefined where the person left it as it comes. */
export function savedExpansion(key: string): boolean | undefined {
	return kept.open[key];
}

export function saveExpansion(key: string, open: boolean): void {
	put(kept.open, key, open);
}

export function savedScrollOffset(): number | undefined {
	return kept.scroll[sessionId.value ?? ""];
}

export function saveScrollOffset(top: number | undefined): void {
	put(kept.scroll, sessionId.value ?? "", top);
}

/** Of a session that is deleted nothing stays. */
export function discardSessionState(session: string): void {
	delete kept.drafts[session];
	delete kept.scroll[session];
	flushPersistedState();
}

export function flushPersistedState(): void {
	clearTimeout(timer);
	timer = undefined;
	writePersistedState(kept);
}

/** Characters from which on a draft is not kept at every key. */
const LONG = 20_000;

/** Entries kept a kind; the oldest go. */
const MOST = 500;

function put<T>(entries: Record<string, T>, key: string, value: T | undefined): void {
	delete entries[key];
	if (value !== undefined) entries[key] = value;
	for (const old of Object.keys(entries).slice(0, -MOST)) delete entries[old];
	timer ??= setTimeout(flushPersistedState, 300);
}

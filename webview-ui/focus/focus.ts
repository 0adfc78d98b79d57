// Moves the focus for the host and for commands, and inserts text into the composer.
import { signal } from "@preact/signals";
import type { BlobRef } from "../../src/core/events.ts";
import { t } from "../../src/shared/l10n.ts";
import type { FocusTarget } from "../../src/shared/protocol/chat.ts";
import { expand } from "../components/useExpanded.ts";
import { sessionId } from "../state.ts";

/** Overrides the composer's placeholder. */
export const composerPlaceholder = signal<string | undefined>(undefined);
/** Text for the composer; a new object each time, so that equal texts count. */
export const composeRequest = signal<{ text: string; back?: { pictures: BlobRef[] } } | undefined>(undefined);

export function focusComposer(): void {
	document.querySelector<HTMLTextAreaElement>("#message")?.focus();
}

/** The user wants a different plan and describes the change in the composer. */
export function focusPlanRevision(): void {
	composerPlaceholder.value = t("What should change in the plan?");
	focusComposer();
}

/** Inserts at the cursor; `back` marks a whole message. */
export function composeText(text: string, back?: { pictures: BlobRef[] }): void {
	composeRequest.value = { text, ...(back && { back }) };
	moveFocus("composer");
}

/** Milliseconds the editor may take to give the page the focus. */
const FOCUS_TIMEOUT = 2_000;
let pendingFocus: AbortController | undefined;

/** Moves the focus for the host, unless something else, such as the Command Palette, has it. */
export function moveFocus(where: FocusTarget): void {
	const move = (): void => void moves[where]();
	pendingFocus?.abort();
	if (document.hasFocus()) {
		move();
		return;
	}
	pendingFocus = new AbortController();
	const signal = AbortSignal.any([pendingFocus.signal, AbortSignal.timeout(FOCUS_TIMEOUT)]);
	window.addEventListener("focus", move, { once: true, signal });
}

/** Focuses the next pending card, never a button in it, so that nothing is answered by accident. Returns false if none is pending. */
export function focusNextPendingCard(kind?: "approval"): boolean {
	const waiting = [...document.querySelectorAll<HTMLElement>(kind ? `[data-pending=${kind}]` : "[data-pending]")];
	const approvals = waiting.filter((card) => card.dataset["pending"] === "approval");
	const cards = approvals.length > 0 ? approvals : waiting;
	const at = cards.findIndex((card) => card.contains(document.activeElement));
	const next = cards[(at + 1) % cards.length];
	if (!next) return false;
	revealElement(next, "nearest");
	next.focus({ preventScroll: true });
	return true;
}

/** The panel that lists what the shown task has changed in its copy. */
export function taskChangesKey(task: string): string {
	return `taskChanges:${task}`;
}

/** The panel is to get the focus once it is there. */
let isPanelAwaited = false;

function focusTaskChanges(): void {
	expand(taskChangesKey(sessionId.peek() ?? ""));
	isPanelAwaited = true;
	focusAwaitedPanel();
}

/** Call when the panel was rendered. */
export function focusAwaitedPanel(): void {
	const panel = isPanelAwaited ? document.querySelector<HTMLElement>(".task-panel") : null;
	if (!panel) return;
	isPanelAwaited = false;
	panel.querySelector<HTMLElement>("button")?.focus();
}

const moves: Readonly<Record<FocusTarget, () => unknown>> = {
	composer: focusComposer,
	approval: () => focusNextPendingCard(),
	changes: focusTaskChanges,
};

export function revealElement(element: HTMLElement, block: "start" | "nearest"): void {
	element.scrollIntoView({ block });
	// The browser's event comes a frame later; until then, rendering would scroll back to the end.
	element.closest(".scroller")?.dispatchEvent(new Event("scroll"));
}

// Moves the focus for the host and for commands, and inserts text into the composer.
import { signal } from "@preact/signals";
import type { BlobRef } from "../../src/core/events.ts";
import { t } from "../../src/shared/l10n.ts";

/** What the composer asks for instead of its usual placeholder. */
export const composerPlaceholder = signal<string | undefined>(undefined);
/** Words for the composer; a new object each time, so that the same words count twice. */
export const composeRequest = signal<{ text: string; back?: { pictures: BlobRef[] } } | undefined>(undefined);

export function focusComposer(): void {
	document.querySelector<HTMLTextAreaElement>("#message")?.focus();
}

/** The person wants another plan: what is wrong with this one goes into the composer. */
export function focusPlanRevision(): void {
	composerPlaceholder.value = t("What should change in the plan?");
	focusComposer();
}

/** At the cursor; what comes `back` is a whole message. */
export function composeText(text: string, back?: { pictures: BlobRef[] }): void {
	composeRequest.value = { text, ...(back && { back }) };
	moveFocus("composer");
}

/** Milliseconds in which the editor gives the page the focus that goes with what the host asked for. */
const SOON = 2_000;
let awaited: AbortController | undefined;

/** For the host: whoever got the focus meanwhile, such as the command palette, keeps it. */
export function moveFocus(where: "composer" | "approval"): void {
	const move = (): void => void (where === "approval" ? focusNextPendingCard() : focusComposer());
	awaited?.abort();
	if (document.hasFocus()) {
		move();
		return;
	}
	awaited = new AbortController();
	const signal = AbortSignal.any([awaited.signal, AbortSignal.timeout(SOON)]);
	window.addEventListener("focus", move, { once: true, signal });
}

/** The card gets the focus, never a button in it: nothing may be answered by accident. From a card that has it, to the next. False where none waits. */
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

export function revealElement(element: HTMLElement, block: "start" | "nearest"): void {
	element.scrollIntoView({ block });
	// The browser tells of it a frame later; what is drawn until then would lead back to the end.
	element.closest(".scroller")?.dispatchEvent(new Event("scroll"));
}

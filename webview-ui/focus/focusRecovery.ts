// Restores the focus when its element is removed or the page gets the focus without a target.
import { takeEarlyFocus } from "../composer/earlyInput.ts";
import { afterRender } from "../frameScheduler.ts";
import { focusComposer, focusNextPendingCard } from "./focus.ts";

/** Milliseconds for a click or Tab that moves the focus into or out of the page to take effect. */
const SETTLE_DELAY = 50;

export function installFocusRecovery(root: Element): void {
	let last: Element | undefined;
	let pressed = Number.NEGATIVE_INFINITY;
	document.addEventListener("focusin", ({ target }) => {
		last = target instanceof Element ? target : undefined;
	});
	// A click on empty space intentionally removes the focus: to scroll or select text.
	document.addEventListener("focusout", () =>
		queueMicrotask(() => {
			if (last && hasNoTarget() && isFocusable(last)) last = undefined;
		}),
	);
	const notePress = (press: PointerEvent | KeyboardEvent) => {
		if (!(press instanceof KeyboardEvent) || press.key === "Tab") pressed = press.timeStamp;
	};
	document.addEventListener("pointerdown", notePress, { capture: true });
	document.addEventListener("keydown", notePress, { capture: true });
	const settle = () => {
		if (document.hasFocus() && (takeEarlyFocus() || hasNoTarget()) && performance.now() - pressed > 4 * SETTLE_DELAY)
			focusNextPendingCard("approval") || focusComposer();
	};
	const arrive = () => setTimeout(() => afterRender(settle), SETTLE_DELAY);
	window.addEventListener("focus", arrive);
	arrive();
	new MutationObserver(() => {
		if (!last || isFocusable(last)) return;
		last = undefined;
		if (document.hasFocus() && hasNoTarget()) focusNextPendingCard() || focusComposer();
	}).observe(root, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled"] });
}

function hasNoTarget(): boolean {
	return document.activeElement === null || document.activeElement === document.body;
}

function isFocusable(element: Element): boolean {
	return element.isConnected && !element.matches(":disabled");
}

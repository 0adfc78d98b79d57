// Moves the focus when its element is gone, or when the page gets focus without a target.
import { takeEarlyFocus } from "../composer/earlyInput.ts";
import { afterRender } from "../frameScheduler.ts";
import { focusComposer, focusNextPendingCard } from "./focus.ts";

/** Milliseconds after which a press or a Tab that brought the page its focus, or takes it away, has found a place for it. */
const ARRIVING = 50;

export function installFocusRecovery(root: Element): void {
	let last: Element | undefined;
	let pressed = Number.NEGATIVE_INFINITY;
	document.addEventListener("focusin", ({ target }) => {
		last = target instanceof Element ? target : undefined;
	});
	// Who clicks beside everything wants the focus nowhere: to scroll, or to select text.
	document.addEventListener("focusout", () =>
		queueMicrotask(() => {
			if (last && nowhere() && takesFocus(last)) last = undefined;
		}),
	);
	const notePress = (press: PointerEvent | KeyboardEvent) => {
		if (!(press instanceof KeyboardEvent) || press.key === "Tab") pressed = press.timeStamp;
	};
	document.addEventListener("pointerdown", notePress, { capture: true });
	document.addEventListener("keydown", notePress, { capture: true });
	const settle = () => {
		if (document.hasFocus() && (takeEarlyFocus() || nowhere()) && performance.now() - pressed > 4 * ARRIVING)
			focusNextPendingCard("approval") || focusComposer();
	};
	const arrive = () => setTimeout(() => afterRender(settle), ARRIVING);
	window.addEventListener("focus", arrive);
	arrive();
	new MutationObserver(() => {
		if (!last || takesFocus(last)) return;
		last = undefined;
		if (document.hasFocus() && nowhere()) focusNextPendingCard() || focusComposer();
	}).observe(root, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled"] });
}

function nowhere(): boolean {
	return document.activeElement === null || document.activeElement === document.body;
}

function takesFocus(element: Element): boolean {
	return element.isConnected && !element.matches(":disabled");
}

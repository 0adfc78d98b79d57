// What was done in the composer before the page's script was there.
import type { Early } from "../../src/shared/earlyComposer.ts";

function box(): (HTMLTextAreaElement & { early?: Early }) | null {
	return document.querySelector<HTMLTextAreaElement & { early?: Early }>("#message");
}

/** From here on the page itself hears of keys and focus. */
export function takeOver(): void {
	const { early } = box() ?? {};
	if (early) early.over = true;
}

/** Whether Enter was pressed; once. */
export function enteredEarly(): boolean {
	return take("entered");
}

/** Whether the composer got the focus for want of anything else, and holds nothing yet; once. */
export function arrivedEarly(): boolean {
	const composer = box();
	return take("arrived") && composer === document.activeElement && composer?.value === "";
}

function take(what: "entered" | "arrived"): boolean {
	const { early } = box() ?? {};
	const found = early?.[what] === true;
	if (early) early[what] = false;
	return found;
}

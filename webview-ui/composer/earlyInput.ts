// Takes over input made in the composer before the page's script was loaded.
import type { EarlyComposerState } from "../../src/shared/earlyComposer.ts";

function box(): (HTMLTextAreaElement & { early?: EarlyComposerState }) | null {
	return document.querySelector<HTMLTextAreaElement & { early?: EarlyComposerState }>("#message");
}

/** The way to the host, where it was needed before; once. */
export function hostTakenEarly(): unknown {
	const { early } = box() ?? {};
	const host = early?.host;
	delete early?.host;
	return host;
}

/** What belongs into the composer once a session has come: what was typed before, and the session's draft unless that is in it. */
export function withDraft(session: string, draft: string, composed: string): string {
	const { early } = box() ?? {};
	if (early?.session === session) return composed;
	const typed = early && composed.startsWith(early.draft) ? composed.slice(early.draft.length) : composed;
	return [draft, typed].filter(Boolean).join("\n");
}

/** From here on the page itself hears of keys and focus. */
export function endEarlyInput(): void {
	const { early } = box() ?? {};
	if (early) early.over = true;
}

/** Whether Enter was pressed; once. */
export function takeEarlyEnter(): boolean {
	return take("entered");
}

/** Whether the composer got the focus for want of anything else, and holds nothing yet; once. */
export function takeEarlyFocus(): boolean {
	const composer = box();
	return take("arrived") && composer === document.activeElement && composer?.value === "";
}

function take(what: "entered" | "arrived"): boolean {
	const { early } = box() ?? {};
	const found = early?.[what] === true;
	if (early) early[what] = false;
	return found;
}

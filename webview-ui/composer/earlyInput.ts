// Takes over input typed before the page's script was loaded.
import type { EarlyComposerState } from "../../src/shared/earlyComposer.ts";

function box(): (HTMLTextAreaElement & { early?: EarlyComposerState }) | null {
	return document.querySelector<HTMLTextAreaElement & { early?: EarlyComposerState }>("#message");
}

/** The host API, if the early script acquired it; returned once. */
export function hostTakenEarly(): unknown {
	const { early } = box() ?? {};
	const host = early?.host;
	delete early?.host;
	return host;
}

/** Combines early input with the session's draft, unless the input contains it already. */
export function withDraft(session: string, draft: string, composed: string): string {
	const { early } = box() ?? {};
	if (early?.session === session) return composed;
	const typed = early && composed.startsWith(early.draft) ? composed.slice(early.draft.length) : composed;
	return [draft, typed].filter(Boolean).join("\n");
}

/** From here on, the page handles keys and focus itself. */
export function endEarlyInput(): void {
	const { early } = box() ?? {};
	if (early) early.over = true;
}

/** Returns true if Enter was pressed early; only once. */
export function takeEarlyEnter(): boolean {
	return take("entered");
}

/** Returns true if the still empty composer got the focus by default; only once. */
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

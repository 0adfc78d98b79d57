// Shared by the cards: open or closed by hand.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { savedExpansion, saveExpansion } from "../persistedState.ts";

/** Bumped when something else than its own button opens something. */
const opened = signal(0);

/** Opens what has that key, wherever it is. */
export function expand(key: string): void {
	if (savedExpansion(key) === true) return;
	saveExpansion(key, true);
	opened.value += 1;
}

/** Open or closed; what the person chose outlives a reload. */
export function useExpanded(key: string, initially: boolean): [boolean, () => void] {
	const [, redraw] = useState(0);
	opened.value;
	const open = savedExpansion(key) ?? initially;
	const toggle = () => {
		saveExpansion(key, !open);
		redraw((count) => count + 1);
	};
	return [open, toggle];
}

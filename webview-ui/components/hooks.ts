// Shared by the cards: open or closed by hand.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { keepOpened, wasOpened } from "../persistedState.ts";

/** Bumped when something else than its own button opens something. */
const opened = signal(0);

/** Opens what has that key, wherever it is. */
export function openFor(key: string): void {
	if (wasOpened(key) === true) return;
	keepOpened(key, true);
	opened.value += 1;
}

/** Open or closed; what the person chose outlives a reload. */
export function useOpen(key: string, initially: boolean): [boolean, () => void] {
	const [, redraw] = useState(0);
	opened.value;
	const open = wasOpened(key) ?? initially;
	const toggle = () => {
		keepOpened(key, !open);
		redraw((count) => count + 1);
	};
	return [open, toggle];
}

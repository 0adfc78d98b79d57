// Expanded state of cards, as toggled by the user.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { savedExpansion, saveExpansion } from "../persistedState.ts";

/** Incremented when code expands a section. */
const expandCount = signal(0);

/** Expands the section with that key. */
export function expand(key: string): void {
	if (savedExpansion(key) === true) return;
	saveExpansion(key, true);
	expandCount.value += 1;
}

/** The expanded state and a toggle; the user's choice survives a reload. */
export function useExpanded(key: string, initially: boolean): [boolean, () => void] {
	const [, redraw] = useState(0);
	expandCount.value;
	const open = savedExpansion(key) ?? initially;
	const toggle = () => {
		saveExpansion(key, !open);
		redraw((count) => count + 1);
	};
	return [open, toggle];
}

// A hint below the composer, cleared by the next key and announced to screen readers.
import { signal } from "@preact/signals";
import { announcements } from "../focus/announce.ts";

export const composerHint = signal<string | undefined>(undefined);
let count = 0;

export function showHint(text: string): void {
	composerHint.value = text;
	count += 1;
	announcements.value = [...announcements.value, { id: `hint-${count}`, text }].slice(-4);
}

export function clearHint(): void {
	if (composerHint.value !== undefined) composerHint.value = undefined;
}

// Keeps the second key of chords such as Ctrl+K Shift+W from being typed into a field.

// The editor runs the chord.

const isMac = navigator.platform.startsWith("Mac");
/** Milliseconds the editor waits for the second key. */
const CHORD_TIMEOUT = 5_000;
const MODIFIERS: ReadonlySet<string> = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta"]);

export function suppressChordInput(): void {
	let chordStart = Number.NEGATIVE_INFINITY;
	const onKey = (key: KeyboardEvent) => {
		if (MODIFIERS.has(key.key)) return;
		const isSecondKey = key.timeStamp - chordStart < CHORD_TIMEOUT;
		chordStart = !isSecondKey && startsChord(key) ? key.timeStamp : Number.NEGATIVE_INFINITY;
		// Don't stop propagation: the editor handles keys that leave the page.
		if (isSecondKey) key.preventDefault();
	};
	document.addEventListener("keydown", onKey, { capture: true });
	document.addEventListener("pointerdown", () => (chordStart = Number.NEGATIVE_INFINITY), { capture: true });
	window.addEventListener("blur", () => (chordStart = Number.NEGATIVE_INFINITY));
}

function startsChord({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean {
	return key.toLowerCase() === "k" && (isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey) && !shiftKey && !altKey;
}

// Keeps the second key of chords such as Ctrl+K Shift+W from being typed into a field.

// The editor runs the chord.

const isMac = navigator.platform.startsWith("Mac");
/** Milliseconds for which the editor waits for the second stroke. */
const WAITS = 5_000;
const MODIFIERS: ReadonlySet<string> = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta"]);

export function suppressChordInput(): void {
	let begun = Number.NEGATIVE_INFINITY;
	const onKey = (key: KeyboardEvent) => {
		if (MODIFIERS.has(key.key)) return;
		const second = key.timeStamp - begun < WAITS;
		begun = !second && begins(key) ? key.timeStamp : Number.NEGATIVE_INFINITY;
		// Prevented only: the editor hears of a key where it leaves the page.
		if (second) key.preventDefault();
	};
	document.addEventListener("keydown", onKey, { capture: true });
	document.addEventListener("pointerdown", () => (begun = Number.NEGATIVE_INFINITY), { capture: true });
	window.addEventListener("blur", () => (begun = Number.NEGATIVE_INFINITY));
}

function begins({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean {
	return key.toLowerCase() === "k" && (isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey) && !shiftKey && !altKey;
}

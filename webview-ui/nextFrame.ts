// Runs something at the next frame, or a moment later on a page that has none.

/** Milliseconds after which a page without frames, hidden or covered, counts as drawn. */
const MAX_DELAY = 100;

/** Returns a function that cancels it. */
export function onNextFrame(act: () => void): () => void {
	const cancel = (): void => {
		cancelAnimationFrame(frame);
		clearTimeout(timer);
	};
	const once = (): void => {
		cancel();
		act();
	};
	const frame = requestAnimationFrame(once);
	const timer = setTimeout(once, MAX_DELAY);
	return cancel;
}

// Distinguishes deliberate answers from those given too soon after a card appeared.
import { useEffect, useRef, useState } from "preact/hooks";

/** Milliseconds within which an answer was meant for something else. */
const MIN_DELAY = 500;

export interface AnswerDelay {
	/** The card has been visible long enough. */
	isReady: boolean;
	/** The same, at the time of an event. */
	isDeliberate(event: Event): boolean;
}

/** Measures since this card was painted. The host checks the window's focus, which a page cannot tell from its own. */
export function useAnswerDelay(): AnswerDelay {
	const paintedAt = useRef(Number.POSITIVE_INFINITY);
	const [isReady, setReady] = useState(false);
	useEffect(() => {
		let timer: ReturnType<typeof setTimeout> | undefined;
		const wait = () => {
			clearTimeout(timer);
			const remaining = paintedAt.current + MIN_DELAY - performance.now();
			setReady(remaining <= 0);
			if (remaining > 0 && remaining <= MIN_DELAY) timer = setTimeout(wait, remaining + 1);
		};
		// A hidden page paints nothing, so the delay does not start.
		let frame = requestAnimationFrame(() => {
			frame = requestAnimationFrame(() => {
				paintedAt.current = performance.now();
				wait();
			});
		});
		return () => {
			cancelAnimationFrame(frame);
			clearTimeout(timer);
		};
	}, []);
	const isDeliberate = (event: Event) => event.isTrusted && event.timeStamp - paintedAt.current >= MIN_DELAY;
	return { isReady: isReady, isDeliberate: isDeliberate };
}

// Distinguishes deliberate answers from those given too soon after a card appeared.
import { useEffect, useRef, useState } from "preact/hooks";

/** Milliseconds within which an answer was meant for something else. */
const MIN_DELAY = 500;

export interface AnswerDelay {
	/** The card has been visible long enough, and none was just answered. */
	isReady: boolean;
	/**
	 * Returns true if the event may answer. After one that may, no card of the page takes another for as long: answered cards fold, and
	 * others move under the pointer.
	 */
	accepts(event: Event): boolean;
}

/** Time at which a card of this page was last answered. */
let answeredAt = Number.NEGATIVE_INFINITY;
/** Functions of the cards on the page: each has its card wait again. */
const waits = new Set<() => void>();

/** Measures since this card was painted. The host checks the window's focus, which a page cannot tell from its own. */
export function useAnswerDelay(): AnswerDelay {
	const paintedAt = useRef(Number.POSITIVE_INFINITY);
	const [isReady, setReady] = useState(false);
	useEffect(() => {
		let timer: ReturnType<typeof setTimeout> | undefined;
		const wait = () => {
			clearTimeout(timer);
			const remaining = Math.max(paintedAt.current, answeredAt) + MIN_DELAY - performance.now();
			setReady(remaining <= 0);
			if (remaining > 0 && Number.isFinite(remaining)) timer = setTimeout(wait, remaining + 1);
		};
		waits.add(wait);
		// A hidden page paints nothing, so the delay does not start.
		let frame = requestAnimationFrame(() => {
			frame = requestAnimationFrame(() => {
				paintedAt.current = performance.now();
				wait();
			});
		});
		return () => {
			waits.delete(wait);
			cancelAnimationFrame(frame);
			clearTimeout(timer);
		};
	}, []);
	const accepts = (event: Event): boolean => {
		const since = Math.max(paintedAt.current, answeredAt);
		if (!event.isTrusted || event.timeStamp - since < MIN_DELAY) return false;
		answeredAt = event.timeStamp;
		for (const wait of waits) wait();
		return true;
	};
	return { isReady, accepts };
}

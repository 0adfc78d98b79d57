// Tells deliberate answers from those given too soon after a card has appeared.
import { useEffect, useRef, useState } from "preact/hooks";

/** Milliseconds in which an answer was meant for something else. */
const TOO_EARLY = 500;

export interface AnswerDelay {
	/** Long enough on the page that an answer is meant. */
	isReady: boolean;
	/** The same for the moment of an act. */
	isDeliberate(event: Event): boolean;
}

/** Whether this card has been seen long enough since it was painted. The host looks at the window's focus: a page cannot tell it from its own. */
export function useAnswerDelay(): AnswerDelay {
	const paintedAt = useRef(Number.POSITIVE_INFINITY);
	const [settled, setSettled] = useState(false);
	useEffect(() => {
		let timer: ReturnType<typeof setTimeout> | undefined;
		const wait = () => {
			clearTimeout(timer);
			const left = paintedAt.current + TOO_EARLY - performance.now();
			setSettled(left <= 0);
			if (left > 0 && left <= TOO_EARLY) timer = setTimeout(wait, left + 1);
		};
		// A page that is hidden paints nothing, and then the time does not run.
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
	const meant = (event: Event) => event.isTrusted && event.timeStamp - paintedAt.current >= TOO_EARLY;
	return { isReady: settled, isDeliberate: meant };
}

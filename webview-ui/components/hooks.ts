// Shared by the cards: open or closed by hand, and when an answer is too early to be meant.
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { keepOpened, wasOpened } from "../kept.ts";

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

/** Milliseconds in which an answer was meant for something else. */
const TOO_EARLY = 500;

export interface Settling {
	/** Long enough on the page that an answer is meant. */
	settled: boolean;
	/** The same for the moment of an act. */
	meant(event: Event): boolean;
}

/** Whether this card has been seen long enough since it was painted. The host looks at the window's focus: a page cannot tell it from its own. */
export function useSettled(): Settling {
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
	return { settled, meant };
}

// Batches rendering of host updates to once a frame, and renders user input at once.
import { options } from "preact";

/** Milliseconds after which a page draws that gets no frames: it is hidden or covered. */
const LATEST = 100;

/** Before what the person does is looked at, the page shows all that was received. */
const ACTS = ["keydown", "beforeinput", "pointerdown", "click"] as const;

let receiving = false;
let due: (() => void) | undefined;
const afterwards: (() => void)[] = [];

export function installFrameRendering(): void {
	options.debounceRendering = (draw) => {
		if (!receiving) {
			queueMicrotask(draw);
			return;
		}
		const frame = requestAnimationFrame(renderNow);
		const timer = setTimeout(renderNow, LATEST);
		due = () => {
			cancelAnimationFrame(frame);
			clearTimeout(timer);
			draw();
		};
	};
	for (const type of ACTS) window.addEventListener(type, renderNow, { capture: true });
}

/** Takes in what came from the host. */
export function batchHostUpdate<T>(take: () => T): T {
	receiving = true;
	try {
		return take();
	} finally {
		receiving = false;
	}
}

/** Runs `act` on a page that shows all that was received. */
export function afterRender(act: () => void): void {
	afterwards.push(act);
	if (!due) renderNow();
}

export function renderNow(): void {
	const draw = due;
	due = undefined;
	draw?.();
	for (const act of afterwards.splice(0)) act();
}

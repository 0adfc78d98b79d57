// Batches rendering of host updates to once per frame, and renders user input at once.
import { options } from "preact";
import { onNextFrame } from "./nextFrame.ts";

/** Pending updates are rendered before these events are handled. */
const INPUT_EVENTS = ["keydown", "beforeinput", "pointerdown", "click"] as const;

let receiving = false;
let pendingDraw: (() => void) | undefined;
const callbacks: (() => void)[] = [];

export function installFrameRendering(): void {
	options.debounceRendering = (draw) => {
		if (!receiving) {
			queueMicrotask(draw);
			return;
		}
		const cancel = onNextFrame(renderNow);
		pendingDraw = () => {
			cancel();
			draw();
		};
	};
	for (const type of INPUT_EVENTS) window.addEventListener(type, renderNow, { capture: true });
}

/** Applies an update from the host. */
export function batchHostUpdate<T>(take: () => T): T {
	receiving = true;
	try {
		return take();
	} finally {
		receiving = false;
	}
}

/** Runs `act` once all pending updates are rendered. */
export function afterRender(act: () => void): void {
	callbacks.push(act);
	if (!pendingDraw) renderNow();
}

export function renderNow(): void {
	const draw = pendingDraw;
	pendingDraw = undefined;
	draw?.();
	for (const act of callbacks.splice(0)) act();
}

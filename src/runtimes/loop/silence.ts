// Tells the eye when a model sends nothing for long, and when it does again.
import type { Turn } from "../../core/ports/sessions.ts";

/** Milliseconds between two counts while the silence lasts. */
const COUNT_EVERY = 5_000;

export interface StallWatcher {
	/** Something came. */
	reset(): void;
	/** Nothing more is waited for. */
	stop(): void;
}

export function watchForStall({ live }: Pick<Turn, "live">, after: number): StallWatcher {
	let since = Date.now();
	let counting: NodeJS.Timeout | undefined;
	const first = setTimeout(() => {
		tell();
		counting = setInterval(tell, COUNT_EVERY);
	}, after);

	function tell(): void {
		live({ type: "stall", seconds: Math.max(1, Math.round((Date.now() - since) / 1_000)) });
	}

	function hush(): void {
		if (!counting) return;
		clearInterval(counting);
		counting = undefined;
		live({ type: "stall", seconds: 0 });
	}

	return {
		reset() {
			since = Date.now();
			hush();
			first.refresh();
		},
		stop() {
			clearTimeout(first);
			hush();
		},
	};
}

// A deadline that is paused while the user is asked.

export interface PausableDeadline {
	/** Aborts when the time is up. */
	signal: AbortSignal;
	/** Runs work whose duration does not count. */
	paused<Result>(work: () => Promise<Result>): Promise<Result>;
	stop(): void;
}

export function startPausableDeadline(milliseconds: number): PausableDeadline {
	const abort = new AbortController();
	let remaining = milliseconds;
	let since = 0;
	let timer: NodeJS.Timeout | undefined;
	const resume = (): void => {
		since = performance.now();
		timer = setTimeout(() => abort.abort(new DOMException("The time is up", "TimeoutError")), remaining);
		timer.unref();
	};
	resume();
	return {
		signal: abort.signal,
		async paused(work) {
			clearTimeout(timer);
			remaining -= performance.now() - since;
			try {
				return await work();
			} finally {
				resume();
			}
		},
		stop: () => clearTimeout(timer),
	};
}

// A deadline that stands still while the person is asked.

export interface PausableDeadline {
	/** Aborts once the time is up. */
	signal: AbortSignal;
	/** Runs work that does not count. */
	paused<Result>(work: () => Promise<Result>): Promise<Result>;
	stop(): void;
}

export function startPausableDeadline(milliseconds: number): PausableDeadline {
	const abort = new AbortController();
	let left = milliseconds;
	let since = 0;
	let timer: NodeJS.Timeout | undefined;
	const go = (): void => {
		since = performance.now();
		timer = setTimeout(() => abort.abort(new DOMException("The time is up", "TimeoutError")), left);
		timer.unref();
	};
	go();
	return {
		signal: abort.signal,
		async paused(work) {
			clearTimeout(timer);
			left -= performance.now() - since;
			try {
				return await work();
			} finally {
				go();
			}
		},
		stop: () => clearTimeout(timer),
	};
}

// Stops waiting for a promise after a timeout, or once a signal is aborted.

// The work itself continues; if it fails later, the error is ignored.

const LATE = Symbol("late");

/** Resolves with the work's result or, after the timeout, with what `late` returns or throws. The timer does not keep the process alive. */
export async function withTimeout<T, Late>(work: PromiseLike<T>, milliseconds: number, late: () => Late): Promise<T | Late> {
	let timer: NodeJS.Timeout | undefined;
	const expired = new Promise<typeof LATE>((resolve) => {
		timer = setTimeout(resolve, milliseconds, LATE).unref();
	});
	try {
		const first = await Promise.race([work, expired]);
		return first === LATE ? late() : (first as T);
	} finally {
		clearTimeout(timer);
	}
}

/** Resolves with the work's result; rejects with the signal's reason once it is aborted, or if it already is. */
export async function unlessAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
	let stop = (): void => undefined;
	const aborted = new Promise<never>((_, reject) => {
		stop = () => reject(signal.reason);
		signal.addEventListener("abort", stop, { once: true });
		if (signal.aborted) stop();
	});
	try {
		return await Promise.race([aborted, work]);
	} finally {
		signal.removeEventListener("abort", stop);
	}
}

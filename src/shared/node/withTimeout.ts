// Stops waiting for work after a time, or once a signal is aborted.

// The work goes on unheeded: what it fails with later is nobody's any more.

const LATE = Symbol("late");

/** What the work gives, or after so many milliseconds what `late` gives or throws. The wait keeps no process alive. */
export async function withTimeout<T, Late>(work: PromiseLike<T>, milliseconds: number, late: () => Late): Promise<T | Late> {
	let timer: NodeJS.Timeout | undefined;
	const over = new Promise<typeof LATE>((resolve) => {
		timer = setTimeout(resolve, milliseconds, LATE).unref();
	});
	try {
		const first = await Promise.race([work, over]);
		return first === LATE ? late() : (first as T);
	} finally {
		clearTimeout(timer);
	}
}

/** What the work gives; rejects with the signal's reason as soon as that is aborted, and if it is already. */
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

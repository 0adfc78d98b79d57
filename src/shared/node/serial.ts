// Runs work one after the other, in the order in which it was given.

/** A failure never keeps what comes after it from running. */
export class Serial {
	private last: Promise<unknown> = Promise.resolve();
	private readonly failed: (error: unknown) => void;

	/** `failed` receives the error of work that was given to `add`. */
	constructor(failed: (error: unknown) => void = () => undefined) {
		this.failed = failed;
	}

	/** Resolves and rejects as the work does, whose failure is for the caller alone. */
	run<T>(work: () => T | Promise<T>): Promise<T> {
		const done = this.last.then(work);
		this.last = done.catch(() => undefined);
		return done;
	}

	/** Adds work whose end nobody waits for. */
	add(work: () => unknown): void {
		this.last = this.last.then(work).catch(this.failed);
	}

	/** Resolves once all work that was given so far has ended. Never rejects. */
	async whenSettled(): Promise<void> {
		await this.last;
	}
}

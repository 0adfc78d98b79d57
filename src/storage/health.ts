// Whether storage works, for the one warning that appears when it stops and goes when it works again.
export interface Health {
	ok: boolean;
	/** A sentence for the person; absent when all is well. */
	message?: string;
}

export interface HealthSource {
	/** Tells every change; the first call comes with the first change. */
	onHealth(listener: (health: Health) => void): { dispose(): void };
}

export interface HealthReporter extends HealthSource {
	/** Reports a part's problem, or that it has none any more. */
	report(part: string, problem: string | undefined): void;
}

export function createHealth(log: (line: string) => void): HealthReporter {
	const problems = new Map<string, string>();
	const listeners = new Set<(health: Health) => void>();
	let told: string | undefined;

	function tell(): void {
		const message = [...problems.values()].at(-1);
		if (message === told) return;
		told = message;
		log(message ?? "storage: nothing waits for the disk any more");
		const health: Health = message === undefined ? { ok: true } : { ok: false, message };
		for (const listener of [...listeners]) listener(health);
	}

	return {
		report(part, problem) {
			problems.delete(part);
			if (problem !== undefined) problems.set(part, problem);
			tell();
		},
		onHealth(listener) {
			listeners.add(listener);
			return { dispose: () => void listeners.delete(listener) };
		},
	};
}

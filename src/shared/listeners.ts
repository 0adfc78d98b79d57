// A set of listeners, with optional isolation of their errors.

interface Listeners<Listener> {
	/** A listener that is added twice is called twice. */
	add(listener: Listener): { dispose(): void };
	/** Calls the current listeners; one that is added during the call is only called next time. */
	tell(call: (listener: Listener) => void): void;
	isEmpty(): boolean;
	clear(): void;
}

/** With `failed`, a listener that throws does not affect the others; without it, the error propagates to the caller. */
export function createListeners<Listener>(failed?: (error: unknown) => void): Listeners<Listener> {
	const all = new Set<{ listener: Listener }>();
	return {
		add(listener) {
			const entry = { listener };
			all.add(entry);
			return { dispose: () => void all.delete(entry) };
		},
		tell(call) {
			for (const { listener } of [...all]) {
				try {
					call(listener);
				} catch (error) {
					if (!failed) throw error;
					failed(error);
				}
			}
		},
		isEmpty: () => all.size === 0,
		clear: () => all.clear(),
	};
}

// A set of listeners that can be told something.

interface Listeners<Listener> {
	/** The same listener given twice is told twice. */
	add(listener: Listener): { dispose(): void };
	/** Calls those that are there now: one added meanwhile hears of the next. */
	tell(call: (listener: Listener) => void): void;
	isEmpty(): boolean;
	clear(): void;
}

/** With `failed` one that throws keeps nothing from the others; without it the error goes to whoever tells. */
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

// Tracks updates of a page that are still being prepared.

export interface UpdateTracker {
	/** Adds an update, and returns it. */
	track<T>(update: Promise<T>): Promise<T>;
	/** Resolves once the updates that are being prepared now are posted or have failed. */
	waitUntilPosted(): Promise<void>;
}

export function createUpdateTracker(): UpdateTracker {
	const preparing = new Set<Promise<unknown>>();
	return {
		track(update) {
			const ended: Promise<unknown> = update.then(
				() => preparing.delete(ended),
				() => preparing.delete(ended),
			);
			preparing.add(ended);
			return update;
		},
		async waitUntilPosted() {
			await Promise.all(preparing);
		},
	};
}

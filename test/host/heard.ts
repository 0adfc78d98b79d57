// Collects the events of one session through the exported API, and waits for them.
import type { TroupeApi } from "../../src/api.ts";
import type { EventOf, TranscriptEvent } from "../../src/core/events.ts";

/** Milliseconds. */
const LONGEST_WAIT = 30_000;

export interface Heard {
	/** In the order they came. */
	events: TranscriptEvent[];
	/** The first event of that type that fits, come already or not. Rejects with what came if there is none within half a minute. */
	first<T extends TranscriptEvent["type"]>(type: T, fits?: (event: EventOf<T>) => boolean): Promise<EventOf<T>>;
	dispose(): void;
}

/** Begins with what the session holds already: it was founded before anybody could listen to it. */
export async function heardIn(api: TroupeApi, sessionId: string): Promise<Heard> {
	const events: TranscriptEvent[] = [];
	const waiting = new Set<() => void>();
	const listening = api.onEvent(({ sessionId: of, event }) => {
		if (of !== sessionId) return;
		events.push(event);
		for (const look of waiting) look();
	});
	events.unshift(...(await api.transcript(sessionId)));
	return {
		events,
		first<T extends TranscriptEvent["type"]>(type: T, fits: (event: EventOf<T>) => boolean = () => true) {
			return new Promise<EventOf<T>>((resolve, reject) => {
				const late = setTimeout(() => {
					waiting.delete(look);
					reject(new Error(`No ${type} came that fits, but ${events.map((event) => event.type).join(", ")}`));
				}, LONGEST_WAIT);
				const look = (): void => {
					const found = events.find((event): event is EventOf<T> => event.type === type && fits(event as EventOf<T>));
					if (!found) return;
					clearTimeout(late);
					waiting.delete(look);
					resolve(found);
				};
				waiting.add(look);
				look();
			});
		},
		dispose: () => listening.dispose(),
	};
}

/** Tries until it does not reject: for what only the clock allows. The last refusal is the error. */
export async function until(attempt: () => Promise<unknown>, timeout = 20_000): Promise<void> {
	const deadline = Date.now() + timeout;
	for (;;) {
		try {
			await attempt();
			return;
		} catch (error) {
			if (Date.now() > deadline) throw error;
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	}
}

// Posts updates to a page, and those that a turn's calls bring together in one message.
import type { EventType } from "../../core/events.ts";
import type { Update } from "../../shared/protocol/chat.ts";

/** Milliseconds that an update may wait for the next ones; streamed text comes at the same pace. */
const MAX_WAIT = 100;

/** Updates that a quick call brings one after the other. All others are posted at once, after those that wait. */
const CAN_WAIT: ReadonlySet<Update["type"] | `event ${EventType}`> = new Set(["event assistant", "event result", "context"] as const);

interface UpdateBatches {
	post(update: Update): void;
	/** Posts what waits. */
	flush(): void;
}

export function createUpdateBatches(post: (updates: readonly Update[]) => void): UpdateBatches {
	let waiting: Update[] = [];
	let timer: NodeJS.Timeout | undefined;

	function flush(): void {
		clearTimeout(timer);
		timer = undefined;
		const updates = waiting;
		waiting = [];
		if (updates.length > 0) post(updates);
	}

	return {
		post(update) {
			waiting.push(update);
			if (!CAN_WAIT.has(update.type === "event" ? `event ${update.event.type}` : update.type)) flush();
			else timer ??= setTimeout(flush, MAX_WAIT);
		},
		flush,
	};
}

// Asks the host for what is before the first message on the page.
import { postSessionIntent } from "../host.ts";
import { firstSeq, hasEarlierEvents, loadingEarlier } from "../state.ts";

/** With `to` all up to that event. */
export function requestEarlier(to?: number): void {
	if (!hasEarlierEvents.peek() || loadingEarlier.peek()) return;
	loadingEarlier.value = true;
	postSessionIntent("earlier", { before: firstSeq(), ...(to !== undefined && { to }) });
}

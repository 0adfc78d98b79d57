// Requests the events before the first one on the page.
import { postSessionIntent } from "../host.ts";
import { firstSeq, hasEarlierEvents, loadingEarlier } from "../state.ts";

/** `to`: request everything from that event on. */
export function requestEarlier(to?: number): void {
	if (!hasEarlierEvents.peek() || loadingEarlier.peek()) return;
	loadingEarlier.value = true;
	postSessionIntent("earlier", { before: firstSeq(), ...(to !== undefined && { to }) });
}

// Asks the host for what is before the first message on the page.
import { act } from "../host.ts";
import { asking, firstSeq, more } from "../state.ts";

/** With `to` all up to that event. */
export function askEarlier(to?: number): void {
	if (!more.peek() || asking.peek()) return;
	asking.value = true;
	act("earlier", { before: firstSeq(), ...(to !== undefined && { to }) });
}

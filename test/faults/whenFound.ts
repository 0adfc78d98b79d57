// Waits in a killed worker until its sessions have come to rest.
import type { Sessions } from "../../src/sessions/sessions.ts";

/** Resolves with what `find` finds, which is asked anew whenever something in the sessions changes. */
export function whenFound<T>(sessions: Sessions, find: () => Promise<T | undefined>): Promise<T> {
	return new Promise((resolve, reject) => {
		let looking: Promise<unknown> = Promise.resolve();
		const look = (): void => {
			looking = looking.then(find).then((found) => found && resolve(found), reject);
		};
		sessions.listen({ event: look, changed: look, reloaded: look });
		look();
	});
}

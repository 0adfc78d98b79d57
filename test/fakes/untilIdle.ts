// Waits until a session has nothing to do; a turn outlasts its last event.
import type { Session } from "../../src/session/session.ts";
import type { Sessions } from "../../src/sessions/sessions.ts";

export function untilIdle(sessions: Sessions, session: Session): Promise<void> {
	const isIdle = () => !session.isRunning && session.queued.length === 0;
	return new Promise((resolve) => {
		if (isIdle()) return resolve();
		const listening = sessions.listen({
			changed() {
				if (!isIdle()) return;
				listening.dispose();
				resolve();
			},
		});
	});
}

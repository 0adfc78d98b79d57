// Reports the progress of reading a long transcript to listeners.
import type { SessionListener } from "./context.ts";

/** `read` gets a callback for its progress from 0 to 1; listeners get undefined at the end. */
export async function reportReadProgress<T>(
	listener: Pick<SessionListener, "reading">,
	sessionId: string,
	read: (report: (part: number) => void) => Promise<T>,
): Promise<T> {
	let started = false;
	try {
		return await read((part) => {
			started = true;
			listener.reading(sessionId, part);
		});
	} finally {
		if (started) listener.reading(sessionId, undefined);
	}
}

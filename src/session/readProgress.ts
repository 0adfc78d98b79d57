// Tells listeners how far the reading of a transcript is, where it takes long.
import type { SessionListener } from "./context.ts";

/** `read` is handed what to call with the part that it has read, from 0 to 1; undefined tells listeners that it is done. */
export async function reportReadProgress<T>(
	listener: Pick<SessionListener, "reading">,
	sessionId: string,
	read: (tell: (part: number) => void) => Promise<T>,
): Promise<T> {
	let begun = false;
	try {
		return await read((part) => {
			begun = true;
			listener.reading(sessionId, part);
		});
	} finally {
		if (begun) listener.reading(sessionId, undefined);
	}
}

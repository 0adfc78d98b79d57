// Reads files of a repository, which a stranger may have laid out.
import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** Returns undefined if there is no such file, or if it is a link, no file, or larger than `limit` bytes. Does not block on pipes. */
export async function readSmallFile(path: string, limit: number): Promise<Buffer | undefined> {
	const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
	const file = await open(path, flags).catch(() => undefined);
	if (!file) return undefined;
	try {
		const { size } = await file.stat().then((found) => (found.isFile() ? found : { size: limit + 1 }));
		if (size > limit) return undefined;
		const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
		return buffer.subarray(0, bytesRead);
	} finally {
		await file.close();
	}
}

// Hashes that bind an answer to exactly what was shown.

import { createHash } from "node:crypto";
import { isRecord } from "../core/isRecord.ts";

export function sha256(data: string | Uint8Array): string {
	return createHash("sha256").update(data).digest("hex");
}

/** SHA-256 of the value's JSON with sorted keys: the same content gives the same hash, whatever the order it came in. */
export function contentHash(value: unknown): string {
	return sha256(
		JSON.stringify(value, (_, part: unknown) => (isRecord(part) ? Object.fromEntries(Object.entries(part).sort(byKey)) : part)),
	);
}

function byKey([left]: [string, unknown], [right]: [string, unknown]): number {
	return left < right ? -1 : 1;
}

// SHA-256 hashes of bytes, text, and JSON values.

// Hashes are stored on disk and in approvals, so none may change.

import { createHash } from "node:crypto";
import { isRecord } from "../../core/isRecord.ts";

/** The SHA-256 in hexadecimal. */
export function sha256(data: string | Uint8Array): string {
	return sha256Bytes(data).toString("hex");
}

export function sha256Bytes(data: string | Uint8Array): Buffer {
	return createHash("sha256").update(data).digest();
}

/** SHA-256 of the value's JSON with sorted keys, so that key order does not matter. */
export function contentHash(value: unknown): string {
	return sha256(
		JSON.stringify(value, (_, part: unknown) => (isRecord(part) ? Object.fromEntries(Object.entries(part).sort(byKey)) : part)),
	);
}

function byKey([left]: [string, unknown], [right]: [string, unknown]): number {
	return left < right ? -1 : 1;
}

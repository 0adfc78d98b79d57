// Bytes kept under their SHA-256: written once, whole or not at all, and checked when read.
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Blobs } from "../core/ports.ts";
import { type Files, FOLDER_MODE, isMissing, nodeFiles, writeAtomically } from "./files.ts";
import { unchanged } from "./problems.ts";

const HASH = /^[0-9a-f]{64}$/;

/** `put` rejects with StorageError; `get` answers undefined for what is missing or no longer has its hash. */
export function createBlobs(folder: string, files: Files = nodeFiles): Blobs {
	return {
		async put(bytes) {
			const hash = sha256(bytes);
			const path = join(folder, hash);
			try {
				const kept = await files.stat(path).catch(() => undefined);
				if (kept?.size === bytes.byteLength) return hash;
				await files.mkdir(folder, { recursive: true, mode: FOLDER_MODE });
				await writeAtomically(files, path, bytes);
				return hash;
			} catch (cause) {
				throw unchanged(cause, "keep a large output or an image");
			}
		},
		async get(hash) {
			if (!HASH.test(hash)) return undefined;
			const path = join(folder, hash);
			const bytes = await files.readFile(path).catch((cause: unknown) => {
				if (isMissing(cause)) return undefined;
				throw unchanged(cause, "read a large output or an image");
			});
			if (!bytes) return undefined;
			if (sha256(bytes) === hash) return bytes;
			// Out of the way, so that the same bytes can be kept again.
			await files.rename(path, `${path}.corrupt`).catch(() => undefined);
			return undefined;
		},
	};
}

function sha256(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("hex");
}

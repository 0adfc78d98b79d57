// Makes a folder for temporary files in memory, where the system has one.
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";

/** Linux has it. Containers may have a small one. */
const MEMORY = "/dev/shm";
/** Bytes that must be free. */
const ENOUGH = 2 * 1024 ** 3;

/** Is removed when this process ends. Undefined where there is no such place, or too little of it. */
export function makeMemoryFolder() {
	if (process.platform !== "linux") return undefined;
	try {
		const { bavail, bsize } = statfsSync(MEMORY);
		if (bavail * bsize < ENOUGH) return undefined;
		// Paths of sockets have at most 107 bytes.
		const folder = mkdtempSync(join(MEMORY, "unit-"));
		process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
		// A signal alone would end it without that.
		for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(128 + constants.signals[signal]));
		return folder;
	} catch {
		return undefined;
	}
}

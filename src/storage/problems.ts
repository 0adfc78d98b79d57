// What a failed write is called in front of a person: what happened, what was kept, what to do.
import { StorageError } from "../core/ports.ts";
import { codeOf } from "./files.ts";

const FULL = { happened: "The disk is full.", next: "Free some space and leave this window open." };
const FORBIDDEN = {
	happened: "Troupe may not write to its storage folder.",
	next: "Give yourself write permission there and leave this window open.",
};
const GONE = { happened: "The session's folder is gone.", next: "Put the folder back, or export the session from this window." };

const causes: Record<string, { happened: string; next: string }> = {
	ENOSPC: FULL,
	EDQUOT: FULL,
	EROFS: { happened: "The disk is read-only.", next: "Make it writable again and leave this window open." },
	EACCES: FORBIDDEN,
	EPERM: FORBIDDEN,
	EIO: { happened: "The disk reports an error.", next: "Check the disk, export the session, and leave this window open." },
	EFBIG: {
		happened: "The transcript has reached the largest size a file may have here.",
		next: "Raise that limit or start a new session.",
	},
	ENOENT: GONE,
	ENOTDIR: GONE,
	EMFILE: { happened: "Too many files are open.", next: "Close other programs and leave this window open." },
};

/** A write of transcript events that failed; they wait in memory. */
export function unwritten(cause: unknown, waiting: number): StorageError {
	const code = codeOf(cause);
	const known = causes[code] ?? {
		happened: `Writing the transcript failed (${code}).`,
		next: "Export the session and leave this window open.",
	};
	const kept = waiting === 1 ? "One event of this session is" : `${waiting} events of this session are`;
	return new StorageError(`${known.happened} ${kept} kept in memory and written as soon as it works again. ${known.next}`, code, cause);
}

/** Any other change that failed; the disk holds what it held before. */
export function unchanged(cause: unknown, what: string): StorageError {
	if (cause instanceof StorageError) return cause;
	const code = codeOf(cause);
	const happened = causes[code]?.happened ?? `The disk answered ${code}.`;
	return new StorageError(
		`Could not ${what}. ${happened} What was stored before is unchanged; try again once that is solved.`,
		code,
		cause,
	);
}

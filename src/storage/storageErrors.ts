// Describes failed writes to the user: what happened, what was kept, what to do.
import { StorageError } from "../core/ports/sessions.ts";
import { t } from "../shared/l10n.ts";
import { createListeners } from "../shared/listeners.ts";
import { reasonOfCode } from "../shared/reasonOf.ts";
import { errorCode } from "./fileSystem.ts";

interface Cause {
	/** Returns what has happened, if it is something else for the storage than for any file. */
	happened?(): string;
	next(): string;
}

const full: Cause = { next: () => t("Free up disk space and leave this window open.") };
const denied: Cause = {
	happened: () => t("Troupe doesn't have permission to write to its storage folder."),
	next: () => t("Allow writing to that folder and leave this window open."),
};
const gone: Cause = {
	happened: () => t("The session's folder no longer exists."),
	next: () => t("Restore the folder, or export the session from this window."),
};
const tooManyFiles: Cause = { next: () => t("Close other programs and leave this window open.") };

const causes: Readonly<Record<string, Cause>> = {
	ENOSPC: full,
	EDQUOT: full,
	EROFS: { next: () => t("Make the disk writable and leave this window open.") },
	EACCES: denied,
	EPERM: denied,
	EIO: { next: () => t("Check the disk, export the session, and leave this window open.") },
	EFBIG: {
		happened: () => t("The transcript has reached the maximum file size."),
		next: () => t("Raise the file size limit or start a new session."),
	},
	ENOENT: gone,
	ENOTDIR: gone,
	EMFILE: tooManyFiles,
	ENFILE: tooManyFiles,
};

/** Error for transcript events that could not be written; they wait in memory. */
export function toWriteError(cause: unknown, waiting: number): StorageError {
	const code = errorCode(cause);
	const happened = happenedIn(code) ?? t("The transcript could not be written ({0}).", code);
	const next = causes[code]?.next() ?? t("Export the session and leave this window open.");
	const kept =
		waiting === 1
			? t("1 event of this session is kept in memory and will be written when the disk is available again.")
			: t("{0} events of this session are kept in memory and will be written when the disk is available again.", waiting);
	return new StorageError(t("{0} {1} {2}", happened, kept, next), code, cause, true);
}

/** Error for any other failed change, beginning with `failed`; the data on disk is unchanged. */
export function toStorageError(cause: unknown, failed: string): StorageError {
	if (cause instanceof StorageError) return cause;
	const text = t("{0} {1} Stored data is unchanged. Fix the problem, then try again.", failed, happenedTo(cause));
	return new StorageError(text, errorCode(cause), cause);
}

/** Error for a failed read, beginning with `failed`. */
export function toReadError(cause: unknown, failed: string): StorageError {
	if (cause instanceof StorageError) return cause;
	return new StorageError(t("{0} {1} Fix the problem, then try again.", failed, happenedTo(cause)), errorCode(cause), cause);
}

function happenedTo(cause: unknown): string {
	const code = errorCode(cause);
	return happenedIn(code) ?? t("The file system returned {0}.", code);
}

function happenedIn(code: string): string | undefined {
	return causes[code]?.happened?.() ?? reasonOfCode(code);
}

export function throwReadError(cause: unknown): never {
	throw toReadError(cause, t("Could not read the session."));
}

export function throwSessionNotFound(): never {
	throw new StorageError(t("This session no longer exists. Nothing was changed. Choose another session."), "ENOENT");
}

interface Health {
	ok: boolean;
	/** A sentence for the user; absent if there is no problem. */
	message?: string;
}

export interface HealthSource {
	/** Called on every change; there is no initial call. */
	onHealth(listener: (health: Health) => void): { dispose(): void };
}

export interface HealthReporter extends HealthSource {
	/** Reports a part's problem, or undefined once it is resolved. */
	report(part: string, problem: string | undefined): void;
}

export function createHealth(log: (line: string) => void): HealthReporter {
	const problems = new Map<string, string>();
	const listeners = createListeners<(health: Health) => void>();
	let reported: string | undefined;

	function notify(): void {
		const message = [...problems.values()].at(-1);
		if (message === reported) return;
		reported = message;
		log(message ?? "storage: nothing waits for the disk any more");
		const health: Health = message === undefined ? { ok: true } : { ok: false, message };
		listeners.tell((listener) => listener(health));
	}

	return {
		report(part, problem) {
			problems.delete(part);
			if (problem !== undefined) problems.set(part, problem);
			notify();
		},
		onHealth: listeners.add,
	};
}

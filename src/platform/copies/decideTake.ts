// Decides what taking a change from a copy writes, so that nothing of the user's is overwritten.

import type { CopyChange, CopyTake } from "../../core/ports/copies.ts";
import type { FileVersion } from "../../core/ports/workspace/files.ts";
import { t } from "../../shared/l10n.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { applyHunks } from "../files/diffs.ts";
import { WHOLE_FILE_LIMIT } from "../files/files.ts";

/** A file of the workspace or of a copy: its bytes, that there is none, or that something else has its name. */
export type FoundFile = { bytes: Uint8Array; executable?: true } | "none" | "other" | "large";

export interface TakeRequest {
	change: CopyChange;
	copied: FoundFile;
	original: FoundFile;
	/** Version of the original, if it is a file. */
	version: FileVersion | undefined;
	/** The original is as it was copied, or as taking changes has written it. */
	originalKnown: boolean;
	hunks?: readonly number[] | undefined;
}

export function decideTake({ change, copied, original, version, originalKnown, hunks }: TakeRequest): CopyTake {
	const name = change.path;
	if (change.link !== undefined || copied === "other") {
		return { kind: "refused", reason: t("{0} is a link or no longer a file in the copy, and only files are taken.", name) };
	}
	if (copied === "large" || original === "large")
		return { kind: "refused", reason: t("{0} has more than 50 MB, so it can't be taken.", name) };
	const now = hashOf(copied);
	if (change.now !== undefined && change.now !== now) {
		return { kind: "refused", reason: t("{0} has changed in the copy meanwhile. Look at the change again, then take it.", name) };
	}
	const before = hashOf(original);
	if (before === now) return { kind: "same" };
	if (!originalKnown || before === undefined || (change.base !== undefined && change.base !== before)) {
		return { kind: "conflict", reason: t("{0} has changed in the workspace since it was copied. It was left alone; merge the two.", name) };
	}
	if (copied === "none") return { kind: "write", edit: { path: change.real, action: "delete", ...(version && { base: version }) } };
	const content = hunks && original !== "none" ? mergeHunks(change, original, copied.bytes, hunks) : copied.bytes;
	if (!content) return { kind: "refused", reason: t("{0} can only be taken as a whole.", name) };
	if (sha256(content) === before) return { kind: "same" };
	if (!version) {
		const executable = copied.executable && { executable: copied.executable };
		return { kind: "write", edit: { path: change.real, action: "create", content, ...executable } };
	}
	return { kind: "write", edit: { path: change.real, action: "update", content, base: version } };
}

/** Returns "" if there is no file, undefined if it was not read. */
export function hashOf(file: FoundFile): string | undefined {
	if (typeof file === "object") return sha256(file.bytes);
	return file === "none" ? "" : undefined;
}

function mergeHunks(change: CopyChange, original: FoundFile, copied: Uint8Array, hunks: readonly number[]): Uint8Array | undefined {
	const fits = typeof original === "object" && original.bytes.length <= WHOLE_FILE_LIMIT;
	return fits ? applyHunks(original.bytes, copied, change.diff, hunks) : undefined;
}

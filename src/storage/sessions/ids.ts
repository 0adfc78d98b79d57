// Which ids may become a segment of a path.
import { StorageError } from "../../core/ports/sessions.ts";
import { t } from "../../shared/l10n.ts";

const SAFE = /^[A-Za-z0-9_-]{1,64}$/;

export function isSafeId(id: string): boolean {
	return SAFE.test(id);
}

/** Throws a StorageError for an id that could lead elsewhere. */
export function requireSafeId(id: string): string {
	if (isSafeId(id)) return id;
	throw new StorageError(
		t("This session id cannot be used: 1 to 64 letters, digits, _ and - are allowed. Nothing was read or written; choose another id."),
		"EINVAL",
	);
}

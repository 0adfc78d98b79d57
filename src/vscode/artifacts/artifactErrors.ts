// Turns artifact errors into messages for the user.
import { ArtifactError } from "../../core/ports/artifacts.ts";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";

/** Returns other errors unchanged. */
export function toUserError(error: unknown): unknown {
	return error instanceof ArtifactError ? new UserError(formatError(error)) : error;
}

function formatError({ code, part, message }: ArtifactError): string {
	if (code === "missing")
		return t("The note, list, or view no longer exists. To look in the trash, run “Troupe: Restore Note, List, View or Item”.");
	if (code === "changed") return t("The content has changed since you opened it. Nothing was saved. Open it again and repeat your change.");
	if (code === "large")
		return t(
			"The content is too large. Notes are limited to 256 KB and lists to 2 MB. Nothing was saved. Split the content and try again.",
		);
	if (code === "full") return t("You've reached the limit of 1,000 notes, lists, and views, or 2,000 items in a list. Delete some first.");
	return part === undefined
		? t("The content is not valid: {0}. Nothing was saved. Correct the content and try again.", message)
		: queryErrorMessage(part);
}

export function queryErrorMessage(part: string): string {
	return t("The query doesn't support “{0}”. Use text, list:, tag:, type:, done:, sort:, and limit:.", part);
}

// Why something could not be done with an artifact, in the person's words.
import { ArtifactError } from "../../core/ports/artifacts.ts";
import { t } from "../../shared/l10n.ts";

/** Errors of other kinds as they are. */
export function toUserError(error: unknown): unknown {
	return error instanceof ArtifactError ? new Error(wordsFor(error)) : error;
}

function wordsFor({ code, part, message }: ArtifactError): string {
	if (code === "missing") return t("It is not there any more. Look in the trash with “Troupe: Restore Note, List, View or Item”.");
	if (code === "changed") return t("It has changed meanwhile. Nothing was saved; open it again and repeat your change.");
	if (code === "large") return t("That is too much: a note holds 256 KB, a list 2 MB. Nothing was saved; divide it.");
	if (code === "full")
		return t("There is no room for more: 1,000 notes, lists and views are kept, and 2,000 items in a list. Delete some first.");
	return part === undefined
		? t("This cannot be kept: {0}. Nothing was saved; correct it and try again.", message)
		: queryErrorMessage(part);
}

export function queryErrorMessage(part: string): string {
	return t("The query does not understand “{0}”. It takes words, list:, tag:, type:, done:, sort: and limit:.", part);
}

// What a card calls that which waits for an answer: a command or an address word for word, or in general.
import type { FileChange } from "../../src/core/events.ts";
import { t } from "../../src/shared/l10n.ts";
import { truncateMiddle } from "../text/visible.ts";

/** "Run npm test" as a question; a long one, and one that would read as another, is asked in general and shown below. */
export function approvalQuestion(summary: string, tool: string | undefined): string {
	const exact = tool === "execute_command" || tool === "web_fetch";
	const words = [...(exact ? summary : summary.replace(/[.?!]$/, ""))];
	const plain = words.length <= LONGEST && !(exact && /[.?!]$/.test(summary)) && !(tool === "web_fetch" && /[^!-~ ]/.test(summary));
	if (plain) return t("{0}?", words.join(""));
	if (tool === "execute_command") return t("Run this command?");
	if (tool === "web_fetch") return t("Fetch this address?");
	return t("{0}?", truncateMiddle(words.join(""), LONGEST));
}

const LONGEST = 60;

/** In place of lines where there are none: nothing else would say so. `waits`: it has not been done yet. */
export function emptyChangeLabel({ action, diff }: Pick<FileChange, "action" | "diff">, waits: boolean): string | undefined {
	if (diff !== "") return undefined;
	if (action === "delete") return waits ? t("Will be deleted") : t("Deleted");
	return action === "create" ? t("The file is empty.") : undefined;
}

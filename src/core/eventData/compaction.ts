// Types and text of what continues after a conversation was summarized and moved to an archive.

import type { UsageTotals } from "../usage.ts";
import type { ChangedFile } from "./fileChange.ts";

/** State that carries over from an archived transcript to the one that continues it. */
export interface CompactionCarryover {
	messages: number;
	usage: UsageTotals;
	/** Usage of the current or last turn. */
	turnUsage: UsageTotals;
	/** Usage of the called agents. */
	calledUsage?: UsageTotals;
	title?: string;
	snippet?: string;
	/** Deviations of the running plan. */
	deviations?: { path: string; reason: string }[];
	/** Changed files that the user has neither kept nor undone. */
	changed?: ChangedFile[];
	/** Files changed by the current turn. */
	inTurn?: ChangedFile[];
	/** File changes since each message of that turn. */
	since?: { message: string; files: ChangedFile[] }[];
	record?: CompactionRecord;
}

/** Facts that the model is told besides the summary, as single lines of limited length. No model wrote them down. */
export interface CompactionRecord {
	/** Names of earlier archives, oldest first. */
	earlier: string[];
	/** The plan that is open, with the state of its steps, as Markdown. */
	plan?: string;
	/** Decisions of the user, one sentence each, oldest first. */
	decisions: string[];
	/** Paths of files that were changed, the latest last. */
	files: string[];
}

interface Compaction {
	archive: string;
	summary: string;
	carried?: CompactionCarryover;
}

/** Maximum numbers of entries. Beyond them, the latest are kept. */
export const RECORDED = { earlier: 12, decisions: 20, files: 40 };

/** The message that replaces the conversation, for models. The same event always gives the same text. */
export function formatCompaction({ archive, summary, carried }: Compaction): string {
	const before = `[What came before, in short:]\n${summary}`;
	const record = carried?.record;
	if (!record) return before;
	const { earlier, plan, decisions, files } = record;
	return [
		before,
		`[The whole conversation until here is in the archive ${archive}, which session_archive_read reads and searches.${formatEarlier(earlier)}]`,
		...(plan === undefined ? [] : [`[The plan that is open:]\n${plan}`]),
		...(decisions.length === 0 ? [] : [`[${latest("Decisions of the person", decisions, RECORDED.decisions)}:]\n${bullets(decisions)}`]),
		...(files.length === 0 ? [] : [`[${latest("Files that were changed", files, RECORDED.files)}:]\n${bullets(files)}`]),
	].join("\n\n");
}

function formatEarlier(earlier: readonly string[]): string {
	return earlier.length === 0 ? "" : ` ${latest("Archives from before that", earlier, RECORDED.earlier)}: ${earlier.join(", ")}.`;
}

function latest(title: string, entries: readonly string[], most: number): string {
	return entries.length < most ? title : `${title}, the latest ${most}`;
}

function bullets(lines: readonly string[]): string {
	return lines.map((line) => `- ${line}`).join("\n");
}

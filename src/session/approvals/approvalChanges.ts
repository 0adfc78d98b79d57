// Tells the person once what has become of their approvals: which no longer apply, and what no longer asks.
import { t } from "../../shared/l10n.ts";
import { contentHash } from "../hash.ts";
import type { GrantRow } from "./grantRows.ts";

export interface ApprovalNotificationOptions {
	/** Approvals that the rules of today do not offer alike, and what cannot be read. */
	outdated(): Promise<readonly GrantRow[]>;
	/** The person has set `troupe.approval` to `ask` and says nothing of commands that only read. */
	asksForAll(): boolean;
	/** Makes commands that only read ask. */
	askForReading(): Promise<unknown>;
	/** What was told, in all windows. */
	told: { get(key: string): unknown; update(key: string, value: unknown): PromiseLike<void> };
	/** A message of the editor; resolves with the button that was chosen. */
	say(text: string, ...buttons: string[]): PromiseLike<string | undefined>;
	showApprovals(): PromiseLike<unknown>;
}

const OUTDATED = "troupe.outdatedApprovalsTold";
const READING = "troupe.readingCommandsTold";
/** Rows that are remembered as told. */
const MOST = 500;

export async function notifyApprovalChanges(parts: ApprovalNotificationOptions): Promise<void> {
	await Promise.all([tellOfOutdated(parts), tellOfReading(parts)]);
}

async function tellOfOutdated({ outdated, told, say, showApprovals }: ApprovalNotificationOptions): Promise<void> {
	const before = told.get(OUTDATED);
	const known: unknown[] = Array.isArray(before) ? before : [];
	const names = (await outdated()).map(({ agentId, entry, workspace, unreadable }) =>
		contentHash([agentId, entry, workspace, unreadable]).slice(0, 16),
	);
	const fresh = [...new Set(names)].filter((name) => !known.includes(name));
	if (fresh.length === 0) return;
	await told.update(OUTDATED, [...known, ...fresh].slice(-MOST));
	const text =
		fresh.length === 1
			? t("1 saved approval or rule no longer covers what it did, so Troupe asks again.")
			: t("{0} saved approvals or rules no longer cover what they did, so Troupe asks again.", fresh.length);
	const show = t("Show Approvals");
	if ((await say(text, show)) === show) await showApprovals();
}

/** Whoever begins later reads of it in the setting itself. */
async function tellOfReading({ asksForAll, askForReading, told, say }: ApprovalNotificationOptions): Promise<void> {
	if (told.get(READING) === true) return;
	await told.update(READING, true);
	if (!asksForAll()) return;
	const ask = t("Ask for Them, Too");
	const text = t("Commands that only read, such as ls and git status, now go ahead without asking.");
	if ((await say(text, ask, t("OK"))) === ask) await askForReading();
}

// Lists all approvals for display: coverage, location, what ends each, and why some no longer apply.
import { dirname, isAbsolute } from "node:path/posix";
import { ANY_WORKSPACE, formatGrantEntry, type GrantRecord, parseGrantEntry } from "../../core/grant.ts";
import type { Grant, Grantable } from "../../core/ports/gate.ts";
import { t } from "../../shared/l10n.ts";
import { contentHash } from "../../shared/node/hash.ts";
import type { AgentGrants, Grants } from "./grants.ts";
import { formatCoverage, formatEndCondition, formatPlace, formatSince, formatUnusedEntry } from "./grantText.ts";

export interface GrantRow {
	/** "" for a rule, and for a record that cannot be read. */
	agentId: string;
	/** Its name, or its id where it is not defined any more. */
	agent: string;
	/** What is taken back: `tool` or `tool(class)`, as it stands in a list. */
	entry: string;
	/** Where it is taken back; absent where that is everywhere. */
	workspace?: string;
	/** The session it was given in and lasts as long as. */
	session?: { id: string; name: string };
	/** What cannot be read, as its file has it. */
	unreadable?: string;
	/** Where it applies. */
	place: string;
	/** What it covers and since when, in whole sentences. */
	sentence: string;
	/** Why it does not count now. */
	ended?: string;
	/** It was kept under rules of before, and those of today do not offer it. */
	outdated?: boolean;
	/** It counts, and not here. */
	elsewhere?: boolean;
	/** It stands in that setting, where alone it can be taken out. */
	inSettings?: "troupe.agents" | "troupe.permissions";
}

/** What a session that is open has been allowed for itself. */
export interface SessionGrants {
	id: string;
	name: string;
	grants: readonly Grant[];
}

interface GrantRowOptions {
	/** Allow rules of the person's that let less go ahead than before, with the reason; none when absent. */
	narrowed?(): readonly { rule: string; reason: string }[];
	grants: Pick<Grants, "kept" | "lost" | "seen" | "problem" | "outdated">;
	/** The workspace that is open. */
	workspace(): string;
	/** What approvals of a command would be bound to now, run in that folder; the first folder when absent. */
	offered(command: string, cwd?: string): Promise<readonly Grantable[]>;
	/** Open sessions with approvals of their own; none when absent. */
	sessions?(): Promise<readonly SessionGrants[]>;
}

/** The default agent's first, then in the order of the agents; of each in the order in which they were given. */
export async function listGrantRows(parts: GrantRowOptions): Promise<GrantRow[]> {
	const [kept, { lost, unreadable }] = [await parts.grants.kept(), await parts.grants.lost()];
	const sessions = (await parts.sessions?.()) ?? [];
	const rows = await Promise.all(
		kept.map(async (one) => {
			const ofSessions = await Promise.all(sessions.map((session) => sessionRows(one, session, parts)));
			return [...(await rowsOf(one, parts, lost)), ...ofSessions.flat()];
		}),
	);
	return [
		...rows.flat(),
		...(parts.narrowed?.() ?? []).map(ruleRow),
		...unreadable.map((record) => unreadableRow({ agentId: "", agent: t("Can't be read") }, record)),
	];
}

/** Those alone that the rules of today do not offer alike, and what cannot be read: no command is looked at for them. */
export async function listOutdatedRows(parts: Omit<GrantRowOptions, "offered" | "sessions">): Promise<GrantRow[]> {
	return (await listGrantRows({ ...parts, offered: async () => [] })).filter(({ outdated }) => outdated);
}

/** Takes back what a row stands for. Rejects with a sentence; it then still counts. */
export async function revokeGrantRow(
	grants: Pick<Grants, "revoke" | "discard">,
	revokeIn: (session: string, agentId: string, entry: string) => Promise<void>,
	{ agentId, entry, workspace, session, unreadable, inSettings }: GrantRow,
): Promise<void> {
	if (inSettings === "troupe.permissions") throw new Error(t("“{0}” is one of your rules. Change it in Settings.", entry));
	if (unreadable !== undefined) return grants.discard(unreadable, agentId === "" ? undefined : agentId);
	if (session) return revokeIn(session.id, agentId, entry);
	return grants.revoke(agentId, entry, workspace);
}

type Own = Pick<GrantRow, "agentId" | "agent">;

function ownOf(kept: AgentGrants): Own {
	return { agentId: kept.agent, agent: kept.listed?.definition.displayName ?? kept.agent };
}

async function rowsOf(kept: AgentGrants, parts: GrantRowOptions, lost: boolean): Promise<GrantRow[]> {
	const own = ownOf(kept);
	const parsed = kept.entries.map((text) => ({ text, entry: parseGrantEntry(text)?.entry ?? text }));
	const standing = new Set(parsed.map(({ entry }) => entry));
	const asked = kept.records.filter((record) => !record.written && (!record.listed || standing.has(formatGrantEntry(record))));
	const rows: GrantRow[] = [];
	for (const record of asked) {
		const here = record.workspace === parts.workspace();
		const ended = await endOf(record, kept, parts, here);
		rows.push({
			...own,
			entry: formatGrantEntry(record),
			workspace: record.workspace,
			place: formatPlace(record, here),
			sentence: recordWords(record, here),
			...(ended ?? (!here && { elsewhere: true })),
		});
	}
	const fromCard = new Set(asked.filter(({ listed }) => listed).map(formatGrantEntry));
	for (const { text, entry } of parsed.filter((one) => !fromCard.has(one.entry))) {
		const met = kept.records.find(
			(record) => record.written && formatGrantEntry(record) === entry && [parts.workspace(), ANY_WORKSPACE].includes(record.workspace),
		);
		rows.push({
			...own,
			entry,
			place: formatPlace(met ?? { workspace: ANY_WORKSPACE }, true),
			sentence: met ? recordWords(met, true) : formatUnusedEntry(),
			...(await entryEnd(text, met, kept, parts, lost)),
			...(!kept.list && { inSettings: "troupe.agents" as const }),
		});
	}
	return [...rows, ...kept.unreadable.map((text) => unreadableRow(own, text))];
}

function recordWords(record: GrantRecord, here: boolean): string {
	const covers = formatCoverage(record, here && record.workspace !== ANY_WORKSPACE ? "always" : "anywhere");
	// A line may be cut at its end: since when comes first, for what is covered stands in the entry as well.
	return [formatSince(record), covers, formatEndCondition(record)].filter(Boolean).join(" ");
}

async function sessionRows(kept: AgentGrants, { id, name, grants }: SessionGrants, parts: GrantRowOptions): Promise<GrantRow[]> {
	const own = ownOf(kept);
	const row = async (grant: Grant): Promise<GrantRow> => ({
		...own,
		entry: formatGrantEntry(grant),
		session: { id, name },
		place: t("in the session “{0}”", name),
		sentence: [formatSince(grant), formatCoverage(grant, "session")].join(" "),
		...(await bindingEnd(grant, parts)),
	});
	return Promise.all(grants.filter(({ agent }) => agent === kept.agent).map(row));
}

function ruleRow({ rule, reason }: { rule: string; reason: string }): GrantRow {
	return {
		agentId: "",
		agent: t("Rules in Settings"),
		entry: rule,
		place: t("for all agents"),
		sentence: reason,
		outdated: true,
		inSettings: "troupe.permissions",
	};
}

/** Of a file that has more than it can show, the beginning. */
const SHOWN = 80;

function unreadableRow(own: Own, unreadable: string): GrantRow {
	const text = own.agentId === "" ? Buffer.from(unreadable, "latin1").toString() : unreadable;
	const line = text.replace(/\s+/g, " ");
	return {
		...own,
		entry: line.length > SHOWN ? `${[...line.slice(0, SHOWN)].join("")}…` : line,
		unreadable,
		place: "",
		sentence: t("The entry stays in the file until you remove it."),
		ended: t("This entry can't be read, so it allows nothing."),
		outdated: true,
	};
}

type End = Pick<GrantRow, "ended" | "outdated">;

async function entryEnd(
	text: string,
	met: GrantRecord | undefined,
	kept: AgentGrants,
	parts: GrantRowOptions,
	lost: boolean,
): Promise<End> {
	const problem = parts.grants.problem(text);
	if (problem !== undefined) return { ended: problem, outdated: true };
	if (met) return (await endOf(met, kept, parts, true)) ?? {};
	if (!lost) return {};
	return {
		ended: t("Some saved approvals can't be read, so it's unknown what this entry allowed. Approve it again when you're asked."),
	};
}

/** What has ended it by now. */
async function endOf(record: GrantRecord, kept: AgentGrants, parts: GrantRowOptions, here: boolean): Promise<End | undefined> {
	if (!kept.listed) return { ended: t("The agent is no longer defined.") };
	if (record.definition !== kept.definition) return { ended: t("The agent's definition has changed.") };
	const outdated = parts.grants.outdated(record);
	if (outdated !== undefined) return { ended: outdated, outdated: true };
	return here || record.external ? bindingEnd(record, parts) : undefined;
}

/** What it is bound to is not what it was. */
async function bindingEnd(grant: Grant, parts: GrantRowOptions): Promise<End | undefined> {
	if (grant.external) {
		const now = parts.grants.seen(grant.tool);
		return now === undefined || now === grant.class ? undefined : { ended: t("The tool's definition has changed.") };
	}
	if (grant.scriptsHash === undefined || (await isBound(grant, parts))) return undefined;
	const files = grant.bound ?? [];
	return {
		ended:
			files.length > 0 ? t("The command's definition in {0} has changed.", files.join(", ")) : t("The command's definition has changed."),
	};
}

/** It may have been given in a folder of its own: that of the first file it is bound to is tried as well. */
async function isBound({ class: covered, scriptsHash, bound }: Grant, { offered }: GrantRowOptions): Promise<boolean> {
	const folder = dirname(bound?.[0] ?? "");
	const own = folder !== "." && !isAbsolute(folder);
	for (const cwd of own ? [undefined, folder] : [undefined]) {
		const now = await offered(covered, cwd).catch(() => []);
		if (now.some((one) => one.class === covered && one.scriptsHash === scriptsHash)) return true;
	}
	return false;
}

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
			? t("1 saved approval or rule covers less than before, so Troupe asks again.")
			: t("{0} saved approvals or rules cover less than before, so Troupe asks again.", fresh.length);
	const show = t("Show Approvals");
	if ((await say(text, show)) === show) await showApprovals();
}

/** Whoever begins later reads of it in the setting itself. */
async function tellOfReading({ asksForAll, askForReading, told, say }: ApprovalNotificationOptions): Promise<void> {
	if (told.get(READING) === true) return;
	await told.update(READING, true);
	if (!asksForAll()) return;
	const ask = t("Require Approval");
	const text = t("Read-only commands, such as ls and git status, now run without approval.");
	if ((await say(text, ask, t("OK"))) === ask) await askForReading();
}

// Lists all approvals for display: coverage, location, what ends each, and why some no longer apply.
import { dirname, isAbsolute } from "node:path/posix";
import { ANY_WORKSPACE, formatGrantEntry, type GrantRecord, parseGrantEntry } from "../../core/grant.ts";
import type { Grant, Grantable } from "../../core/ports/gate.ts";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import { contentHash } from "../../shared/node/hash.ts";
import type { AgentGrants, Grants } from "../state/grants.ts";
import { formatCoverage, formatEndCondition, formatPlace, formatSince, formatUnusedEntry } from "./grantText.ts";

export interface GrantRow {
	/** "" for a rule and for an unreadable record. */
	agentId: string;
	/** The agent's name, or its id if it is no longer defined. */
	agent: string;
	/** The entry that is revoked: `tool` or `tool(class)`, as it appears in a list. */
	entry: string;
	/** The workspace it is revoked in; absent for all workspaces. */
	workspace?: string;
	/** The session it was given in; it ends with that session. */
	session?: { id: string; name: string };
	/** Raw text of an unreadable record. */
	unreadable?: string;
	/** Place where it applies. */
	place: string;
	/** Full sentences about what it covers and since when. */
	sentence: string;
	/** Reason why it does not apply now. */
	ended?: string;
	/** It was stored under earlier rules, and today's rules do not offer it. */
	outdated?: boolean;
	/** It applies, but not in this workspace. */
	elsewhere?: boolean;
	/** The setting that contains it and the only place to remove it. */
	inSettings?: "troupe.agents" | "troupe.permissions";
}

/** The approvals that an open session holds for itself. */
export interface SessionGrants {
	id: string;
	name: string;
	grants: readonly Grant[];
}

interface GrantRowOptions {
	/** The user's allow rules that allow less than before, with the reason; none if absent. */
	narrowed?(): readonly { rule: string; reason: string }[];
	grants: Pick<Grants, "kept" | "lost" | "seen" | "problem" | "outdated">;
	/** Id of the open workspace. */
	workspace(): string;
	/** Resolves to what approvals of a command run in that folder would be bound to now; the first folder if absent. */
	offered(command: string, cwd?: string): Promise<readonly Grantable[]>;
	/** Open sessions with approvals of their own; none if absent. */
	sessions?(): Promise<readonly SessionGrants[]>;
}

/** Ordered by agent, the default agent first, then by when they were given. */
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

/** Lists only rows that today's rules no longer offer in the same form, and unreadable records. Does not inspect commands. */
export async function listOutdatedRows(parts: Omit<GrantRowOptions, "offered" | "sessions">): Promise<GrantRow[]> {
	return (await listGrantRows({ ...parts, offered: async () => [] })).filter(({ outdated }) => outdated);
}

/** Revokes a row's approval. Rejects with a displayable message; the approval then still applies. */
export async function revokeGrantRow(
	grants: Pick<Grants, "revoke" | "discard">,
	revokeIn: (session: string, agentId: string, entry: string) => Promise<void>,
	{ agentId, entry, workspace, session, unreadable, inSettings }: GrantRow,
): Promise<void> {
	if (inSettings === "troupe.permissions") throw new UserError(t("“{0}” is one of your rules. Change it in Settings.", entry));
	if (unreadable !== undefined) return grants.discard(unreadable, agentId === "" ? undefined : agentId);
	if (session) return revokeIn(session.id, agentId, entry);
	return grants.revoke(agentId, entry, workspace);
}

type AgentFields = Pick<GrantRow, "agentId" | "agent">;

function agentFieldsOf(kept: AgentGrants): AgentFields {
	return { agentId: kept.agent, agent: kept.listed?.definition.displayName ?? kept.agent };
}

async function rowsOf(kept: AgentGrants, parts: GrantRowOptions, lost: boolean): Promise<GrantRow[]> {
	const agentFields = agentFieldsOf(kept);
	const parsed = kept.entries.map((text) => ({ text, entry: parseGrantEntry(text)?.entry ?? text }));
	const standing = new Set(parsed.map(({ entry }) => entry));
	const fromRequests = kept.records.filter((record) => !record.written && (!record.listed || standing.has(formatGrantEntry(record))));
	const rows: GrantRow[] = [];
	for (const record of fromRequests) {
		const here = record.workspace === parts.workspace();
		const ended = await endOf(record, kept, parts, here);
		rows.push({
			...agentFields,
			entry: formatGrantEntry(record),
			workspace: record.workspace,
			place: formatPlace(record, here),
			sentence: recordWords(record, here),
			...(ended ?? (!here && { elsewhere: true })),
		});
	}
	const fromCard = new Set(fromRequests.filter(({ listed }) => listed).map(formatGrantEntry));
	for (const { text, entry } of parsed.filter((one) => !fromCard.has(one.entry))) {
		const met = kept.records.find(
			(record) => record.written && formatGrantEntry(record) === entry && [parts.workspace(), ANY_WORKSPACE].includes(record.workspace),
		);
		rows.push({
			...agentFields,
			entry,
			place: formatPlace(met ?? { workspace: ANY_WORKSPACE }, true),
			sentence: met ? recordWords(met, true) : formatUnusedEntry(),
			...(await entryEnd(text, met, kept, parts, lost)),
			...(!kept.list && { inSettings: "troupe.agents" as const }),
		});
	}
	return [...rows, ...kept.unreadable.map((text) => unreadableRow(agentFields, text))];
}

function recordWords(record: GrantRecord, here: boolean): string {
	const covers = formatCoverage(record, here && record.workspace !== ANY_WORKSPACE ? "always" : "anywhere");
	// The line may be truncated at its end. The date comes first because the entry also shows what is covered.
	return [formatSince(record), covers, formatEndCondition(record)].filter(Boolean).join(" ");
}

async function sessionRows(kept: AgentGrants, { id, name, grants }: SessionGrants, parts: GrantRowOptions): Promise<GrantRow[]> {
	const agentFields = agentFieldsOf(kept);
	const row = async (grant: Grant): Promise<GrantRow> => ({
		...agentFields,
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

/** Characters shown of an unreadable record. */
const SHOWN = 80;

function unreadableRow(agentFields: AgentFields, unreadable: string): GrantRow {
	const text = agentFields.agentId === "" ? Buffer.from(unreadable, "latin1").toString() : unreadable;
	const line = text.replace(/\s+/g, " ");
	return {
		...agentFields,
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

/** Returns why the approval no longer applies, if it doesn't. */
async function endOf(record: GrantRecord, kept: AgentGrants, parts: GrantRowOptions, here: boolean): Promise<End | undefined> {
	if (!kept.listed) return { ended: t("The agent is no longer defined.") };
	if (record.definition !== kept.definition) return { ended: t("The agent's definition has changed.") };
	const outdated = parts.grants.outdated(record);
	if (outdated !== undefined) return { ended: outdated, outdated: true };
	return here || record.external ? bindingEnd(record, parts) : undefined;
}

/** Compares what the approval is bound to with its current state. */
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

/** The approval may have been given in a subfolder, so the folder of the first bound file is tried as well. */
async function isBound({ class: covered, scriptsHash, bound }: Grant, { offered }: GrantRowOptions): Promise<boolean> {
	const folder = dirname(bound?.[0] ?? "");
	const inSubfolder = folder !== "." && !isAbsolute(folder);
	for (const cwd of inSubfolder ? [undefined, folder] : [undefined]) {
		const now = await offered(covered, cwd).catch(() => []);
		if (now.some((one) => one.class === covered && one.scriptsHash === scriptsHash)) return true;
	}
	return false;
}

export interface ApprovalNotificationOptions {
	/** Approvals that today's rules no longer offer in the same form, and unreadable records. */
	outdated(): Promise<readonly GrantRow[]>;
	/** The user has set `troupe.approval` to `ask` and has no setting for read-only commands. */
	asksForAll(): boolean;
	/** Makes read-only commands require approval. */
	askForReading(): Promise<unknown>;
	/** Record of what the user has been notified of, in all windows. */
	told: { get(key: string): unknown; update(key: string, value: unknown): PromiseLike<void> };
	/** Shows an editor message; resolves with the chosen button. */
	say(text: string, ...buttons: string[]): PromiseLike<string | undefined>;
	showApprovals(): PromiseLike<unknown>;
}

const OUTDATED = "troupe.outdatedApprovalsTold";
const READING = "troupe.readingCommandsTold";
/** Maximum number of rows remembered as notified. */
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

/** New users learn of it from the setting itself. */
async function tellOfReading({ asksForAll, askForReading, told, say }: ApprovalNotificationOptions): Promise<void> {
	if (told.get(READING) === true) return;
	await told.update(READING, true);
	if (!asksForAll()) return;
	const ask = t("Require Approval");
	const text = t("Read-only commands, such as ls and git status, now run without approval.");
	if ((await say(text, ask, t("OK"))) === ask) await askForReading();
}

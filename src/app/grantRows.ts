// All standing approvals as a person reads them: what each is, where it counts, what ends it and what has ended it.
import { EVERYWHERE, entryOf, type GrantRecord, parseEntry } from "../core/grants.ts";
import { t } from "../l10n.ts";
import type { Grants, KeptGrants } from "./grants.ts";
import { entrySentence, recordSentence } from "./grantWords.ts";

export interface GrantRow {
	agentId: string;
	/** Its name, or its id where it is not defined any more. */
	agent: string;
	/** What is taken back: `tool` or `tool(class)`, as it stands in a list. */
	entry: string;
	/** Where it is taken back; absent where that is everywhere. */
	workspace?: string;
	sentence: string;
	/** Why it does not count now. */
	ended?: string;
	/** It counts, and not here. */
	elsewhere?: boolean;
	/** It stands in the settings, where alone it can be taken out. */
	inSettings?: boolean;
}

export interface RowParts {
	grants: Pick<Grants, "kept" | "lost" | "seen" | "problem">;
	/** The workspace that is open. */
	workspace(): string;
	/** The hash of the scripts that a command would run now. */
	scripts(command: string): Promise<string | undefined>;
}

/** The default agent's first, then in the order of the agents; of each in the order in which they were given. */
export async function grantRows(parts: RowParts): Promise<GrantRow[]> {
	const [kept, lost] = [await parts.grants.kept(), await parts.grants.lost()];
	const scripts = new Map<string, Promise<string | undefined>>();
	const scriptsNow = (command: string): Promise<string | undefined> => {
		const asked = scripts.get(command) ?? parts.scripts(command);
		scripts.set(command, asked);
		return asked;
	};
	const rows = await Promise.all(kept.map((one) => rowsOf(one, { ...parts, scripts: scriptsNow }, lost)));
	return rows.flat();
}

async function rowsOf(kept: KeptGrants, parts: RowParts, lost: boolean): Promise<GrantRow[]> {
	const own = { agentId: kept.agent, agent: kept.listed?.definition.displayName ?? kept.agent };
	const parsed = kept.entries.map((text) => ({ text, entry: parseEntry(text)?.entry ?? text }));
	const standing = new Set(parsed.map(({ entry }) => entry));
	const asked = kept.records.filter((record) => !record.written && (!record.listed || standing.has(entryOf(record))));
	const rows: GrantRow[] = [];
	for (const record of asked) {
		const here = record.workspace === parts.workspace();
		const ended = await endOf(record, kept, parts, here);
		rows.push({
			...own,
			entry: entryOf(record),
			workspace: record.workspace,
			sentence: recordSentence(record, here),
			...(ended !== undefined ? { ended } : !here && { elsewhere: true }),
		});
	}
	const fromCard = new Set(asked.filter(({ listed }) => listed).map(entryOf));
	for (const { text, entry } of parsed) {
		if (fromCard.has(entry)) continue;
		const bound = kept.records.filter((record) => record.written && entryOf(record) === entry);
		const met = bound.find(({ workspace }) => workspace === parts.workspace() || workspace === EVERYWHERE);
		const ended =
			parts.grants.problem(text) ??
			(met ? await endOf(met, kept, parts, true) : undefined) ??
			(lost && !met
				? t("The records of what was allowed were damaged, so nobody knows what it stood for. Allow it again on the card.")
				: undefined);
		rows.push({
			...own,
			entry,
			sentence: met ? recordSentence(met, true) : entrySentence(),
			...(ended !== undefined && { ended }),
			...(!kept.list && { inSettings: true }),
		});
	}
	return rows;
}

/** What has ended it by now. */
async function endOf(record: GrantRecord, kept: KeptGrants, parts: RowParts, here: boolean): Promise<string | undefined> {
	if (!kept.listed) return t("The agent is not defined any more.");
	if (record.definition !== kept.definition) return t("The agent's definition has changed since.");
	if (record.external) {
		const now = parts.grants.seen(record.tool);
		return now === undefined || now === record.class ? undefined : t("The tool's definition has changed since.");
	}
	if (record.scriptsHash === undefined || !here) return undefined;
	return (await parts.scripts(record.class)) === record.scriptsHash ? undefined : t("The scripts in package.json have changed since.");
}

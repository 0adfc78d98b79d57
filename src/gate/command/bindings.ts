// Says what a lasting approval of a command covers, and binds it to the files that define what will run.

import { createHash } from "node:crypto";
import type { SimpleCommand } from "../../core/ports/gate.ts";
import { t } from "../../shared/l10n.ts";
import type { Assessment } from "../programs/judgement.ts";
import type { CommandContext } from "./context.ts";
import { addDefinitions, type Definitions } from "./definitions.ts";

interface Lasting extends Pick<SimpleCommand, "class" | "boundTo" | "bound" | "line"> {
	/** Why it asks every time: a file that defines it cannot be read. */
	unreadable?: string;
}

interface Bindable {
	judgement: Assessment;
	/** The file that runs. */
	file?: string;
	words: readonly string[];
	/** With its variables, and with what it gets as its input. */
	line: string;
	here: readonly string[];
	/** What git told that the approval is bound to. */
	bound?: string;
}

const LONGEST_PROGRAM = 20_000_000;

/** Nothing where no approval lasts: what cannot be read binds nothing. */
export async function approvalBindingOf(context: CommandContext, wanted: Bindable): Promise<Lasting> {
	const { judgement, words, here } = wanted;
	if (judgement.deletes) return {};
	const found: Definitions = { parts: wanted.bound === undefined ? [] : [wanted.bound], names: [] };
	if (judgement.class === undefined && !judgement.line) return {};
	for (const binding of judgement.bindings ?? []) {
		for (const base of here) {
			if (await addDefinitions(context, binding, base, found)) continue;
			return { unreadable: t("what {0} runs is defined in files that cannot be read", judgement.class ?? words[0] ?? "") };
		}
	}
	if (judgement.class === undefined) {
		const program = await identityOf(context, wanted.file);
		if (program === undefined) return {};
		const parts = [...found.parts, ...here, program];
		return {
			class: wanted.line,
			line: true,
			boundTo: hash(parts),
			bound: [...(wanted.file === undefined ? [] : [wanted.file]), ...found.names],
		};
	}
	if (found.parts.length === 0) return { class: judgement.class };
	return { class: judgement.class, boundTo: hash([...new Set(found.parts)].sort()), bound: [...new Set(found.names)] };
}

/** By content where an agent may change it; else by where it is, its size and its time. */
async function identityOf({ surroundings, paths, look }: CommandContext, file: string | undefined): Promise<string | undefined> {
	if (file === undefined) return "no file";
	const { disk } = surroundings;
	const fact = await paths.word(file, "/", "read", look);
	const stat = await disk.lstat(fact.real).catch(() => undefined);
	if (!stat) return `missing ${fact.real}`;
	if (fact.realInside === undefined) return `${fact.real} ${stat.size} ${stat.mtime}`;
	const bytes = await disk.peek(fact.real, LONGEST_PROGRAM + 1);
	return bytes && bytes.length <= LONGEST_PROGRAM ? `${fact.real} ${hash([Buffer.from(bytes).toString("base64")])}` : undefined;
}

/** As one would type it. */
export function quoteWords(words: readonly string[]): string {
	return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

function hash(parts: readonly string[]): string {
	return createHash("sha256").update(parts.join("\n")).digest("hex");
}

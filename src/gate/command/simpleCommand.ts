// Judges one simple command: its program by the tables, its words by what they are on disk, its approval by what defines it.

import type { SimpleCommand } from "../../core/ports/gate.ts";
import type { PathFacts } from "../../core/ports/tool.ts";
import { gitFacts } from "../git/facts.ts";
import type { Assessment, Operand } from "../programs/judgement.ts";
import type { ShellWord } from "../shell/shellWord.ts";
import { approvalBindingOf, quoteWords } from "./bindings.ts";
import type { CommandContext, ExpandedWords } from "./context.ts";
import { identifyProgram } from "./identify.ts";
import { operandFactsOf } from "./operands.ts";
import { projectFiles } from "./projectFiles.ts";

/** `here` are the folders that the line may be in, `feed` is what stands before the words: `cat a | CI=1 `. */
export async function assessSimpleCommand(
	context: CommandContext,
	given: ExpandedWords,
	inputs: readonly ShellWord[],
	here: readonly string[],
	feed: string,
): Promise<SimpleCommand> {
	const { words } = given;
	const read = inputs.map(({ text }): Operand => ({ word: text, use: "read", reach: { kind: "itself" } }));
	const plugin = await context.surroundings.programs?.program(words[0] as string);
	if (plugin !== undefined) return { words, program: plugin, paths: await operandFactsOf(context, read, here).then(({ facts }) => facts) };
	const known = await identifyProgram(context, given, here);
	const judgement = await inProject(context, known.judgement, here);
	const [operands, git] = await Promise.all([
		operandFactsOf(context, [...judgement.operands, ...namesOf(given, judgement.operands), ...read], here, judgement.line === true),
		judgement.git && gitFacts(context, judgement.git, here),
	]);
	const always = judgement.always ?? operands.always ?? git?.always;
	const paths: PathFacts[] = [...operands.facts, ...(git?.paths ?? [])];
	const { unreadable, ...lasting } = await approvalBindingOf(context, {
		...known,
		judgement,
		words,
		line: `${feed}${quoteWords(words)}${inputs.map(({ text }) => ` < ${quoteWords([text])}`).join("")}`,
		here,
		...(git?.bound !== undefined && { bound: git.bound }),
	});
	const asks = judgement.asks ?? unreadable;
	return {
		words,
		...(known.inner && { inner: known.inner }),
		paths,
		...(always !== undefined && { always }),
		...(asks !== undefined && { asks }),
		...(judgement.reads && { reads: true }),
		...(judgement.sandboxed && { sandboxed: true }),
		...(git?.unlessHardened !== undefined && { unlessHardened: git.unlessHardened }),
		...((lasting.line || git?.lasts) && { answerable: true }),
		...(git?.hooks && { hooks: git.hooks }),
		...(git?.addresses && { addresses: git.addresses }),
		...(judgement.deletes && { deletes: true }),
		...(judgement.network && { network: true }),
		...(judgement.fetches && { fetches: true }),
		...(judgement.permissions && { permissions: judgement.permissions }),
		...lasting,
	};
}

/** In the light of the project's files; where they differ between the folders that it may run in, as the strictest has it. */
async function inProject(context: CommandContext, judgement: Assessment, here: readonly string[]): Promise<Assessment> {
	if (!judgement.later) return judgement;
	const found = await Promise.all(here.map((base) => judgement.later?.(projectFiles(context, base)) ?? judgement));
	return found.find(({ always }) => always !== undefined) ?? found.find(({ asks }) => asks !== undefined) ?? found[0] ?? judgement;
}

/** Names that a pattern was expanded to are names of files, wherever the program takes them for something else. */
function namesOf({ words, matched }: ExpandedWords, operands: Assessment["operands"]): Operand[] {
	const known = new Set(operands.map(({ word }) => word));
	return [...matched].map((place) => words[place] as string).flatMap((word) => (known.has(word) ? [] : [{ word, use: "read" as const }]));
}

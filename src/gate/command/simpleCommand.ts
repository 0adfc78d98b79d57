// Assesses one simple command: its program, its path operands, and the files its approval is bound to.
import type { SimpleCommand } from "../../core/ports/gate.ts";
import type { PathFacts } from "../../core/ports/tool.ts";
import type { ProgramFlavor, ResolvedProgram } from "../../core/ports/workspace.ts";
import { t } from "../../shared/l10n.ts";
import { gitFacts } from "../git/gitFacts.ts";
import type { Assessment, Invocation, Operand } from "../programs/assessment.ts";
import { assessKnownProgram, assessUnknownProgram, builtins, defaultFlavor, isShim, wrapperScriptsByName } from "../programs/lookup.ts";
import { isCommandWrapper, unwrapCommand } from "../programs/unwrapCommand.ts";
import { nativePath } from "../resolveLinks.ts";
import type { ShellWord } from "../shell/shellWord.ts";
import { approvalBindingOf, projectFiles, quoteWords } from "./approvalBinding.ts";
import type { CommandContext, ExpandedWords } from "./context.ts";
import { operandFactsOf } from "./operands.ts";

/** `here`: the folders that the line may be in. `feed`: the text before the words, such as `cat a | CI=1 `. */
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

/** Refines the assessment with the project's files; if the possible folders differ, the strictest result is used. */
async function inProject(context: CommandContext, judgement: Assessment, here: readonly string[]): Promise<Assessment> {
	if (!judgement.later) return judgement;
	const found = await Promise.all(here.map((base) => judgement.later?.(projectFiles(context, base)) ?? judgement));
	return found.find(({ always }) => always !== undefined) ?? found.find(({ asks }) => asks !== undefined) ?? found[0] ?? judgement;
}

/** Names from an expanded pattern are file names, even if the program treats them as something else. */
function namesOf({ words, matched }: ExpandedWords, operands: Assessment["operands"]): Operand[] {
	const known = new Set(operands.map(({ word }) => word));
	return [...matched].map((place) => words[place] as string).flatMap((word) => (known.has(word) ? [] : [{ word, use: "read" as const }]));
}

interface IdentifiedProgram {
	judgement: Assessment;
	/** The words that were assessed, if they are behind a runner. */
	inner?: readonly string[];
	/** The file that runs; absent for shell builtins and missing programs. */
	file?: string;
}

const MOST_RUNNERS = 5;

async function identifyProgram(
	context: CommandContext,
	{ words, unknown }: ExpandedWords,
	here: readonly string[],
): Promise<IdentifiedProgram> {
	let call: Invocation = { words, unknown, flavor: defaultFlavor() };
	/** Set if the runner determines the flavor by its name: `busybox sed`. */
	let said: ProgramFlavor | undefined;
	let open = false;
	let inShell = true;
	for (let depth = 0; depth <= MOST_RUNNERS; depth++) {
		const name = call.words[0] ?? "";
		const found = inShell && Object.hasOwn(builtins, name) ? undefined : await findProgram(context, name, here);
		if (found?.inWorkspace) return { ...inWorkspace(call, found), file: found.path };
		if (found) call = { ...call, words: [found.name, ...call.words.slice(1)], flavor: said ?? found.flavor };
		const inner = unwrapCommand(call);
		if (!inner) {
			const judgement = throughShim(lookUp(call, inShell, open), found);
			return { judgement, ...(depth > 0 && { inner: call.words }), ...(found && { file: found.path }) };
		}
		open ||= inner.open === true;
		inShell = inner.builtins === true;
		said = inner.flavor;
		call = { words: inner.words, unknown: inner.unknown, flavor: said ?? defaultFlavor() };
	}
	return { judgement: assessUnknownProgram(call) };
}

function lookUp(call: Invocation, inShell: boolean, open: boolean): Assessment {
	const judgement = assessKnownProgram(call, inShell);
	if (!judgement) return isCommandWrapper(call.words[0] ?? "") ? hidden(assessUnknownProgram(call)) : assessUnknownProgram(call);
	if (!open || judgement.anyWords) return judgement;
	const name = call.words[0] ?? "";
	return { always: t("{0} receives arguments that only the shell can resolve.", name), line: true, operands: judgement.operands };
}

/** A rule for a runner does not cover what it runs. */
function hidden({ asks, ...judgement }: Assessment): Assessment {
	return { ...judgement, ...(asks !== undefined && { always: asks }) };
}

/** Files in the repository decide which program a shim runs. */
function throughShim(judgement: Assessment, found: ResolvedProgram | undefined): Assessment {
	return judgement.reads && found && isShim(found) ? { ...judgement, sandboxed: true } : judgement;
}

interface Found extends ResolvedProgram {
	/** The name in the tables. */
	name: string;
}

/** A program given by path is a known one if it is the same file that its name resolves to. */
async function findProgram(
	{ surroundings, paths, look }: CommandContext,
	name: string,
	here: readonly string[],
): Promise<Found | undefined> {
	if (!name.includes("/")) {
		const found = await surroundings.host?.find(name);
		return found && { ...found, name };
	}
	const facts = await Promise.all(here.map((base) => paths.word(name, base, "read", look)));
	const [fact] = facts;
	if (!fact) return undefined;
	if (facts.some(({ realInside, literalInside }) => realInside !== undefined || literalInside !== undefined)) {
		return { name, path: fact.literal, real: fact.real, flavor: defaultFlavor(), inWorkspace: true };
	}
	const base = name.split("/").at(-1) ?? name;
	const known = await surroundings.host?.find(base);
	return known && !known.inWorkspace && known.real === fact.real ? { ...known, name: base } : undefined;
}

/** Wrapper scripts that projects contain are known by name; all other workspace files are unknown programs. */
function inWorkspace(call: Invocation, { path }: ResolvedProgram): IdentifiedProgram {
	const script = wrapperScriptsByName[nativePath.basename(path)];
	if (script && call.words[0]?.includes("/")) return { judgement: script(call) };
	const asks = t("{0} is a program in this workspace.", path);
	return { judgement: { ...assessUnknownProgram(call), asks } };
}

// Assesses one simple command: its program, its path operands, and the files its approval is bound to.
import type { SimpleCommand } from "../../core/ports/gate.ts";
import type { PathFacts } from "../../core/ports/tool.ts";
import type { ProgramFlavor, ResolvedProgram } from "../../core/ports/workspace/programs.ts";
import { t } from "../../shared/l10n.ts";
import { gitFacts } from "../git/gitFacts.ts";
import { assessKnownProgram } from "../knownPrograms.ts";
import type { Assessment, Invocation, Operand } from "../programs/assessment.ts";
import { assessUnknownProgram, builtins, defaultFlavor, isShim, wrapperScriptsByName } from "../programs/lookup.ts";
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
	const plugin = await context.gateContext.programs?.program(words[0] as string);
	if (plugin !== undefined) return { words, program: plugin, paths: await operandFactsOf(context, read, here).then(({ facts }) => facts) };
	const known = await identifyProgram(context, given, here);
	const assessment = await inProject(context, known.assessment, here);
	const [operands, git] = await Promise.all([
		operandFactsOf(context, [...assessment.operands, ...matchedNames(given, assessment.operands), ...read], here, assessment.line === true),
		assessment.git && gitFacts(context, assessment.git, here),
	]);
	const always = assessment.always ?? operands.always ?? git?.always;
	const paths: PathFacts[] = [...operands.facts, ...(git?.paths ?? [])];
	const { unreadable, ...lasting } = await approvalBindingOf(context, {
		...known,
		assessment,
		words,
		line: `${feed}${quoteWords(words)}${inputs.map(({ text }) => ` < ${quoteWords([text])}`).join("")}`,
		here,
		...(git?.bound !== undefined && { bound: git.bound }),
	});
	const asks = assessment.asks ?? unreadable;
	return {
		words,
		...(known.inner && { inner: known.inner }),
		paths,
		...(always !== undefined && { always }),
		...(asks !== undefined && { asks }),
		...(assessment.reads && { reads: true }),
		...(assessment.sandboxed && { sandboxed: true }),
		...(git?.unlessHardened !== undefined && { unlessHardened: git.unlessHardened }),
		...((lasting.line || git?.lasts) && { answerable: true }),
		...(git?.hooks && { hooks: git.hooks }),
		...(git?.addresses && { addresses: git.addresses }),
		...(assessment.deletes && { deletes: true }),
		...(assessment.network && { network: true }),
		...(assessment.fetches && { fetches: true }),
		...(assessment.permissions && { permissions: assessment.permissions }),
		...lasting,
	};
}

/** Refines the assessment with the project's files; if the possible folders differ, the strictest result is used. */
async function inProject(context: CommandContext, assessment: Assessment, here: readonly string[]): Promise<Assessment> {
	if (!assessment.later) return assessment;
	const found = await Promise.all(here.map((base) => assessment.later?.(projectFiles(context, base)) ?? assessment));
	return found.find(({ always }) => always !== undefined) ?? found.find(({ asks }) => asks !== undefined) ?? found[0] ?? assessment;
}

/** Names from an expanded pattern are file names, even if the program treats them as something else. */
function matchedNames({ words, matched }: ExpandedWords, operands: Assessment["operands"]): Operand[] {
	const known = new Set(operands.map(({ word }) => word));
	return [...matched].map((place) => words[place] as string).flatMap((word) => (known.has(word) ? [] : [{ word, use: "read" as const }]));
}

interface IdentifiedProgram {
	assessment: Assessment;
	/** The words that were assessed, if they are behind a runner. */
	inner?: readonly string[];
	/** The file that runs; absent for shell builtins and missing programs. */
	file?: string;
}

const MAX_RUNNERS = 5;

async function identifyProgram(
	context: CommandContext,
	{ words, unknown }: ExpandedWords,
	here: readonly string[],
): Promise<IdentifiedProgram> {
	let call: Invocation = { words, unknown, flavor: defaultFlavor() };
	/** Set if the runner determines the flavor by its name: `busybox sed`. */
	let runnerFlavor: ProgramFlavor | undefined;
	let open = false;
	let inShell = true;
	for (let depth = 0; depth <= MAX_RUNNERS; depth++) {
		const name = call.words[0] ?? "";
		const found = inShell && Object.hasOwn(builtins, name) ? undefined : await findProgram(context, name, here);
		if (found?.inWorkspace) return { ...assessWorkspaceProgram(call, found), file: found.path };
		if (found) call = { ...call, words: [found.name, ...call.words.slice(1)], flavor: runnerFlavor ?? found.flavor };
		const inner = unwrapCommand(call);
		if (!inner) {
			const assessment = throughShim(assessProgram(call, inShell, open), found);
			return { assessment, ...(depth > 0 && { inner: call.words }), ...(found && { file: found.path }) };
		}
		open ||= inner.open === true;
		inShell = inner.builtins === true;
		runnerFlavor = inner.flavor;
		call = { words: inner.words, unknown: inner.unknown, flavor: runnerFlavor ?? defaultFlavor() };
	}
	return { assessment: assessUnknownProgram(call) };
}

function assessProgram(call: Invocation, inShell: boolean, open: boolean): Assessment {
	const assessment = assessKnownProgram(call, inShell);
	if (!assessment) return isCommandWrapper(call.words[0] ?? "") ? ignoreRules(assessUnknownProgram(call)) : assessUnknownProgram(call);
	if (!open || assessment.anyWords) return assessment;
	const name = call.words[0] ?? "";
	return { always: t("{0} receives arguments that only the shell can resolve.", name), line: true, operands: assessment.operands };
}

/** A rule for a runner does not cover what it runs. */
function ignoreRules({ asks, ...assessment }: Assessment): Assessment {
	return { ...assessment, ...(asks !== undefined && { always: asks }) };
}

/** Files in the repository decide which program a shim runs. */
function throughShim(assessment: Assessment, found: ResolvedProgram | undefined): Assessment {
	return assessment.reads && found && isShim(found) ? { ...assessment, sandboxed: true } : assessment;
}

interface FoundProgram extends ResolvedProgram {
	/** The name in the tables. */
	name: string;
}

/** A program given by path is a known one if it is the same file that its name resolves to. */
async function findProgram(
	{ gateContext, paths, look }: CommandContext,
	name: string,
	here: readonly string[],
): Promise<FoundProgram | undefined> {
	if (!name.includes("/")) {
		const found = await gateContext.host?.find(name);
		return found && { ...found, name };
	}
	const facts = await Promise.all(here.map((base) => paths.word(name, base, "read", look)));
	const [fact] = facts;
	if (!fact) return undefined;
	if (facts.some(({ realInside, literalInside }) => realInside !== undefined || literalInside !== undefined)) {
		return { name, path: fact.literal, real: fact.real, flavor: defaultFlavor(), inWorkspace: true };
	}
	const base = name.split("/").at(-1) ?? name;
	const known = await gateContext.host?.find(base);
	return known && !known.inWorkspace && known.real === fact.real ? { ...known, name: base } : undefined;
}

/** Wrapper scripts that projects contain are known by name; all other workspace files are unknown programs. */
function assessWorkspaceProgram(call: Invocation, { path }: ResolvedProgram): IdentifiedProgram {
	const script = wrapperScriptsByName[nativePath.basename(path)];
	if (script && call.words[0]?.includes("/")) return { assessment: script(call) };
	const asks = t("{0} is a program in this workspace.", path);
	return { assessment: { ...assessUnknownProgram(call), asks } };
}

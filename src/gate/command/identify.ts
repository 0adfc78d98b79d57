// Finds out which program a command runs, behind other names and runners, and looks it up in the tables.

import type { ProgramFlavor, ResolvedProgram } from "../../core/ports/workspace.ts";
import { t } from "../../shared/l10n.ts";
import type { Assessment, Invocation } from "../programs/judgement.ts";
import { assessKnownProgram, assessUnknownProgram, defaultFlavor } from "../programs/lookup.ts";
import { isShim } from "../programs/shims.ts";
import { builtins, wrapperScriptsByName } from "../programs/tables.ts";
import { isCommandWrapper, unwrapCommand } from "../programs/unwrapped.ts";
import { nativePath } from "../resolveLinks.ts";
import type { CommandContext, ExpandedWords } from "./context.ts";

export interface IdentifiedProgram {
	judgement: Assessment;
	/** The words that were judged, where they stand behind a runner. */
	inner?: readonly string[];
	/** The file that runs; absent for builtins of the shell and for what is not there. */
	file?: string;
}

const MOST_RUNNERS = 5;

export async function identifyProgram(
	context: CommandContext,
	{ words, unknown }: ExpandedWords,
	here: readonly string[],
): Promise<IdentifiedProgram> {
	let call: Invocation = { words, unknown, flavor: defaultFlavor() };
	/** Where the runner says it by its name: `busybox sed`. */
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
	return { always: t("{0} gets words that only the shell could know", name), line: true, operands: judgement.operands };
}

/** A rule about a runner says nothing of what it runs. */
function hidden({ asks, ...judgement }: Assessment): Assessment {
	return { ...judgement, ...(asks !== undefined && { always: asks }) };
}

/** Which program it stands for is for files of the repository to say. */
function throughShim(judgement: Assessment, found: ResolvedProgram | undefined): Assessment {
	return judgement.reads && found && isShim(found) ? { ...judgement, sandboxed: true } : judgement;
}

interface Found extends ResolvedProgram {
	/** As the tables know it. */
	name: string;
}

/** A program by its path is the one that the table means where it is the very file that its name finds. */
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

/** A wrapper that projects bring along is known by its name; every other file of the workspace is not. */
function inWorkspace(call: Invocation, { path }: ResolvedProgram): IdentifiedProgram {
	const script = wrapperScriptsByName[nativePath.basename(path)];
	if (script && call.words[0]?.includes("/")) return { judgement: script(call) };
	const asks = t("{0} is a program in this workspace", path);
	return { judgement: { ...assessUnknownProgram(call), asks } };
}

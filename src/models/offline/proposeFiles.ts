// Proposes creating, moving and deleting files, after checking existence, ambiguity and mentions.

import type { Question } from "../../core/events.ts";
import { countReplacements } from "./edits.ts";
import { type OfflineTask, requestCalls } from "./generator.ts";
import type { OfflineIntent } from "./intents.ts";
import type { ProposalResult } from "./planDraft.ts";
import { createStep } from "./planSteps.ts";
import { createSearchCall, type OfferedTools, parsePaths, parseSearchHits } from "./search.ts";
import { formatCount, formatList, inlineCode } from "./textParsing.ts";

export function* proposeCreate({ path, content }: Extract<OfflineIntent, { do: "create" }>): OfflineTask<ProposalResult> {
	const found = yield* findFilesByPath(path, `Looking whether ${inlineCode(path)} exists.`);
	if (found.includes(path))
		return {
			text: `${inlineCode(path)} exists already, so I did not plan to create it. To change it, say for example: replace “old text” with “new text” in ${path}.`,
		};
	const note = content === "" ? "It will be empty." : `It will hold ${formatCount(content.split("\n").length - 1, "line")}.`;
	return {
		draft: {
			goal: `Create ${inlineCode(path)}`,
			steps: [createStep({ kind: "create", path }, "Asked for")],
			risks: [],
			prerequisites: [],
			note: `${inlineCode(path)} does not exist yet. ${note}`,
			shouldRunTests: false,
		},
	};
}

export function* proposeDelete({ path }: Extract<OfflineIntent, { do: "delete" }>, tools: OfferedTools): OfflineTask<ProposalResult> {
	const which = yield* oneFile(path, (candidate) => `Delete the file ${inlineCode(candidate)}`);
	if (!("path" in which)) return which;
	const mentions = yield* mentionsOf(which.path, tools);
	const risks = ["Deleting asks you once more before it happens."];
	if (mentions.length > 0) risks.unshift(`It is still mentioned at ${formatList(mentions, 5)}: these places may break.`);
	return {
		draft: {
			goal: `Delete ${inlineCode(which.path)}`,
			steps: [createStep({ kind: "delete", path: which.path }, "Asked for")],
			risks,
			prerequisites: [],
			note: `Found ${inlineCode(which.path)}.`,
			shouldRunTests: mentions.length > 0,
		},
	};
}

export function* proposeMove({ from, to }: Extract<OfflineIntent, { do: "move" }>, tools: OfferedTools): OfflineTask<ProposalResult> {
	const which = yield* oneFile(from, (candidate) => `Rename the file ${inlineCode(candidate)} to ${inlineCode(to)}`);
	if (!("path" in which)) return which;
	const target = targetOf(which.path, to);
	const [there] = yield* requestCalls("", [{ name: "find_files", input: { glob: globOf(target) } }]);
	if (there && parsePaths(there).includes(target))
		return {
			text: `${inlineCode(target)} exists already, so ${inlineCode(which.path)} cannot take its name. Nothing was changed; choose another name.`,
		};
	const mentions = yield* mentionsOf(which.path, tools);
	const risks = mentions.length > 0 ? [`It is mentioned at ${formatList(mentions, 5)}: paths there are not changed and may break.`] : [];
	return {
		draft: {
			goal: `Rename the file ${inlineCode(which.path)} to ${inlineCode(target)}`,
			steps: [createStep({ kind: "move", from: which.path, to: target }, "Asked for")],
			risks,
			prerequisites: [],
			note: `Found ${inlineCode(which.path)}.`,
			shouldRunTests: mentions.length > 0,
		},
	};
}

/** Returns files whose path ends with `path`. */
export function* findFilesByPath(path: string, say = `Looking for ${inlineCode(path)}.`): OfflineTask<string[]> {
	const [result] = yield* requestCalls(say, [{ name: "find_files", input: { glob: globOf(path) } }]);
	return result ? parsePaths(result) : [];
}

function globOf(path: string): string {
	const clean = path.replace(/^\.\//, "");
	return /[*?{]/.test(clean) ? clean : `**/${clean.replace(/[[\]()!]/g, "\\$&")}`;
}

function* oneFile(
	path: string,
	wish: (candidate: string) => string,
): OfflineTask<{ path: string } | { question: Question } | { text: string }> {
	const clean = path.replace(/^\.\//, "");
	let found = yield* findFilesByPath(clean);
	if (found.length === 0 && !/\.\w+$/.test(clean)) found = yield* findFilesByPath(`${clean}.*`);
	if (found.includes(clean)) return { path: clean };
	if (found.length === 1) return { path: found[0] as string };
	if (found.length === 0) return { text: `I found no file ${inlineCode(path)} in this workspace. Check the name; nothing was changed.` };
	return {
		question: {
			question: `${formatCount(found.length, "file")} fit ${inlineCode(path)}. Which one do you mean?`,
			severity: "major",
			options: found.slice(0, 8).map((candidate) => ({ label: candidate, value: wish(candidate) })),
			allow_custom: true,
		},
	};
}

/** Lines that name the file without its extension, as imports do. */
function* mentionsOf(path: string, tools: OfferedTools): OfflineTask<string[]> {
	const stem =
		path
			.split("/")
			.at(-1)
			?.replace(/(?<=.)\.\w+$/, "") ?? path;
	const [result] = yield* requestCalls(`Looking who mentions ${inlineCode(stem)}.`, [createSearchCall(stem, tools)]);
	const lines = result ? parseSearchHits(result) : [];
	return lines
		.filter(
			(hit) => hit.path !== path && countReplacements(hit.text, { from: stem, to: "", wholeName: true }) > 0 && /["'`/]/.test(hit.text),
		)
		.map((hit) => `${hit.path}:${hit.line}`);
}

function targetOf(from: string, to: string): string {
	const name = from.split("/").at(-1) ?? from;
	if (to.endsWith("/")) return `${to.replace(/^\.\//, "")}${name}`;
	const ending = /\.\w+$/.exec(name)?.[0] ?? "";
	const target = /\.\w+$/.test(to) ? to : `${to}${ending}`;
	return target.includes("/") ? target.replace(/^\.\//, "") : from.slice(0, from.length - name.length) + target;
}

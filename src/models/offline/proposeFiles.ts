// Creating, moving and deleting files, looked into first: does it exist, which one is meant, who still mentions it.

import type { Question } from "../../core/events.ts";
import { countIn } from "./edits.ts";
import { perform, type Work } from "./generator.ts";
import type { Intent } from "./intents.ts";
import { stepFor } from "./planSteps.ts";
import type { Proposed } from "./proposal.ts";
import { hitsIn, pathsIn, searchCall, type Tools } from "./search.ts";
import { code, counted, listed } from "./words.ts";

export function* proposeCreate({ path, content }: Extract<Intent, { do: "create" }>): Work<Proposed> {
	const found = yield* filesLike(path, `Looking whether ${code(path)} exists.`);
	if (found.includes(path))
		return {
			text: `${code(path)} exists already, so I did not plan to create it. To change it, say for example: replace “old text” with “new text” in ${path}.`,
		};
	const note = content === "" ? "It will be empty." : `It will hold ${counted(content.split("\n").length - 1, "line")}.`;
	return {
		draft: {
			goal: `Create ${code(path)}`,
			steps: [stepFor({ kind: "create", path }, "Asked for")],
			risks: [],
			prerequisites: [],
			note: `${code(path)} does not exist yet. ${note}`,
			wantsTests: false,
		},
	};
}

export function* proposeDelete({ path }: Extract<Intent, { do: "delete" }>, tools: Tools): Work<Proposed> {
	const which = yield* oneFile(path, (candidate) => `Delete the file ${code(candidate)}`);
	if (!("path" in which)) return which;
	const mentions = yield* mentionsOf(which.path, tools);
	const risks = ["Deleting asks you once more before it happens."];
	if (mentions.length > 0) risks.unshift(`It is still mentioned at ${listed(mentions, 5)}: these places may break.`);
	return {
		draft: {
			goal: `Delete ${code(which.path)}`,
			steps: [stepFor({ kind: "delete", path: which.path }, "Asked for")],
			risks,
			prerequisites: [],
			note: `Found ${code(which.path)}.`,
			wantsTests: mentions.length > 0,
		},
	};
}

export function* proposeMove({ from, to }: Extract<Intent, { do: "move" }>, tools: Tools): Work<Proposed> {
	const which = yield* oneFile(from, (candidate) => `Rename the file ${code(candidate)} to ${code(to)}`);
	if (!("path" in which)) return which;
	const target = targetOf(which.path, to);
	const [there] = yield* perform("", [{ name: "find_files", input: { glob: globOf(target) } }]);
	if (there && pathsIn(there).includes(target))
		return {
			text: `${code(target)} exists already, so ${code(which.path)} cannot take its name. Nothing was changed; choose another name.`,
		};
	const mentions = yield* mentionsOf(which.path, tools);
	const risks = mentions.length > 0 ? [`It is mentioned at ${listed(mentions, 5)}: paths there are not changed and may break.`] : [];
	return {
		draft: {
			goal: `Rename the file ${code(which.path)} to ${code(target)}`,
			steps: [stepFor({ kind: "move", from: which.path, to: target }, "Asked for")],
			risks,
			prerequisites: [],
			note: `Found ${code(which.path)}.`,
			wantsTests: mentions.length > 0,
		},
	};
}

/** The files whose path ends like that. */
export function* filesLike(path: string, say = `Looking for ${code(path)}.`): Work<string[]> {
	const [result] = yield* perform(say, [{ name: "find_files", input: { glob: globOf(path) } }]);
	return result ? pathsIn(result) : [];
}

function globOf(path: string): string {
	const clean = path.replace(/^\.\//, "");
	return /[*?{]/.test(clean) ? clean : `**/${clean.replace(/[[\]()!]/g, "\\$&")}`;
}

function* oneFile(path: string, wish: (candidate: string) => string): Work<{ path: string } | { question: Question } | { text: string }> {
	const clean = path.replace(/^\.\//, "");
	let found = yield* filesLike(clean);
	if (found.length === 0 && !/\.\w+$/.test(clean)) found = yield* filesLike(`${clean}.*`);
	if (found.includes(clean)) return { path: clean };
	if (found.length === 1) return { path: found[0] as string };
	if (found.length === 0) return { text: `I found no file ${code(path)} in this workspace. Check the name; nothing was changed.` };
	return {
		question: {
			question: `${counted(found.length, "file")} fit ${code(path)}. Which one do you mean?`,
			severity: "major",
			options: found.slice(0, 8).map((candidate) => ({ label: candidate, value: wish(candidate) })),
			allow_custom: true,
		},
	};
}

/** Lines that name the file without its ending, as imports do. */
function* mentionsOf(path: string, tools: Tools): Work<string[]> {
	const stem =
		path
			.split("/")
			.at(-1)
			?.replace(/(?<=.)\.\w+$/, "") ?? path;
	const [result] = yield* perform(`Looking who mentions ${code(stem)}.`, [searchCall(stem, tools)]);
	const lines = result ? hitsIn(result) : [];
	return lines
		.filter((hit) => hit.path !== path && countIn(hit.text, { from: stem, to: "", whole: true }) > 0 && /["'`/]/.test(hit.text))
		.map((hit) => `${hit.path}:${hit.line}`);
}

function targetOf(from: string, to: string): string {
	const name = from.split("/").at(-1) ?? from;
	if (to.endsWith("/")) return `${to.replace(/^\.\//, "")}${name}`;
	const ending = /\.\w+$/.exec(name)?.[0] ?? "";
	const target = /\.\w+$/.test(to) ? to : `${to}${ending}`;
	return target.includes("/") ? target.replace(/^\.\//, "") : from.slice(0, from.length - name.length) + target;
}

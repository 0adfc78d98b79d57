// Proposes a rename or replacement from search results, with its risks.

import type { Question } from "../../core/events.ts";
import { countReplacements, type Replacement, replacementPattern } from "./edits.ts";
import { type OfflineCallResult, type OfflineTask, requestCalls } from "./generator.ts";
import type { IntentScope, OfflineIntent } from "./intents.ts";
import type { PlanDraft, ProposalResult } from "./planDraft.ts";
import { createStep } from "./planSteps.ts";
import { createSearchCall, findAllHits, type OfferedTools, parsePaths, parseSearchHits, readWholeFiles, type SearchHit } from "./search.ts";
import { formatCount, formatList, inlineCode, isIdentifier } from "./textParsing.ts";

type Edit = Extract<OfflineIntent, { do: "rename" | "replace" }>;

export function* proposeEdit(intent: Edit, tools: OfferedTools): OfflineTask<ProposalResult> {
	const replacement: Replacement = { from: intent.from, to: intent.to, wholeName: intent.do === "rename" };
	const where = whereOf(intent.scope);
	const isSymbol = intent.do === "rename" && isIdentifier(intent.from);
	const calls = [createSearchCall(intent.from, tools, where)];
	if (intent.do === "rename") calls.push(createSearchCall(intent.to, tools));
	if (isSymbol) calls.push({ name: "find_files", input: { glob: `**/${intent.from}.*` } });
	const [first, taken, named] = yield* requestCalls(`Looking for ${inlineCode(intent.from)}.`, calls);
	if (first?.status !== "ok") return { text: `The search did not work: ${first?.output ?? "no answer"}` };
	const all = (yield* findAllHits(first, intent.from, tools, where)).filter(
		(hit) => countReplacements(hit.text, replacement) > 0 || / … \[\d+ more/.test(hit.text),
	);
	const hits = all.filter((hit) => !isExcepted(hit.path, intent.scope));
	if (hits.length === 0) return yield* notFound(intent, all.length, tools);

	const definitions = hits.filter((hit) => isSymbol && defines(hit.text, intent.from));
	const definers = [...new Set(definitions.map((hit) => hit.path))];
	if (intent.do === "rename" && !intent.everywhere && !intent.scope.in && definers.length > 1)
		return { question: whichDefinition(intent, definitions) };
	const clashes = taken ? parseSearchHits(taken).filter((hit) => countReplacements(hit.text, { ...replacement, from: intent.to }) > 0) : [];
	if (intent.do === "rename" && !intent.force && clashes.length > 0) return { question: nameTaken(intent, clashes) };
	// Reads the definition's current content, which the plan is based on.
	if (definers.length > 0) yield* readWholeFiles(definers.slice(0, 3), `Reading where ${inlineCode(intent.from)} is defined.`);
	const files = named && !where.path && !where.glob ? filesNamed(named, intent.from) : [];
	return { draft: draftOf(intent, replacement, hits, definers, definitions, files, clashes.length > 0) };
}

function draftOf(
	intent: Edit,
	replacement: Replacement,
	hits: readonly SearchHit[],
	definers: readonly string[],
	definitions: readonly SearchHit[],
	named: readonly string[],
	clash: boolean,
): PlanDraft {
	const paths = [...new Set(hits.map((hit) => hit.path))];
	const groups = GROUPS.map(({ word, reason, fits }) => ({
		word,
		reason,
		files: paths.filter((path) => groupOf(path, definers) === fits),
	})).filter((group) => group.files.length > 0);
	const places = (files: readonly string[]) =>
		hits.filter((hit) => files.includes(hit.path)).reduce((sum, hit) => sum + Math.max(1, countReplacements(hit.text, replacement)), 0);
	const steps = groups.map(({ word, reason, files }) =>
		createStep({ kind: "edit", replacement, files }, reason, `in ${word} (${formatCount(places(files), "place")}): ${formatList(files)}`),
	);
	for (const path of named)
		steps.push(
			createStep(
				{ kind: "move", from: path, to: renamedPath(path, intent.from, intent.to) },
				"Imports name the file, so it takes the new name, too",
			),
		);
	const total = `${formatCount(places(paths), "place")} in ${formatCount(paths.length, "file")}`;
	const verb = replacement.wholeName
		? `Rename ${inlineCode(intent.from)} to ${inlineCode(intent.to)}`
		: `Replace ${inlineCode(intent.from)} with ${inlineCode(intent.to)}`;
	const scope = intent.scope.in ? ` in ${inlineCode(intent.scope.in)}` : "";
	return {
		goal: `${verb}${scope}`,
		steps,
		risks: risksOf(intent, replacement, hits, definitions, clash),
		prerequisites: [],
		note: `Found ${inlineCode(intent.from)} at ${total}.`,
		shouldRunTests: !intent.noTests && paths.some((path) => !isDoc(path)),
	};
}

function risksOf(
	intent: Edit,
	replacement: Replacement,
	hits: readonly SearchHit[],
	definitions: readonly SearchHit[],
	clash: boolean,
): string[] {
	const risks: string[] = [];
	const exported = definitions.filter((hit) => /\bexport\b|\bpub\b|\bpublic\b/.test(hit.text)).map((hit) => hit.path);
	if (exported.length > 0)
		risks.push(`${inlineCode(intent.from)} is exported from ${formatList([...new Set(exported)])}: callers outside this workspace break.`);
	const prose = hits.filter((hit) => replacement.wholeName && inStringOrComment(hit.text, replacement) && !isDoc(hit.path));
	if (prose.length > 0)
		risks.push(
			`${formatCount(prose.length, "match", "matches")} in strings or comments change, too: ${formatList([...new Set(prose.map((hit) => `${hit.path}:${hit.line}`))], 3)}.`,
		);
	if (clash) risks.push(`${inlineCode(intent.to)} exists already: the two names become one.`);
	if (!replacement.wholeName) risks.push("Every occurrence of the text changes, also inside longer words.");
	if (intent.scope.in && definitions.length > 0) risks.push("Uses outside the chosen part keep the old name and may break.");
	return risks;
}

function inStringOrComment(line: string, replacement: Replacement): boolean {
	const at = line.search(replacementPattern(replacement));
	const before = line.slice(0, at);
	if (/^\s*(?:\*|#(?!include)|\/\/|<!--)|\/\/|\/\*/.test(before)) return true;
	return [...before.replace(/\\./g, "").matchAll(/["'`]/g)].length % 2 === 1;
}

const GROUPS = [
	{ fits: "definition", word: "its definition", reason: "The new name begins where the old one is defined" },
	{ fits: "use", word: "the code that uses it", reason: "Every use must follow the new name" },
	{ fits: "test", word: "the tests", reason: "Tests must call it by its new name" },
	{ fits: "doc", word: "the documentation", reason: "Readers should find the name that the code has" },
] as const;

function groupOf(path: string, definers: readonly string[]): (typeof GROUPS)[number]["fits"] {
	if (isTest(path)) return "test";
	if (definers.includes(path)) return "definition";
	return isDoc(path) ? "doc" : "use";
}

function isTest(path: string): boolean {
	return /(?:^|\/)(?:tests?|__tests__|specs?|e2e)\/|[._-](?:test|spec)s?\.\w+$|(?:^|\/)test_[^/]*$/i.test(path);
}

function isDoc(path: string): boolean {
	return /\.(?:mdx?|txt|rst|adoc)$|(?:^|\/)docs?\//i.test(path);
}

function defines(line: string, name: string): boolean {
	const escaped = name.replace(/\$/g, "\\$");
	return new RegExp(
		`(?:\\b(?:function\\*?|class|interface|type|enum|const|let|var|def|fn|func|struct|trait|module|namespace|val)\\s+(?:\\([^)]*\\)\\s*)?)${escaped}(?![\\p{ID_Continue}$])`,
		"u",
	).test(line);
}

function whereOf({ in: inside }: IntentScope): { path?: string; glob?: string } {
	if (inside === undefined) return {};
	return /[*?{]/.test(inside) ? { glob: inside } : { path: inside };
}

function isExcepted(path: string, { except }: IntentScope): boolean {
	return (except ?? []).some((entry) => {
		if (entry === "tests") return isTest(path);
		if (entry === "docs") return isDoc(path);
		const name = entry.replace(/^\.\/|\/$/g, "").toLowerCase();
		const whole = path.toLowerCase();
		return whole === name || whole.startsWith(`${name}/`) || whole.split("/").some((part) => part === name || part.split(".")[0] === name);
	});
}

function filesNamed(result: OfflineCallResult, name: string): string[] {
	return parsePaths(result).filter((path) => path.split("/").at(-1)?.split(".")[0] === name);
}

function renamedPath(path: string, from: string, to: string): string {
	const slash = path.lastIndexOf("/") + 1;
	return path.slice(0, slash) + to + path.slice(slash + from.length);
}

function whichDefinition(intent: Extract<OfflineIntent, { do: "rename" }>, definitions: readonly SearchHit[]): Question {
	const files = [...new Set(definitions.map((hit) => hit.path))];
	const rename = `Rename ${inlineCode(intent.from)} to ${inlineCode(intent.to)}`;
	return {
		question: `${inlineCode(intent.from)} is defined in ${files.length} files. Which one do you mean?`,
		context: definitions
			.slice(0, 8)
			.map((hit) => `${hit.path}:${hit.line} ${hit.text.trim()}`)
			.join("\n"),
		severity: "major",
		options: [
			{ label: "All of them", value: `${rename} everywhere`, description: `In the whole workspace` },
			...files
				.slice(0, 6)
				.map((path) => ({ label: `Only ${path}`, value: `${rename} in ${inlineCode(path)}`, description: "Other files keep the name" })),
		],
		default: `${rename} everywhere`,
		allow_custom: true,
	};
}

function nameTaken(intent: Extract<OfflineIntent, { do: "rename" }>, clashes: readonly SearchHit[]): Question {
	return {
		question: `The name ${inlineCode(intent.to)} exists already. Rename ${inlineCode(intent.from)} all the same?`,
		context: `It stands at ${formatList(
			clashes.map((hit) => `${hit.path}:${hit.line}`),
			5,
		)}.`,
		severity: "major",
		options: [
			{
				label: "Rename anyway",
				value: `Rename ${inlineCode(intent.from)} to ${inlineCode(intent.to)}${intent.scope.in ? ` in ${inlineCode(intent.scope.in)}` : " everywhere"}, even though it exists`,
				description: "Both become one name",
			},
			{
				label: `Use ${intent.to}2`,
				value: `Rename ${inlineCode(intent.from)} to ${inlineCode(`${intent.to}2`)} everywhere`,
				description: "A name that is free, as far as it was looked",
			},
		],
		allow_custom: true,
	};
}

/** Text not found: asks about similar names, if there are any. */
function* notFound(intent: Edit, excepted: number, tools: OfferedTools): OfflineTask<ProposalResult> {
	const place = intent.scope.in ? ` in ${inlineCode(intent.scope.in)}` : " in this workspace";
	if (excepted > 0) return { text: `${inlineCode(intent.from)} stands only in files that you excepted, so there is nothing to do.` };
	const words = intent.from
		.split(/(?=[A-Z])|[_\W]+/)
		.filter((word) => word.length > 2)
		.slice(0, 4);
	if (intent.do === "replace" || words.length === 0)
		return { text: `I did not find ${inlineCode(intent.from)}${place}. Check the spelling; nothing was changed.` };
	const icase = tools.hasParameter("search_code", "ignore_case");
	const results = yield* requestCalls(
		"Not found; looking for names that are alike.",
		words.map((word) => ({ name: "search_code", input: { pattern: word.toLowerCase(), ...(icase ? { ignore_case: true } : {}) } })),
	);
	const names = new Set(results.flatMap(parseSearchHits).flatMap((hit) => hit.text.match(/[\p{ID_Start}_$][\p{ID_Continue}$]*/gu) ?? []));
	const alike = [...names]
		.map((name) => ({ name, distance: distance(name.toLowerCase(), intent.from.toLowerCase()), exact: distance(name, intent.from) }))
		.filter(({ name, distance: far }) => far <= Math.max(2, Math.floor(intent.from.length * 0.4)) && name !== intent.to)
		.sort((one, other) => one.distance - other.distance || one.exact - other.exact || (one.name < other.name ? -1 : 1))
		.slice(0, 4);
	if (alike.length === 0)
		return { text: `I did not find ${inlineCode(intent.from)}${place}, nor a name like it. Check the spelling; nothing was changed.` };
	return {
		question: {
			question: `${inlineCode(intent.from)} is not${place}. Which name do you mean?`,
			context: "These names are alike.",
			severity: "minor",
			options: alike.map(({ name }) => ({ label: name, value: `Rename ${inlineCode(name)} to ${inlineCode(intent.to)} everywhere` })),
			allow_custom: true,
		},
	};
}

/** Levenshtein distance. */
function distance(one: string, other: string): number {
	let row = Array.from({ length: other.length + 1 }, (_, index) => index);
	for (let i = 1; i <= one.length; i++) {
		const next = [i];
		for (let j = 1; j <= other.length; j++) {
			const swap = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
			next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
		}
		row = next;
	}
	return row[other.length] ?? 0;
}

// Gate layer 3: the user's rules, `toolGlob` or `toolGlob(pattern)`. Deny precedes ask, ask precedes allow.

import type { CommandFacts, Gate, GateRequest, PermissionRules, SimpleCommand } from "../core/ports/gate.ts";
import type { PathFacts } from "../core/ports/tool.ts";
import { t } from "../shared/l10n.ts";
import { compileGlob, type Glob, type InvalidGlob } from "./glob.ts";
import { mayRunOtherProgram } from "./knownPrograms.ts";
import { originOf } from "./requiredPermissions.ts";
import { mentionedCommands } from "./shell/mentionedCommands.ts";

export type MatchedRule = { decision: "deny" | "ask" | "allow"; rule: string };
type Call = Pick<GateRequest, "tool" | "paths" | "command" | "url">;

interface Rule {
	tool: Glob;
	/** True if its first word restricts the program's name. */
	names: boolean;
	/** `name` is the first word, unless that is a pattern. */
	pattern?: { text: string; path: Glob | InvalidGlob; words: WordMatcher[]; more: boolean; name?: string };
}

type WordMatcher = (word: string) => boolean;

/** The rule that applies to this call, if any. */
export function matchRules(rules: Exclude<PermissionRules, { invalid: string }>, call: Call): MatchedRule | undefined {
	for (const decision of ["deny", "ask"] as const) {
		const rule = rules[decision].find((text) => matchesAnyPart(text, call));
		if (rule !== undefined) return { decision, rule };
	}
	const rule = call.command ? undefined : allowedBy(rules.allow, call);
	return rule === undefined ? undefined : { decision: "allow", rule };
}

/** Returns why the rules are invalid, in whole sentences: the settings reader's message, or the first rule that does not compile. */
export function invalidRuleReason(rules: PermissionRules): string | undefined {
	if ("invalid" in rules) return rules.invalid;
	if (!checked.has(rules)) checked.set(rules, firstUnreadable(rules));
	return checked.get(rules);
}

const checked = new WeakMap<PermissionRules, string | undefined>();

function firstUnreadable(rules: Exclude<PermissionRules, { invalid: string }>): string | undefined {
	for (const text of [...rules.deny, ...rules.ask, ...rules.allow]) {
		const rule = ruleOf(text);
		if ("invalid" in rule) return t("The rule “{0}” is invalid: {1}.", text, rule.invalid);
	}
	return undefined;
}

const MAX_COMPILED = 512;
const compiled = new Map<string, Rule | InvalidGlob>();

function ruleOf(text: string): Rule | InvalidGlob {
	const known = compiled.get(text);
	if (known) return known;
	if (compiled.size >= MAX_COMPILED) compiled.clear();
	const rule = compileRule(text);
	compiled.set(text, rule);
	return rule;
}

/** An allow rule; undefined if it is invalid or exceeds the limits, and so allows nothing. */
function allowRuleOf(text: string): Rule | undefined {
	const rule = ruleOf(text);
	return "invalid" in rule || rule.tool.excess !== undefined ? undefined : rule;
}

function compileRule(text: string): Rule | InvalidGlob {
	const parts = /^([^()]+?)(?:\((.*)\))?$/s.exec(text.trim());
	if (!parts) return { invalid: t("Must have the form tool or tool(pattern)") };
	const tool = compileGlob(parts[1] as string, "tool");
	if ("invalid" in tool) return tool;
	const pattern = parts[2];
	if (pattern === undefined) return { tool, names: false };
	const words = pattern.trim().split(/\s+/);
	const more = words.at(-1) === "*";
	if (words[0] === "") return { invalid: t("Pattern must not be empty") };
	const named = more ? words.slice(0, -1) : words;
	const path = compileGlob(pattern, "path");
	return {
		tool,
		names: !/^\**$/.test(words[0] ?? ""),
		pattern: {
			text: pattern.trim(),
			path,
			words: named.map(compileWildcard),
			more,
			...(named[0] && !named[0].includes("*") && { name: named[0] }),
		},
	};
}

/** Matches a word in which only `*` is special; it matches any characters, including `/`. */
function compileWildcard(pattern: string): WordMatcher {
	const [head = "", ...rest] = pattern.split("*");
	const tail = rest.pop();
	if (tail === undefined) return (word) => word === pattern;
	return (word) => {
		if (!word.startsWith(head) || !word.endsWith(tail)) return false;
		let at = head.length;
		for (const part of rest) {
			const found = word.indexOf(part, at);
			if (found < 0) return false;
			at = found + part.length;
		}
		return at <= word.length - tail.length;
	};
}

/** Deny and ask rules apply as soon as one part of the call matches. */
function matchesAnyPart(text: string, call: Call): boolean {
	const rule = ruleOf(text);
	if ("invalid" in rule || !rule.tool.matches(call.tool.name)) return false;
	if (!rule.pattern) return true;
	const { pattern } = rule;
	return (
		(call.command !== undefined && commandTouched(pattern, call.command)) ||
		call.paths.some((path) => pathNames(path).some((name) => inPath(pattern, name) || inPath(pattern, `${name}/`))) ||
		(call.url !== undefined && inUrl(pattern.text, call.url))
	);
}

/** A rule that names a program blocks it wherever it may be the program, in any spelling: by path, or in another case. */
function commandTouched(pattern: NonNullable<Rule["pattern"]>, { commands, mentioned, possible }: CommandFacts): boolean {
	if (possible && mayBeAny(pattern, possible)) return true;
	const unknownPrograms = new Set(commands.flatMap(({ words, line }) => (line ? [words] : [])));
	return [...commands.map(({ words }) => words), ...mentioned].some((words) => {
		if (!unknownPrograms.has(words as string[]) && !mayRunOtherProgram(words)) return isAt(pattern, words, 0);
		return words.some((word, index) => isAt(pattern, words, index) || (TEXT.test(word) && isMentioned(pattern, word)));
	});
}

/** Returns true if any of these words may be the program. A pattern is not matched against too many words. */
function mayBeAny({ words: [first], name }: NonNullable<Rule["pattern"]>, possible: ReadonlySet<string>): boolean {
	if (name !== undefined) return possible.has(name);
	return !first || possible.size > MAX_COMPARED || [...possible].some((word) => first(word));
}

const MAX_COMPARED = 10_000;

/** A word that may contain a command, for a shell or for a program with its own language. */
const TEXT = /[\s;|&!=]/;

/** Such languages may put other characters before a program's name (`!rm`, `exec=rm`, `["rm"`); these also separate words. */
function isMentioned(pattern: NonNullable<Rule["pattern"]>, text: string): boolean {
	const separated = text.replace(/[!=:,[\]]+/g, ";");
	return [text, separated].some((variant) =>
		mentionedCommands(variant).some((words) => words.some((_, index) => isAt(pattern, words, index))),
	);
}

function isAt({ words: pattern }: NonNullable<Rule["pattern"]>, given: readonly string[], index: number): boolean {
	if (given.length - index < pattern.length) return false;
	const program = given[index] ?? "";
	const spellings = [program, program.toLowerCase(), (program.split("/").at(-1) ?? "").toLowerCase()];
	const [first, ...rest] = pattern;
	if (!first) return true;
	return spellings.some((spelling) => first(spelling)) && rest.every((matches, at) => matches(given[index + 1 + at] as string));
}

/**
 * The rule that allows one command of a line. It must name an unknown program, and the command behind a runner: `env *` is a rule for
 * `env`.
 */
export function allowRuleFor(allow: readonly string[], tool: string, { words, inner = words, asks }: SimpleCommand): string | undefined {
	return allow.find((text) => {
		const rule = allowRuleOf(text);
		if (!rule?.tool.matches(tool)) return false;
		if (asks !== undefined && !rule.names) return false;
		return !rule.pattern || wordsMatch(rule.pattern, inner) || (!rule.pattern.more && wordsMatch(rule.pattern, words));
	});
}

/** Returns true if an allow rule names exactly this origin or external tool, and for all other calls. */
export function isExactRule(text: string, { tool, url }: Pick<GateRequest, "tool" | "url">): boolean {
	if (url === undefined && !tool.external) return true;
	return text.split(", ").some((part) => {
		const rule = ruleOf(part);
		if ("invalid" in rule) return false;
		return url === undefined
			? /^[\w-]+(\(|$)/.test(part.trim()) && rule.tool.matches(tool.name)
			: rule.pattern !== undefined && rule.pattern.text !== "*";
	});
}

/** Returns why an older allow rule covers less now, as a sentence; undefined if it does not. */
export const narrowed: Gate["narrowed"] = (text, tools) => {
	const rule = ruleOf(text);
	if ("invalid" in rule) return undefined;
	if (rule.tool.excess !== undefined) return t("This rule allows nothing: {0}.", rule.tool.excess);
	const covered = tools.filter(({ name }) => rule.tool.matches(name));
	if (covered.some(({ command }) => command) && !rule.names)
		return t("This rule doesn't specify a program, so programs that Troupe doesn't recognize still require approval.");
	if (covered.some(({ url }) => url) && (rule.pattern === undefined || rule.pattern.text === "*"))
		return t("This rule doesn't specify an origin, so each new origin requires approval once per session.");
	const path = rule.pattern?.path;
	if (path && "excess" in path && covered.some((tool) => tool.paths && !tool.command))
		return t("This rule allows no paths: {0}.", path.excess);
	if (rule.tool.matches(ANY_OUTSIDE) || /^mcp__.*[*?[{]/.test(text))
		return t("This rule doesn't specify a single tool, so each external tool requires approval once per session.");
	return undefined;
};

/** Stands for tools of servers, which are not known in advance. */
const ANY_OUTSIDE = "mcp__any__any";

/** Allow rules apply only if they cover every part of the call. */
function allowedBy(rules: readonly string[], call: Call): string | undefined {
	const applicable = rules.flatMap((text) => {
		const rule = allowRuleOf(text);
		return rule?.tool.matches(call.tool.name) ? [{ text, pattern: rule.pattern }] : [];
	});
	const wholeToolRule = applicable.find(({ pattern }) => pattern === undefined);
	if (wholeToolRule) return wholeToolRule.text;
	const used = new Set<string>();
	const covered = (test: (pattern: NonNullable<Rule["pattern"]>) => boolean) => {
		const rule = applicable.find(({ pattern }) => pattern && test(pattern));
		if (rule) used.add(rule.text);
		return rule !== undefined;
	};
	const { paths, url } = call;
	if (!paths.every((path) => pathNames(path).every((name) => covered((pattern) => allowsPath(pattern, name))))) return undefined;
	if (url !== undefined && !covered((pattern) => inUrl(pattern.text, url))) return undefined;
	return used.size === 0 ? undefined : [...used].join(", ");
}

function wordsMatch({ words, more }: NonNullable<Rule["pattern"]>, given: readonly string[]): boolean {
	return startsWith(words, given) && (more || words.length === given.length);
}

function startsWith(pattern: readonly WordMatcher[], given: readonly string[]): boolean {
	return pattern.length <= given.length && pattern.every((matches, index) => matches(given[index] as string));
}

/** The literal and the real path, each relative to its workspace folder if it is in one. */
function pathNames(path: PathFacts): string[] {
	return [...new Set([path.literalInside ?? path.literal, path.realInside ?? path.real])];
}

function inPath({ path }: NonNullable<Rule["pattern"]>, name: string): boolean {
	return !("invalid" in path) && path.matches(name);
}

function allowsPath({ path }: NonNullable<Rule["pattern"]>, name: string): boolean {
	return !("invalid" in path) && path.excess === undefined && path.matches(name);
}

/** Normalizes a host as URLs do: lowercase, ASCII, no trailing dot. A pattern is kept. */
function asciiHost(pattern: string): string {
	const [, stars = "", host = ""] = /^((?:\*\.)*)(.*?)\.*$/s.exec(pattern) ?? [];
	const address = `https://${host}`;
	return host === "" || host.includes("*") || !URL.canParse(address) ? pattern.toLowerCase() : `${stars}${new URL(address).host}`;
}

/** Matches an origin, a host (`*.example.org`), or a URL up to a trailing `*`. */
function inUrl(pattern: string, url: string): boolean {
	if (!URL.canParse(url)) return false;
	const { hostname: given, href: wholeUrl } = new URL(url);
	const hostname = given.replace(/\.+$/, "");
	const origin = originOf(url) ?? "null";
	const href = wholeUrl.replace(`${given}`, hostname);
	if (pattern === "*" || pattern === origin || pattern === `${origin}/` || pattern === href) return true;
	if (!pattern.includes("/")) return [hostname, `${hostname}:${new URL(url).port}`].some(compileWildcard(asciiHost(pattern)));
	return pattern.endsWith("*") && pattern.slice(0, -1).startsWith(`${origin}/`) && href.startsWith(pattern.slice(0, -1));
}

// Layer 3: the person's own rules, `toolGlob` or `toolGlob(pattern)`. Deny counts before ask, ask before allow.
import type { CommandFact, GateRequest, PathFact, Rules } from "../core/gate.ts";
import { compileGlob, compileWord, type Glob, type Matcher } from "../core/glob.ts";
import { t } from "../l10n.ts";
import { remembering } from "./cache.ts";

export type Matched = { decision: "deny" | "ask" | "allow"; rule: string };
type Call = Pick<GateRequest, "tool" | "paths" | "command" | "url">;

interface Rule {
	tool: Glob;
	pattern?: { text: string; path: Glob | { invalid: string }; words: Matcher[]; more: boolean };
}

/** The rule that counts for this call, if any. */
export function matchRules(rules: Exclude<Rules, { invalid: string }>, call: Call): Matched | undefined {
	for (const decision of ["deny", "ask"] as const) {
		const rule = rules[decision].find((text) => touches(text, call));
		if (rule !== undefined) return { decision, rule };
	}
	const rule = allowedBy(rules.allow, call);
	return rule === undefined ? undefined : { decision: "allow", rule };
}

/** Why the list cannot be followed: what the settings reader found, or the first rule that does not compile. */
export function unreadable(rules: Rules): string | undefined {
	if ("invalid" in rules) return rules.invalid;
	if (!checked.has(rules)) checked.set(rules, firstUnreadable(rules));
	return checked.get(rules);
}

const checked = new WeakMap<Rules, string | undefined>();

function firstUnreadable(rules: Exclude<Rules, { invalid: string }>): string | undefined {
	for (const text of [...rules.deny, ...rules.ask, ...rules.allow]) {
		const rule = ruleOf(text);
		if ("invalid" in rule) return `"${text}": ${rule.invalid}`;
	}
	return undefined;
}

const ruleOf = remembering((text): Rule | { invalid: string } => {
	const parts = /^([^()]+?)(?:\((.*)\))?$/s.exec(text.trim());
	if (!parts) return { invalid: t("write it as tool or tool(pattern)") };
	const tool = compileGlob(parts[1] as string);
	if ("invalid" in tool) return tool;
	const pattern = parts[2];
	if (pattern === undefined) return { tool };
	const words = pattern.trim().split(/\s+/);
	const more = words.at(-1) === "*";
	if (words[0] === "") return { invalid: t("its pattern is empty") };
	const path = compileGlob(pattern, true);
	return { tool, pattern: { text: pattern.trim(), path, words: (more ? words.slice(0, -1) : words).map(compileWord), more } };
});

/** Deny and ask count as soon as one part of the call matches. */
function touches(text: string, call: Call): boolean {
	const rule = ruleOf(text);
	if ("invalid" in rule || !rule.tool.matches(call.tool.name)) return false;
	if (!rule.pattern) return true;
	const { pattern } = rule;
	return (
		(call.command !== undefined && commandTouched(pattern, call.command)) ||
		call.paths.some((path) => names(path).some((name) => inPath(pattern, name) || inPath(pattern, `${name}/`))) ||
		(call.url !== undefined && inUrl(pattern.text, call.url))
	);
}

/** A rule that names a program closes it however it is written: by its path, in other letters, with further words. */
function commandTouched(pattern: NonNullable<Rule["pattern"]>, command: CommandFact): boolean {
	return command.commands.some(({ words }) => {
		const [program = "", ...rest] = words;
		const spellings = [program, program.toLowerCase(), (program.split("/").at(-1) ?? "").toLowerCase()];
		return spellings.some((spelling) => startsWith(pattern.words, [spelling, ...rest]));
	});
}

/** Allow counts only if rules cover every part of the call. */
function allowedBy(rules: readonly string[], call: Call): string | undefined {
	const able = rules.flatMap((text) => {
		const rule = ruleOf(text);
		return "invalid" in rule || !rule.tool.matches(call.tool.name) ? [] : [{ text, pattern: rule.pattern }];
	});
	const whole = able.find(({ pattern }) => pattern === undefined);
	if (whole) return whole.text;
	const used = new Set<string>();
	const covered = (test: (pattern: NonNullable<Rule["pattern"]>) => boolean) => {
		const rule = able.find(({ pattern }) => pattern && test(pattern));
		if (rule) used.add(rule.text);
		return rule !== undefined;
	};
	const { command, paths, url } = call;
	if (
		command &&
		(command.commands.length === 0 || !command.commands.every(({ words }) => covered((pattern) => wordsMatch(pattern, words))))
	)
		return undefined;
	if (!paths.every((path) => names(path).every((name) => covered((pattern) => inPath(pattern, name))))) return undefined;
	if (url !== undefined && !covered((pattern) => inUrl(pattern.text, url))) return undefined;
	return used.size === 0 ? undefined : [...used].join(", ");
}

function wordsMatch({ words, more }: NonNullable<Rule["pattern"]>, given: readonly string[]): boolean {
	return startsWith(words, given) && (more || words.length === given.length);
}

function startsWith(pattern: readonly Matcher[], given: readonly string[]): boolean {
	return pattern.length <= given.length && pattern.every((glob, index) => glob.matches(given[index] as string));
}

/** Both the literal and the real path: relative to its folder where it lies in one. */
function names(path: PathFact): string[] {
	return [...new Set([path.literalInside ?? path.literal, path.realInside ?? path.real])];
}

function inPath({ path }: NonNullable<Rule["pattern"]>, name: string): boolean {
	return !("invalid" in path) && path.matches(name);
}

/** An origin, a host (`*.example.org`), or an address up to a trailing `*`. */
function inUrl(pattern: string, url: string): boolean {
	if (!URL.canParse(url)) return false;
	const { origin, hostname, href } = new URL(url);
	if (pattern === "*" || pattern === origin || pattern === `${origin}/` || pattern === href) return true;
	if (!pattern.includes("/")) return compileWord(pattern.toLowerCase()).matches(hostname);
	return pattern.endsWith("*") && pattern.slice(0, -1).startsWith(`${origin}/`) && href.startsWith(pattern.slice(0, -1));
}

// Parses follow-ups that change an earlier request: location, exception, name, no tests.
import type { IntentScope, OfflineIntent } from "./intents.ts";
import { looksLikePath, type MaskedText, parseName } from "./textParsing.ts";

type Refinement = (intent: OfflineIntent, value: string) => OfflineIntent;

/** Returns undefined if the message changes nothing in the earlier requests. */
export function parseRefinement(masked: MaskedText, before: readonly OfflineIntent[]): OfflineIntent[] | undefined {
	let intents = [...before];
	let changed = false;
	for (const { pattern, refine } of REFINEMENTS) {
		for (const found of masked.text.matchAll(pattern)) {
			const value = parseName(found[1] ?? "", masked);
			const next = intents.map((intent) => refine(intent, value));
			changed ||= JSON.stringify(next) !== JSON.stringify(intents);
			intents = next;
		}
	}
	if (NO_TEST_RUN_PATTERN.test(masked.text)) {
		const kept = intents
			.filter((intent) => intent.do !== "run")
			.map((intent) => ("noTests" in intent ? { ...intent, noTests: true } : intent));
		return kept.length > 0 ? kept : undefined;
	}
	return changed ? intents : undefined;
}

export const NO_TEST_RUN_PATTERN =
	/\b(?:without (?:running )?(?:the |any )?tests?|(?:don't|do not|no need to) (?:run|execute) (?:the |any )?tests?|skip (?:running )?the tests?(?: run)?|no tests)\b/i;

const withScope =
	(change: (scope: IntentScope, value: string) => IntentScope): Refinement =>
	(intent, value) =>
		"scope" in intent && value !== "" ? { ...intent, scope: change(intent.scope, value) } : intent;

const except = withScope((scope, value) => ({ ...scope, except: [...new Set([...(scope.except ?? []), groupOf(value)])] }));

const REFINEMENTS: readonly { pattern: RegExp; refine: Refinement }[] = [
	{
		pattern:
			/\b(?:except(?: for| in)?|but not(?: in)?|not in|skip(?! (?:running )?the tests?\b)|leave|leave out|excluding|exclude|ignore|(?:don't|do not) (?:touch|change|rename in))(?: the| any| files in| folder)* (⟦\d+⟧|[^\s,;!?]+)/gi,
		refine: except,
	},
	{
		pattern: /\b(?:only|just)(?: in| inside| under| within)(?: the| folder| directory)* (⟦\d+⟧|[^\s,;!?]+)/gi,
		refine: withScope((scope, value) => ({ ...scope, in: value.replace(/\/$/, "") })),
	},
	{
		pattern:
			/^(?:(?:no|actually|oh|hm+|wait|better|please|rather)[,. ]+)*(?:call it|name it|make it|rename it to|use(?: the name)?|to) (⟦\d+⟧|[^\s,;!?]+)(?: instead| rather)?[.!]*$/gi,
		refine: (intent, value) => ("to" in intent ? { ...intent, to: value } : intent),
	},
	{
		pattern: /^(?:do it )?(everywhere|all of them)\b/gi,
		refine: (intent) => (intent.do === "rename" ? { ...intent, everywhere: true } : intent),
	},
	{
		pattern: /^(?:do it |rename (?:it )?)?(anyway)\b/gi,
		refine: (intent) => (intent.do === "rename" ? { ...intent, force: true } : intent),
	},
];

/** Returns the word for a kind of files; a path is returned unchanged. */
function groupOf(value: string): string {
	if (!looksLikePath(value) && /^(?:unit)?tests?$|^specs?$/i.test(value)) return "tests";
	if (!looksLikePath(value) && /^docs?$|^documentation$/i.test(value)) return "docs";
	return value;
}

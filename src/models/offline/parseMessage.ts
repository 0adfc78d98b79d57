// Parses English requests into intents by pattern tables, without guessing.
import type { IntentScope, OfflineIntent, ParsedMessage } from "./intents.ts";
import { NO_TEST_RUN_PATTERN, parseRefinement } from "./parseRefinement.ts";
import { isIdentifier, looksLikePath, type MaskedText, maskQuotes, parseName } from "./textParsing.ts";

/** `before` contains the user's earlier requests, which follow-ups build on. */
export function parseMessage(message: string, before: readonly OfflineIntent[] = []): ParsedMessage {
	const masked = maskQuotes(message);
	if (AGAIN.test(masked.text) && before.length > 0) return { kind: "again", intents: [...before] };
	if (GO.test(masked.text)) return { kind: "go", intents: [...before] };
	if (NEEDS_LANGUAGE_MODEL_PATTERN.test(masked.text)) return { kind: "unclear", intents: [] };
	const parts = partsOf(masked.text);
	const intents = parts.flatMap((part) => readPart(part, masked));
	const refined = before.length > 0 ? parseRefinement(masked, before) : undefined;
	const added = NO_TEST_RUN_PATTERN.test(masked.text) ? intents.filter((intent) => intent.do !== "run") : intents;
	if (refined && added.every((intent) => intent.do === "run")) {
		const known = new Set(refined.map((intent) => JSON.stringify(intent)));
		return { kind: "more", intents: [...refined, ...added.filter((intent) => !known.has(JSON.stringify(intent)))] };
	}
	if (before.length > 0 && intents.length > 0 && ALSO.test(masked.text)) return { kind: "more", intents: [...before, ...intents] };
	return intents.length > 0 ? { kind: "request", intents } : { kind: "unclear", intents: [] };
}

const POLITE = "(?:(?:ok(?:ay)?|yes|yep|yeah|sure|fine|good|great|perfect|alright|please|thanks|now|then|and|so)[,.! ]+)*";
const GO = new RegExp(
	`^${POLITE}(?:yes|yep|yeah|ok(?:ay)?|sure|please|go|go ahead|go on|go for it|do (?:it|that|this|so)|proceed|continue|carry (?:on|it out)|resume|start|begin|make it so|approved?|agreed|lgtm|looks good(?: to me)?|sounds good|(?:execute|run|carry out|start|do|follow|apply|implement) (?:it|(?:the|this|that|your|my) (?:whole )?plan)|execute|ship it)(?:[,.! ]+(?:please|now|then|thanks|go ahead|do it))*[.!]*$`,
	"i",
);
const AGAIN = /^(?:please )?(?:plan (?:it |this |that )?again|re-?plan|make (?:a|the) plan again|try again|again)\b/i;
const ALSO = /^(?:also|and|plus|additionally|then|after that|afterwards|too|as well|oh,? and)\b|\b(?:too|as well|also)[.!]*$/i;

/** Requests beyond fixed rules, even if they look like a known request. */
export const NEEDS_LANGUAGE_MODEL_PATTERN =
	/^(?:please )?(?:fix|solve|repair|debug|explain) (?:this |these |the |my |all )*(?:\d+ )?(?:problem|error|bug|warning|issue)s?\b/i;

const VERBS =
	"rename|replace|swap|substitute|change|create|add|make|write|delete|remove|erase|move|find|search|look|locate|list|show|explain|describe|summari[sz]e|run|re-?run|execute|test|check|verify";
const SPLIT = new RegExp(
	`(?:\\s*[,;.]\\s+|\\s+)(?:and|then|and then|after that|afterwards|also|and also|plus|finally)(?:,)?\\s+(?=(?:also |then |please |finally )?(?:${VERBS})\\b)|\\s*[;.]\\s+(?=(?:also |then |please |finally )*(?:${VERBS})\\b)|,\\s+(?=(?:${VERBS})\\b)`,
	"gi",
);

function partsOf(text: string): string[] {
	return text.split(SPLIT).filter((part) => part.trim() !== "");
}

const T = "(⟦\\d+⟧|[^\\s,;!?]+)";
const KIND =
	"(?:(?:the |our |my |this )?(?:exported |local |global |public |private )?(?:function|method|class|variable|const(?:ant)?|type|interface|symbol|identifier|component|field|property|enum|module|hook|struct|helper|name|parameter) )?(?:the |our |my )?";
const NOUN =
	"(?: (?:function|method|class|variable|const(?:ant)?|type|interface|symbol|component|field|property|enum|module|hook|helper))?";
const TO = "(?:to|as|into|->|→|=>|=)";

interface Pattern {
	pattern: RegExp;
	/** Returns undefined if the phrase matches but its names are invalid. */
	read(found: RegExpExecArray, masked: MaskedText, part: string): OfflineIntent | undefined;
}

function rename(from: string | undefined, to: string | undefined, masked: MaskedText, part: string): OfflineIntent | undefined {
	const [old, name] = [parseName(from ?? "", masked), parseName(to ?? "", masked)];
	if (old === "" || name === "" || old === name || PRONOUN.test(old)) return undefined;
	if (/\bfiles?\b/i.test(part.split(from ?? "")[0] ?? "") || looksLikePath(old)) return { do: "move", from: old, to: name };
	if (!/^[\p{ID_Continue}$.#@-]+$/u.test(old))
		return { do: "replace", from: old, to: name, scope: parseScope(part, masked), noTests: NO_TESTS.test(part) };
	return {
		do: "rename",
		from: old,
		to: name,
		scope: parseScope(part, masked),
		everywhere: /\b(?:everywhere|all (?:over|of them|places|files|occurrences|uses|usages)|throughout|across|whole|entire)\b/i.test(part),
		force: /\b(?:anyway|even (?:if|though)|regardless|no matter)\b/i.test(part),
		noTests: NO_TESTS.test(part),
	};
}

const NO_TESTS = /\b(?:without (?:running )?(?:the |any )?tests?|(?:don't|do not) run (?:the |any )?tests?|no tests?)\b/i;
const PRONOUN = /^(?:it|this|that|them|these|those|everything)$/i;
const renaming = (source: string, order: 1 | -1 = 1): Pattern => ({
	pattern: new RegExp(source, "i"),
	read: (found, masked, part) => (order === 1 ? rename(found[1], found[2], masked, part) : rename(found[2], found[1], masked, part)),
});

function replaced(from: string, to: string, part: string, masked: MaskedText): OfflineIntent | undefined {
	const [old, text] = [parseName(from, masked), parseName(to, masked)];
	if (old === "" || old === text || PRONOUN.test(old)) return undefined;
	return { do: "replace", from: old, to: text, scope: parseScope(part, masked), noTests: NO_TESTS.test(part) };
}

const OCCURRENCES =
	"(?:(?:every|all|each|any) )?(?:the )?(?:(?:occurrences?|instances?|uses?|mentions?) of )?(?:the )?(?:text|string|word|phrase|words|literal)? ?";
const END = "(?=,? (?:in|inside|within|under|everywhere|across|throughout|only|without|except|but|and then|please)\\b|[.!]*$)";

const PATTERNS: readonly Pattern[] = [
	renaming(
		`\\brenam(?:e|ing)\\s+(?:all (?:occurrences|uses|usages) of )?(?:the file )?${KIND}${T}${NOUN} (?:everywhere |(?:in|inside|under|within) \\S+ )?(?:from \\S+ )?${TO} ${KIND}${T}`,
	),
	renaming(`\\bchange the name of ${KIND}${T} (?:from \\S+ )?${TO} ${T}`),
	renaming(`${T} (?:should|must|needs to|has to|ought to|is to|to) be (?:called|named|renamed(?: to)?) ${T}`),
	renaming(`\\bcall ${KIND}${T} ${T} instead`),
	renaming(`\\bgive ${KIND}${T} the name ${T}`),
	renaming(`\\b(?:can|could|let|have) ${KIND}${T} (?:become|be called|be named) ${T}`),
	renaming(`\\buse (?:the name )?${T} instead of ${KIND}${T}`, -1),
	renaming(`^${T} (?:->|→|=>) ${T}$`),
	{
		pattern: new RegExp(
			`\\b(?:replace|swap|exchange) ${OCCURRENCES}(.+?) (?:everywhere )?(?:with|by|for) (?:the )?(?:text |string |word |phrase )?(.+?)${END}`,
			"i",
		),
		read: (found, masked, part) => replaced(found[1] ?? "", found[2] ?? "", part, masked),
	},
	{
		pattern: new RegExp(`\\bsubstitute (.+?) for ${OCCURRENCES}(.+?)${END}`, "i"),
		read: (found, masked, part) => replaced(found[2] ?? "", found[1] ?? "", part, masked),
	},
	{
		pattern: new RegExp(`\\b(?:change|turn|update) (?:${OCCURRENCES})${KIND}(.+?) (?:to|into|->|→|=>) (.+?)${END}`, "i"),
		read(found, masked, part) {
			const names = [parseName(found[1] ?? "", masked), parseName(found[2] ?? "", masked)];
			const asText = /\b(?:text|string|word|phrase|literal)\b/i.test(part);
			return !asText && names.every(isIdentifier)
				? rename(found[1], found[2], masked, part)
				: replaced(found[1] ?? "", found[2] ?? "", part, masked);
		},
	},
	{
		pattern: new RegExp(`\\bmove (?:the )?(?:file )?${T} (?:to|into|under) (?:the )?(?:folder |directory )?${T}`, "i"),
		read: (found, masked) => ({
			do: "move",
			from: parseName(found[1] ?? "", masked),
			to: folderAware(found[2] ?? "", found.input, masked),
		}),
	},
	{
		pattern: new RegExp(
			`\\b(?:create|add|make|write|generate|start) (?:me )?(?:a |an |the )?(?:new |empty |blank |small )*(?:(?:text |markdown |source )?file|module|document)? ?(?:called |named |at |with the name |in )?${T}(.*)$`,
			"i",
		),
		read(found, masked) {
			const path = parseName(found[1] ?? "", masked);
			return looksLikePath(path) ? { do: "create", path, content: contentOf(found[2] ?? "", masked) } : undefined;
		},
	},
	{
		pattern: new RegExp(
			`\\b(?:delete|remove|erase|trash|get rid of|drop|throw away|rm) (?:the )?(files? |document )?(?:called |named )?${T}`,
			"i",
		),
		read(found, masked) {
			const path = parseName(found[2] ?? "", masked);
			return found[1] || looksLikePath(path) ? { do: "delete", path } : undefined;
		},
	},
	{
		pattern:
			/\b(?:run|execute|re-?run|start|launch|do) (?:all )?(?:of )?(?:the |our |my )?(?:unit |whole |full |existing |complete )?(?:tests?|test suite|specs?|suite)\b(?! ?[./:])|\btest (?:it|that|this|everything|the (?:result|change|project|code)|again)\b|\b(?:make sure|check|verify|see)(?: that| if| whether)? (?:all )?(?:the |our )?tests? (?:still )?(?:pass|work|run|are green)/i,
		read: () => ({ do: "run", what: { tests: true } }),
	},
	{
		pattern:
			/\b(?:run|execute) (?:the )?(?:shell )?(?:command )?(⟦\d+⟧|(?:npm|npx|pnpm|yarn|node|git|ls|make|cargo|go|python3?|pytest|deno|bun|tsc|echo|cat)\b.*?)(?: please)?[.!]*$/i,
		read: (found, masked) => ({ do: "run", what: { command: masked.unmask(found[1] ?? "") } }),
	},
	{
		pattern:
			/\b(?:run|execute|start) (?:the )?(?:script )?(build|lint(?:er)?|format(?:ter)?|type-?check|bench(?:mark)?s?|⟦\d+⟧|[\w:-]+(?= script))/i,
		read: (found, masked) => ({ do: "run", what: { script: parseName(found[1] ?? "", masked) } }),
	},
	{
		pattern:
			/\b(?:explain|describe|summari[sz]e|outline|walk me through|tell me about|what does|what is|what's|read|show|open|look at|how does)\b(.*)$/i,
		read(found, masked) {
			const path = tokens(found[1] ?? "", masked).find(looksLikePath);
			if (path) return { do: "explain", subject: path };
			const name = /^(?:explain|describe|summari[sz]e|outline|what does|how does)/i.test(found[0])
				? tokens(found[1] ?? "", masked).find(isName)
				: undefined;
			return name ? { do: "explain", subject: name } : undefined;
		},
	},
	{
		pattern: /\b(?:find|search|look|locate|grep|list|show|where|which|what uses|who (?:calls|uses)|how (?:many|often)|count)\b(.*)$/i,
		read(found, masked, part) {
			const files =
				/\bfiles? (?:called|named|matching|like)|\b(?:find|list|locate|show) (?:me )?(?:the |all |every )*(?:\S+ )?files?\b|\bwhere is (?:the )?file\b/i.test(
					part,
				) && !/contain|mention|us(?:e|ing)\b|with /i.test(part);
			const [words, ...others] = [tokens((found[1] ?? "").replace(SCOPE, " "), masked).filter((word) => !FILLER.test(word))];
			const quoted = /⟦(\d+)⟧/.exec(found[1] ?? "");
			const query = quoted ? masked.unmask(quoted[0]) : [...(words ?? []), ...others].join(" ");
			if (query === "" && files) return { do: "find", query: "*", files, scope: parseScope(part, masked) };
			return query === "" ? undefined : { do: "find", query, files: files || /[*?]/.test(query), scope: parseScope(part, masked) };
		},
	},
];

function readPart(part: string, masked: MaskedText): OfflineIntent[] {
	for (const { pattern, read } of PATTERNS) {
		const found = pattern.exec(part);
		const intent = found ? read(found, masked, part) : undefined;
		if (intent) return [intent];
	}
	return [];
}

const FILLER =
	/^(?:for|me|us|all|every|any|each|the|a|an|of|to|in|on|is|are|do|does|we|you|it|used?|uses|using|usages?|call(?:s|ed|ers?)?|named|occurrences?|instances?|mentions?|references?|places?|where|files?|that|which|contain(?:s|ing)?|mention(?:s|ing)?|have|has|with|defined?|definitions?|declared|function|class|method|variable|type|constant|text|string|word|code|times?|appears?|matching|like|everywhere|please|project|workspace|folder|directory|here|there|up|out|many|often|and|this)$/i;

function tokens(text: string, masked: MaskedText): string[] {
	return text
		.split(" ")
		.map((token) => parseName(token, masked))
		.filter((token) => token !== "");
}

function isName(word: string): boolean {
	return isIdentifier(word) && !FILLER.test(word) && word.length > 2;
}

const SCOPE =
	/\b(?:in|inside|within|under|below|throughout)(?: all)?(?: of)?(?: the| my| our)?(?: folder| directory| file| files)? (⟦\d+⟧|[^\s,;!?]+)((?: folder| directory| files?)?)/i;
const WHOLE =
	/^(?:everywhere|all|this|the|project|codebase|workspace|repo(?:sitory)?|code|whole|entire|general|particular|tests?|docs?|documentation|comments?|place|it|them|every|order|favou?r|case)$/i;
const LANGUAGES: Record<string, string> = {
	typescript: "**/*.{ts,tsx}",
	javascript: "**/*.{js,jsx,mjs,cjs}",
	markdown: "**/*.md",
	python: "**/*.py",
	json: "**/*.json",
	css: "**/*.css",
};

export function parseScope(part: string, masked: MaskedText): IntentScope {
	const [, token = "", noun = ""] = SCOPE.exec(part) ?? [];
	const name = parseName(token, masked).replace(/^\.\/|\/$/g, "");
	if (name === "" || (WHOLE.test(name) && !token.includes("/"))) return {};
	if (/files?/.test(noun)) {
		if (/^\*?\.[\w]+$/.test(name)) return { in: `**/*${name.replace(/^\*/, "")}` };
		const glob = LANGUAGES[name.toLowerCase()];
		if (glob) return { in: glob };
	}
	return { in: name };
}

function folderAware(token: string, part: string, masked: MaskedText): string {
	const name = parseName(token, masked);
	return !name.endsWith("/") && (/\b(?:folder|directory)\b/i.test(part) || !looksLikePath(name)) ? `${name}/` : name;
}

const CONTENT =
	/^[,:]? ?(?:with|containing|that (?:says|contains|reads|holds)|whose contents? (?:is|are|reads)|saying|reading|holding|:)(?: the| this| following)*(?: contents?| text| lines?| code)? ?:? ?(.+)$/i;

function contentOf(rest: string, masked: MaskedText): string {
	const said = CONTENT.exec(rest.trim())?.[1] ?? (/^⟦\d+⟧$/.test(rest.trim()) ? rest.trim() : "");
	const text = masked.unmask(said);
	return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

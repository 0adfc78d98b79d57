// Tests hidden characters: one definition, every operation agrees with it, and no other file has one of its own.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentFields } from "../../../src/agents/agentSchema.ts";
import { truncateForDisplay } from "../../../src/agents/definitions.ts";
import { cleanLine, cleanText as cleanNote } from "../../../src/artifacts/note.ts";
import { findWorkspaceFile } from "../../../src/chat/openActions.ts";
import {
	DRAWN,
	escapeHidden,
	hasControl,
	hasHidden,
	hiddenPattern,
	isPlainAddress,
	isVisibleName,
	type Kept,
	removeHidden,
	removeIgnorable,
	removeTerminalEscapes,
	replaceHidden,
	toOneLine,
} from "../../../src/core/hiddenText.ts";
import { canTypeInTerminal } from "../../../src/core/ports/workspace/commands.ts";
import type { Workspace } from "../../../src/core/ports/workspace.ts";
import { formatInstructions, quoteName, wrapInTag } from "../../../src/core/prompt.ts";
import { plainRemoteAddress } from "../../../src/gate/git/harmlessKeys.ts";
import { pathSyntaxError } from "../../../src/gate/pathSyntax.ts";
import { parsePlainShell } from "../../../src/gate/shell/plainShell.ts";
import { summarizeServer } from "../../../src/mcp/canonicalJson.ts";
import { cleanLine as cleanServerLine, cleanText as cleanServerText } from "../../../src/mcp/wire/sanitize.ts";
import { cleanText, escapeHiddenCharacters, stripHiddenCharacters, visibleLine, visibleText } from "../../../src/shared/safeText.ts";
import { toSingleLine } from "../../../src/skills/frontmatter.ts";
import { parseWebUrl } from "../../../src/tools/web/webRequest.ts";
import { parseSignInHost } from "../../../src/vscode/mcp/launchSummary.ts";
import { isRelativePath } from "../../../webview-ui/text/markdownParser.ts";

/** Of the planes that hold nothing, or nothing but private characters, one in many. */
const EMPTY_PLANES = /[\u{40000}-\u{dffff}\u{f0000}-\u{10ffff}]/u;
const everyCharacter = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(
	(character, code) => code % 997 === 0 || code > 0x10fffd || !EMPTY_PLANES.test(character),
);
/** The definition from its other side: letters, marks, numbers, punctuation, symbols and blanks, but for those that are drawn as nothing. */
const DRAWN_BY_FONTS =
	/(?!\p{Default_Ignorable_Code_Point}|[\u2800\ufffc\u{13441}-\u{13446}\u{16fe4}\u{1d159}])[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]/u;
const visible = everyCharacter.filter((character) => DRAWN_BY_FONTS.test(character));
const seen = new Set(visible);
const hidden = everyCharacter.filter((character) => !seen.has(character));
/** All of those that mean something, and of the others one in many. */
const everyKindOfHidden = hidden.filter((character, index) => !/[\p{Co}\p{Cn}\p{Cs}]/u.test(character) || index % 997 === 0);

const KEPT: Readonly<Record<Kept, RegExp>> = {
	lines: /[\n\t]/,
	returns: /\r/,
	joiners: /[\u200c\u200d]/,
	selectors: /[\ufe0e\ufe0f]/,
	unassigned: /(?!\p{Default_Ignorable_Code_Point}|\p{Noncharacter_Code_Point})\p{Cn}/u,
	glyphs: /[\p{Co}\p{Cs}\u2800]/u,
};
const combinations: readonly (readonly Kept[])[] = [
	[],
	["selectors"],
	["lines"],
	["lines", "selectors"],
	["joiners", "selectors"],
	["joiners", "selectors", "unassigned"],
	["lines", "joiners", "selectors"],
	DRAWN,
	["lines", ...DRAWN],
];

const isKept = (character: string, kept: readonly Kept[]): boolean => kept.some((name) => KEPT[name].test(character));

describe("hidden characters", () => {
	it("are all that is neither drawn nor blank, and the definition holds for every character of Unicode", () => {
		assert.ok(visible.length > 140_000 && hidden.length > 100_000, `${visible.length} visible, ${hidden.length} hidden`);
		assert.deepEqual(
			visible.filter((character) => hasHidden(character)),
			[],
		);
		assert.deepEqual(
			hidden.filter((character) => !hasHidden(character)),
			[],
		);
	});

	for (const kept of combinations) {
		it(`are gone and everything else stays, with these exceptions: ${kept.join(", ") || "none"}`, () => {
			// Between two letters, so that no two halves become a pair.
			const text = everyCharacter.join("x");
			const expected = everyCharacter.map((character) => (seen.has(character) || isKept(character, kept) ? character : "")).join("x");
			const removed = removeHidden(text, ...kept);
			assert.ok(removed === expected, "removes something else");
			assert.ok(removeHidden(removed, ...kept) === removed, "removes more the second time");
			assert.ok(!hasHidden(removed, ...kept), "finds what it removes not");
			assert.ok(replaceHidden(text, () => "", ...kept) === removed, "replaces something else");
			const escaped = escapeHidden(text, ...kept);
			assert.ok(!hasHidden(escaped, ...kept) && escapeHidden(escaped, ...kept) === escaped, "leaves something hidden");
			assert.ok(!new RegExp(hiddenPattern(...kept), "v").test(removed), "another pattern than the operations have");
			const line = toOneLine(text, ...kept);
			assert.ok(!hasHidden(line, ...kept.filter((name) => name !== "lines")), "leaves something hidden in a line");
			assert.ok(toOneLine(line, ...kept) === line, "makes another line the second time");
		});
	}

	it("are written out in text for a person, and everything visible is shown as it is", () => {
		const shown = visible.filter((character) => !/\p{Zs}|\\/u.test(character)).join("");
		for (const show of [cleanText, escapeHiddenCharacters, stripHiddenCharacters]) assert.ok(show(shown) === shown, show.name);
		const text = everyKindOfHidden.map((character) => `a${character}a`).join("\n\n");
		assert.ok(!hasHidden(visibleText(text), "lines"));
		assert.ok(!hasHidden(visibleLine(text)));
		assert.ok(!hasHidden(cleanText(text), "lines", ...DRAWN));
		assert.ok(!hasHidden(escapeHiddenCharacters(text), "lines", "joiners", "selectors"));
		assert.ok(!hasHidden(stripHiddenCharacters(text), "lines", "joiners", "selectors"));
	});

	it("are not what a terminal's sequences leave behind, however they end", () => {
		const text =
			"\u001b[1;32mok\u001b[0m \u001b]0;title\u0007a\u009b31mb\u001b]8;;https://evil.example\u001b\\c\u001b]0;open\nd\u001b(Be\u001b[31\u001b";
		assert.equal(removeTerminalEscapes(text), "ok abc\nde");
		assert.equal(removeTerminalEscapes("\u001b[".repeat(300_000)), "");
	});

	it("are refused in a name where they change no letter", () => {
		for (const name of ["Zoë", "👩\u200d💻 Paula", "❤\ufe0f", "می\u200cخواهم", "क्\u200dष", "1\ufe0f\u20e3", "\u{1f6d9}", "价格"])
			assert.equal(isVisibleName(name), true, name);
		for (const name of ["a\u200db", "\u200dx", "a\ufe0fb", "价\ufe0e", "a \u200cb", "a\u3164", "\u2800", "a\ufe01b", "a\ue000"])
			assert.equal(isVisibleName(name), false, JSON.stringify(name));
	});
});

interface Caller {
	/** What it refused or removed before there was one definition. */
	strict: RegExp;
	/** Whether it still does. */
	stops(character: string): boolean;
}

/** Whether a text with the character in it comes out without it. */
const gone =
	(clean: (text: string) => string | undefined) =>
	(character: string): boolean =>
		!(clean(`a${character}a`) ?? "").includes(character);
const throws = (run: () => unknown): boolean => {
	try {
		run();
		return false;
	} catch {
		return true;
	}
};
const served = (word: string): string =>
	summarizeServer({ id: "x", name: "x", source: "settings", command: "run", args: [word] }, undefined).runs;
const ADDRESS = /[\\\p{Cc}\p{Cf}\s]/u;
const DECEIVING = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|[^\P{Cc}\n\t]/u;
const NOTE = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

const callers: Readonly<Record<string, Caller>> = {
	"a path of a model": {
		strict: /\p{C}|\p{Zl}|\p{Zp}|\u034f|\u115f|\u1160|\u3164|\uffa0|\u17b4|\u17b5|[\u{e0100}-\u{e01ef}]/u,
		stops: (character) => pathSyntaxError(`a${character}a`, false) !== undefined,
	},
	"a plain command": {
		strict: /(?!\n)(?:\p{C}|\p{Zl}|\p{Zp}|\u034f|\u115f|\u1160|\u3164|\uffa0|\u17b4|\u17b5|[\u{e0100}-\u{e01ef}])/u,
		stops: (character) => "odd" in parsePlainShell(`echo a${character}a`),
	},
	"a line for the person's terminal": { strict: /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u, stops: (character) => !canTypeInTerminal(`a${character}a`) },
	"an agent's name": {
		strict: /[\p{Cc}\p{Zl}\p{Zp}\p{Co}\p{Cs}\u2800]|(?!\u200c|\u200d|[\ufe00-\ufe0f])[\p{Cf}\p{Default_Ignorable_Code_Point}]/u,
		stops: (character) => !agentFields.displayName.safeParse(`a${character}a`).success,
	},
	"a remark on an agent": { strict: /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u, stops: gone(truncateForDisplay) },
	"a skill's description": { strict: /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/u, stops: gone(toSingleLine) },
	"an artifact's name": { strict: new RegExp(`\\p{Cc}|${NOTE.source}`, "u"), stops: gone(cleanLine) },
	"an artifact's text": { strict: new RegExp(`[^\\P{Cc}\\n\\t]|${NOTE.source}`, "u"), stops: gone(cleanNote) },
	"a name in a prompt": { strict: /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u, stops: gone(quoteName) },
	"a workspace's instructions": {
		strict: /(?!\n|\t)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u,
		stops: gone((text) => formatInstructions({ path: "AGENTS.md", text })),
	},
	"a tag in a prompt": {
		strict: /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u,
		stops: (character) => wrapInTag("note", {}, `<${character}/no${character}te>`).includes("&lt;"),
	},
	"an address to fetch": { strict: ADDRESS, stops: (character) => throws(() => parseWebUrl(`https://x.example/a${character}a`)) },
	"an address of a server": { strict: ADDRESS, stops: (character) => !isPlainAddress(`https://x.example/a${character}a`) },
	"an address to sign in at": { strict: ADDRESS, stops: (character) => parseSignInHost(`https://x.example/a${character}a`) === undefined },
	"an address of a repository": { strict: /\p{Cc}/u, stops: (character) => !plainRemoteAddress.test(`https://x.example/a${character}a`) },
	"a relative link": { strict: /\p{C}/u, stops: (character) => !isRelativePath(`a${character}a`) },
	"a server's command": { strict: /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u, stops: gone(served) },
	"words of a server": {
		strict:
			/[^\P{Cc}\t\n]|[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]|[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Cs}/u,
		stops: (character) => gone(cleanServerText)(character) && gone(cleanServerLine)(character),
	},
	"words of a model": { strict: DECEIVING, stops: gone(cleanText) },
	"words from outside": { strict: new RegExp(`${DECEIVING.source}|[\\u{e0100}-\\u{e01ef}]`, "u"), stops: gone(stripHiddenCharacters) },
	"words that a person answers to": {
		strict: /(?!\n|\t|\u200c|\u200d|\ufe0e|\ufe0f)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u,
		stops: gone(escapeHiddenCharacters),
	},
	"a name that is compared": { strict: /\p{Default_Ignorable_Code_Point}/u, stops: gone(removeIgnorable) },
	"a path on disk": { strict: /\p{Cc}/u, stops: hasControl },
};

describe("what is refused or removed", () => {
	for (const [name, { strict, stops }] of Object.entries(callers)) {
		it(`in ${name} is no less than it was in 0.1.0`, () => {
			const wanted = everyKindOfHidden.filter((character) => strict.test(character));
			assert.ok(wanted.length > 30, "nothing to look for");
			assert.deepEqual(
				wanted.filter((character) => !stops(character)).map((character) => escapeHidden(character)),
				[],
			);
		});
	}

	it("leaves out names that people and files have", async () => {
		const names = ["Zoë", "e\u0301", "❤\ufe0f", "1\ufe0f\u20e3", "👍🏽", "Ünï", "データ", "ملف", "नमस्ते", "שלום", "한글", "Tiếng Việt"];
		const workspace = { folders: () => [{ name: "w", path: "/w" }], stat: () => Promise.resolve({ type: "file" }) } as unknown as Workspace;
		for (const name of [...names, "👩\u200d💻", "می\u200cخواهم", "🏳\ufe0f\u200d🌈"]) {
			assert.equal(agentFields.displayName.safeParse(name).success, true, name);
			assert.equal(cleanLine(name), name);
			assert.equal(cleanNote(name), name);
			assert.equal(truncateForDisplay(name), name);
			for (const clean of [cleanText, escapeHiddenCharacters, stripHiddenCharacters]) assert.equal(clean(name), name);
		}
		for (const name of names) {
			assert.equal(toSingleLine(name), name);
			assert.equal(pathSyntaxError(`src/${name}.md`, false), undefined, name);
			assert.equal("odd" in parsePlainShell(`cat ${name}.md`), false, name);
			assert.equal(canTypeInTerminal(`cat ${name}.md`), true, name);
			assert.equal(await findWorkspaceFile(workspace, `${name}.md`), `/w/${name}.md`);
			assert.equal(cleanServerLine(name), name);
		}
	});
});

/** A class or an escape of a hidden character, as a regular expression or a text has it. A file's byte order mark may be looked for. */
const OWN_SET =
	/\\p\{(?:C[cfnos]?|Z[lp]?|Other|Control|Format|DI|Default_Ignorable_Code_Point)\}|\\P\{C[cfnos]?\}|\\(?:0|x00|u0000)-\\(?:x1f|x20|u001f|u0020)|\\u\{?(?:00ad|034f|061c|115f|1160|17b[45]|180[b-f]|200[b-f]|202[89a-e]|206[0-9a-f]|2800|3164|fe0[0-9a-f]|ffa0|fff[9a-c]|e0[01][0-9a-f]{2})/i;

/** Files that may speak of hidden characters, and why. */
const MAY: Readonly<Record<string, string>> = {
	"src/core/hiddenText.ts": "has the definition",
	"src/platform/git/gitChanges.ts": "knows git's own rule for names of references",
	"src/vscode/terminalChat/lineEditor.ts": "reads the keys that a terminal sends",
	"src/vscode/terminalChat/textRows.ts": "knows how wide a terminal draws them",
};

describe("our source", () => {
	const files = ["src", "webview-ui"].flatMap((folder) =>
		readdirSync(folder, { recursive: true, encoding: "utf8" })
			.map((name) => join(folder, name).replaceAll("\\", "/"))
			.filter((name) => /\.(?:tsx?|mjs|js)$/.test(name)),
	);

	it("has one set of hidden characters, and files that may speak of some have a reason", () => {
		assert.ok(files.length > 300, "found no files to check");
		const own = files.filter((file) => OWN_SET.test(readFileSync(file, "utf8")));
		assert.deepEqual(own.sort(), Object.keys(MAY).sort());
		for (const set of [
			"/[\\p{Cc}\\p{Cf}]/u",
			"/[^\\P{Cc}\\n\\t]/u",
			"/[\\u200B]/",
			"/[\\u{e0000}-\\u{e007f}]/u",
			"/[\\x00-\\x1f]/",
			"\\u3164",
		])
			assert.match(set, OWN_SET);
	});

	it("has no hidden character itself", () => {
		assert.deepEqual(
			files.filter((file) => hasHidden(readFileSync(file, "utf8"), "lines")),
			[],
		);
	});
});

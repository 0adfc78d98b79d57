// Tests that external names never become links or icons in the editor's messages and lists.

// The editor renders Markdown links and $(…) icons there. Also checks that everything shown to the user goes through
// the one renderer.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { escapeLabel, escapeMessage } from "../../src/shared/safeText.ts";
import { hostileText, numbers } from "../fakes/hostileText.ts";

/** As the workbench reads the text of a message, and of a label. */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;
const ICON = /\$\([a-z0-9-]+(?:~[a-z]+)?\)/gi;

const sources = (): { name: string; text: string }[] =>
	["src/vscode", "src/compose", "src/chat"]
		.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)))
		.filter((name) => name.endsWith(".ts"))
		.map((name) => ({ name: name.replaceAll("\\", "/"), text: readFileSync(name, "utf8") }));

describe("A message of the editor", () => {
	it("has no link, however a file, a note or an agent is called", () => {
		for (const name of [
			"[Update](command:workbench.extensions.installExtension?%22evil.ext%22).json",
			"[[x]](command:x)",
			"[x]\u200b(command:x)",
			'[x](https://evil.example "title")',
			"[a](file:///etc/passwd)",
			"[x](COMMAND:x)",
		]) {
			const shown = escapeMessage(`The agent “${name}” can't be used.`);
			assert.deepEqual(shown.match(LINK), null, shown);
			assert.ok(!/\p{Cf}/u.test(shown));
		}
		assert.equal(escapeMessage("Nothing [odd] here (at all)."), "Nothing [odd] here (at all).");
	});

	it("has no link, and a label no icon, whatever is in it", () => {
		const next = numbers(11);
		for (let round = 0; round < 2_000; round += 1) {
			const text = `${hostileText(next)}[x](command:y)${hostileText(next)}$(check)`;
			assert.deepEqual(escapeMessage(text).match(LINK), null, JSON.stringify(text));
			assert.deepEqual(escapeLabel(text).match(ICON), null, JSON.stringify(text));
		}
	});

	it("is shown through one place, and so is every dialog", () => {
		const places = ["src/vscode/notifications.ts", "src/vscode/dialogs.ts"];
		const calls = sources()
			.filter(({ name }) => !places.includes(name))
			.flatMap(({ name, text }) =>
				[...text.matchAll(/show(?:Warning|Error|Information)Message|\bmodal:/g)].map(([found]) => `${name}: ${found}`),
			);
		assert.deepEqual(calls, []);
		const shown = places.map((place) => {
			const text = sources().find(({ name }) => name === place)?.text ?? "";
			return [...text.matchAll(/\.show\w+Message\((\w+)/g)].map(([, first]) => first);
		});
		assert.deepEqual(shown, [
			["written", "written", "written"],
			["title", "title"],
		]);
	});
});

describe("A list of the editor, and a box to write in", () => {
	it("names nothing that was not written out", () => {
		const lists = sources().filter(({ text }) => /createQuickPick|showQuickPick|showInputBox/.test(text));
		assert.ok(lists.length > 5, "found no lists");
		assert.deepEqual(
			lists.flatMap(({ name, text }) => rawValues(text).map((value) => `${name}: ${value}`)),
			[],
		);
	});

	it("is found to name what was not", () => {
		const raw = ["item.name", "`$(key) ${name}`", 't("{0}", name)', "[escapeLabel(a), b].join()", 'a ? t("b") : c.d'];
		const fine = ["`$(${icon}) ${escapeLabel(name)}`", 't("{0}", names.length)', "[escapeLabel(name)].join()", 'a.b === c ? t("d") : ""'];
		assert.deepEqual(
			[...raw, ...fine].map((value) => rawValues(`\n\tlabel: ${value},\n`).length),
			[1, 1, 1, 1, 1, 0, 0, 0, 0],
		);
	});
});

const PROPERTY = /^\s*(?:\.\.\.\([^{]*\{ |\{ )?(?:label|description|detail|placeHolder|placeholder|prompt|title): /gm;
/** The renderer, and functions that give what went through it or are our own words. */
const WRITES_OUT = /(?:escapeLabel|visibleLine|formatAddress|escapeMessage|ticked|detailOf|stateOf|claimed|includes)\(/;
/** They hold no words of others. */
const OWN = /^(?:[A-Z_]+|t|details|facts|filter|join|fact|part|kept|Boolean|string)$/;

/** Values that lists and boxes show as they came. */
function rawValues(text: string): string[] {
	return [...text.matchAll(PROPERTY)].flatMap(({ index, 0: start }) => {
		const value = valueAt(text, index + start.length);
		return namesIn(value).length > 0 ? [`${value} (${namesIn(value)})`] : [];
	});
}

/** Up to the comma or bracket that ends it. */
function valueAt(text: string, from: number): string {
	let depth = 0;
	for (let at = from; at < text.length; at += 1) {
		const character = text[at] as string;
		if ("([{".includes(character)) depth += 1;
		if (depth === 0 && ",;)]}\n".includes(character)) return text.slice(from, at);
		if (")]}".includes(character)) depth -= 1;
	}
	return text.slice(from);
}

/** What is left when everything that was written out, or is our own, is taken out. */
function namesIn(value: string): string[] {
	let left = value
		.replace(/"(?:[^"\\]|\\.)*"/g, "")
		.replace(/\.map\(escapeLabel\)/g, ".labelled")
		.replace(/\.\.\.[\w.]+\.labelled/g, "");
	for (let match = WRITES_OUT.exec(left); match; match = WRITES_OUT.exec(left)) {
		const inside = valueAt(left, match.index + match[0].length);
		left = left.slice(0, match.index) + rest(left, match.index + match[0].length + inside.length);
	}
	left = left
		.replace(/\$\(\$\{[^}]*\}\)/g, "")
		.replace(/[\w.]+\.length/g, "")
		.replace(/(?:^|(?<=[([{,:]))[^?:,()[\]]*\?(?![?.])/g, "")
		.replace(/\(\w+\) => [^)]*/g, "")
		.replace(/`[^`$]*`/g, "")
		.replace(/`([^`]*)`/g, (_, inside: string) => [...inside.matchAll(/\$\{([^}]*)\}/g)].map(([, name]) => name).join(" "));
	return (left.match(/[a-zA-Z_][\w.]*/g) ?? []).filter((name) => !OWN.test(name.split(".").at(-1) ?? ""));
}

/** Behind the bracket that closes, commas of further arguments included. */
function rest(text: string, from: number): string {
	let depth = 0;
	for (let at = from; at < text.length; at += 1) {
		if ("([{".includes(text[at] as string)) depth += 1;
		if (")]}".includes(text[at] as string)) {
			if (depth === 0) return text.slice(at + 1);
			depth -= 1;
		}
	}
	return "";
}

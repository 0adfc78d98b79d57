// Plain English, many ways.
import assert from "node:assert/strict";
import type { OfflineIntent } from "../../../src/models/offline/intents.ts";
import { parseMessage } from "../../../src/models/offline/parseMessage.ts";

const rename = (more: Partial<Extract<OfflineIntent, { do: "rename" }>> = {}): OfflineIntent => ({
	do: "rename",
	from: "formatPrice",
	to: "formatMoney",
	scope: {},
	everywhere: false,
	force: false,
	noTests: false,
	...more,
});
const tests: OfflineIntent = { do: "run", what: { tests: true } };

describe("plain English", () => {
	const table: [string, OfflineIntent[]][] = [
		["Rename formatPrice to formatMoney everywhere", [rename({ everywhere: true })]],
		["rename formatPrice to formatMoney.", [rename()]],
		["Please rename the function `formatPrice` to `formatMoney`", [rename()]],
		["rename the formatPrice function to formatMoney", [rename()]],
		["could you rename formatPrice() into formatMoney()?", [rename()]],
		["rename “formatPrice” as “formatMoney” across the whole project", [rename({ everywhere: true })]],
		["change the name of the function formatPrice to formatMoney", [rename()]],
		["formatPrice should be called formatMoney", [rename()]],
		["I want 'formatPrice' to be named 'formatMoney'", [rename()]],
		["change formatPrice to formatMoney", [rename()]],
		["formatPrice -> formatMoney", [rename()]],
		["use formatMoney instead of formatPrice", [rename()]],
		["rename formatPrice to formatMoney in src/", [rename({ scope: { in: "src" } })]],
		["rename formatPrice to formatMoney in the src folder", [rename({ scope: { in: "src" } })]],
		["rename formatPrice to formatMoney in all .ts files", [rename({ scope: { in: "**/*.ts" } })]],
		["rename formatPrice to formatMoney and run the tests", [rename(), tests]],
		["Rename formatPrice to formatMoney, then check that the tests pass", [rename(), tests]],
		["rename formatPrice to formatMoney without running the tests", [rename({ noTests: true })]],
		["rename the file src/a.ts to b.ts", [{ do: "move", from: "src/a.ts", to: "b.ts" }]],
		["move src/a.ts into the lib folder", [{ do: "move", from: "src/a.ts", to: "lib/" }]],
		[
			'replace "hello world" with "goodbye" in docs/',
			[{ do: "replace", from: "hello world", to: "goodbye", scope: { in: "docs" }, noTests: false }],
		],
		["replace all occurrences of foo bar by baz everywhere", [{ do: "replace", from: "foo bar", to: "baz", scope: {}, noTests: false }]],
		["substitute colour for color", [{ do: "replace", from: "color", to: "colour", scope: {}, noTests: false }]],
		['change the text "Sign in" to "Log in"', [{ do: "replace", from: "Sign in", to: "Log in", scope: {}, noTests: false }]],
		["create notes.md", [{ do: "create", path: "notes.md", content: "" }]],
		["add a new file called src/b.ts with the content `export {};`", [{ do: "create", path: "src/b.ts", content: "export {};\n" }]],
		[
			"create src/b.ts:\n```ts\nconst a = 1;\n\nexport { a };\n```",
			[{ do: "create", path: "src/b.ts", content: "const a = 1;\n\nexport { a };\n" }],
		],
		["delete the file old.ts", [{ do: "delete", path: "old.ts" }]],
		["get rid of src/old.ts", [{ do: "delete", path: "src/old.ts" }]],
		["find formatPrice", [{ do: "find", query: "formatPrice", files: false, scope: {} }]],
		["where is formatPrice used?", [{ do: "find", query: "formatPrice", files: false, scope: {} }]],
		['search for "Sign in" in src/', [{ do: "find", query: "Sign in", files: false, scope: { in: "src" } }]],
		["which files mention formatPrice", [{ do: "find", query: "formatPrice", files: false, scope: {} }]],
		["find files named cart", [{ do: "find", query: "cart", files: true, scope: {} }]],
		["List the files here", [{ do: "find", query: "*", files: true, scope: {} }]],
		["list all files", [{ do: "find", query: "*", files: true, scope: {} }]],
		["explain src/format.ts", [{ do: "explain", subject: "src/format.ts" }]],
		["what does the file src/format.ts do?", [{ do: "explain", subject: "src/format.ts" }]],
		["run the tests", [tests]],
		["test it", [tests]],
		["make sure the tests still pass", [tests]],
		["run `npm run build`", [{ do: "run", what: { command: "npm run build" } }]],
		["run npm test", [{ do: "run", what: { command: "npm test" } }]],
		["run the build", [{ do: "run", what: { script: "build" } }]],
		["rename run to execute and delete find.ts", [rename({ from: "run", to: "execute" }), { do: "delete", path: "find.ts" }]],
		[
			'create a.txt with the text "delete b.txt and run the tests"',
			[{ do: "create", path: "a.txt", content: "delete b.txt and run the tests\n" }],
		],
	];
	for (const [message, intents] of table) {
		it(`“${message.replace(/\n/g, "⏎")}”`, () => {
			assert.deepEqual(parseMessage(message), { kind: "request", intents });
		});
	}

	for (const message of [
		"do it",
		"Execute the plan.",
		"ok, go ahead",
		"Yes please",
		"continue",
		"looks good to me",
		"run the plan",
		"ok do it now",
	]) {
		it(`“${message}” means go`, () => assert.deepEqual(parseMessage(message, [rename()]), { kind: "go", intents: [rename()] }));
	}

	const followUps: [string, OfflineIntent[]][] = [
		["also run the tests", [rename(), tests]],
		["skip the docs", [rename({ scope: { except: ["docs"] } })]],
		["but not in src/legacy", [rename({ scope: { except: ["src/legacy"] } })]],
		["only in src/", [rename({ scope: { in: "src" } })]],
		["call it formatCash instead", [rename({ to: "formatCash" })]],
		["actually, use formatCash", [rename({ to: "formatCash" })]],
		["don't run the tests", [rename({ noTests: true })]],
	];
	for (const [message, intents] of followUps) {
		it(`“${message}” refines what was asked`, () => assert.deepEqual(parseMessage(message, [rename()]), { kind: "more", intents }));
	}

	for (const message of [
		"",
		"hello",
		"write a poem",
		"why?",
		"make it faster",
		"⟦0⟧",
		"Fix this problem in src/a.ts:\n```\n- line 2: Cannot find name 'x'. (ts 2304)\n```",
	]) {
		it(`“${message}” is not guessed at`, () => assert.deepEqual(parseMessage(message), { kind: "unclear", intents: [] }));
	}
});

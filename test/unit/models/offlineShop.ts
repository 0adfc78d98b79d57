// A shop for the offline model to work on, and the session of the test that runs.
import { type Files, openSession, type Session } from "./offlineLoop.ts";

export let session: Session;

export function open(files: Files, role?: Session["role"]): Session {
	session = openSession(files, role);
	return session;
}

export const shop: Files = {
	"package.json": '{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n',
	"src/format.js": [
		"// Prices for people.",
		"export function formatPrice(cents) {",
		"	return (cents / 100).toFixed(2);",
		"}",
		"",
		"export function formatPrices(list) {",
		"	return list.map((cents) => formatPrice(cents));",
		"}",
		"",
	].join("\n"),
	"src/cart.js":
		'import { formatPrice } from "./format.js";\r\n\r\nexport const total = (list) =>\r\n\tformatPrice(list.reduce((a, b) => a + b, 0)) + " " + formatPrice.name;\r\n',
	"src/twice.js":
		'import { formatPrice } from "./format.js";\nexport const a = [\n\tformatPrice(1),\n\t0,\n\t0,\n\t0,\n\t0,\n\t0,\n\tformatPrice(1),\n];\nexport const b = formatPrice(1);\n',
	"test/format.test.js":
		'import assert from "node:assert";\nimport test from "node:test";\nimport { formatPrice } from "../src/format.js";\ntest("formatPrice works", () => assert.equal(formatPrice(150), "1.50"));\n',
	"README.md": "# Shop\n\nUse `formatPrice` to show prices. FormatPrice is something else.\n",
};

export const renamed = (files: Files): Files =>
	Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.replace(/\bformatPrice\b/g, "formatMoney")]));

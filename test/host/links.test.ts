// Tests links to Troupe as a real editor decodes them: the whole text is shown and filled in.
import assert from "node:assert/strict";
import { Uri, type UriHandler } from "vscode";
import type { IntegrationContext } from "../../src/vscode/integrations/integrationContext.ts";
import { registerLinks } from "../../src/vscode/links.ts";
import { restoreWindow, window } from "./stubs.ts";

describe("a link to Troupe", () => {
	const real = window["registerUriHandler"];
	let handler: UriHandler | undefined;
	let detail: string;
	let filled: string[];

	before(() => {
		window["registerUriHandler"] = (given: UriHandler) => {
			handler = given;
			return { dispose: () => undefined };
		};
		const chat = { show: async () => undefined, compose: (text: string) => void filled.push(text), focus: () => undefined };
		const engine = { load: async () => ({ sessions: { create: async () => ({ sessionId: "new" }) } }) };
		const context = { engine, views: { reveal: async () => chat }, log: { error: () => undefined } } as unknown as IntegrationContext;
		registerLinks(context, async (_, lines) => {
			const last = lines.at(-1);
			detail = typeof last === "object" ? last.written : "";
			return true;
		});
		window["registerUriHandler"] = real;
	});

	beforeEach(() => {
		filled = [];
	});

	after(restoreWindow);

	it("the text of a link to Troupe may contain any character", async () => {
		for (const text of [
			"Explain a & b = c + d, 50% & more? #1 \\ \"x\" 'y'",
			"two\nlines\tand 👩\u200d💻",
			"&agent=other&text=&&",
			"%41%26",
		]) {
			await handler?.handleUri(Uri.parse(`vscode://troupe.troupe/ask?agent=troupe&text=${encodeURIComponent(text)}`, true));
			assert.deepEqual(filled.splice(0), [text]);
			assert.ok(detail.length >= text.length);
		}
	});
});

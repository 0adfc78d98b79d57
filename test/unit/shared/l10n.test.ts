// Numbers and lists follow the editor's language.
import assert from "node:assert/strict";
import { formatDollars, formatList, formatNumber, setLanguage } from "../../../src/shared/l10n.ts";

describe("numbers and lists for people", () => {
	after(() => setLanguage("en"));

	it("follow the language, also when it changes", () => {
		const said = ["en", "de", "en"].map((tag) => {
			setLanguage(tag);
			return [formatNumber(1234.5), formatDollars(1.5), formatList(["a", "b"])].join(" · ").replaceAll("\u00a0", " ");
		});
		assert.deepEqual(said, ["1,234.5 · $1.50 · a, b", "1.234,5 · 1,50 $ · a und b", "1,234.5 · $1.50 · a, b"]);
	});

	it("keep their options apart", () => {
		assert.deepEqual([formatNumber(0.5), formatNumber(0.5, { style: "percent" }), formatNumber(0.5)], ["0.5", "50%", "0.5"]);
	});
});

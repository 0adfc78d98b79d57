// Every sentence for the person, in every language that Troupe speaks.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { config, formatDollars, formatList, formatNumber, formatPercent, setLanguage, t } from "../../src/shared/l10n.ts";

const run = promisify(execFile);
const LANGUAGES = ["de", "zh-cn"];

function bundle(name: string): Record<string, string> {
	return JSON.parse(readFileSync(name, "utf8")) as Record<string, string>;
}

describe("the words for the person", () => {
	it("are there in every language, with the same places to fill, and none is left over", async () => {
		const { stdout } = await run(process.execPath, ["scripts/words.mjs"]).catch((error: { stdout: string }) => error);
		const files = LANGUAGES.flatMap((language) => [`l10n/bundle.l10n.${language}.json`, `package.nls.${language}.json`]);
		const counts = new Map(files.map((file) => [file, Object.keys(bundle(file)).length]));
		assert.deepEqual(
			stdout.trim().split("\n"),
			files.map((file) => `${file}: ${counts.get(file)} sentences, 0 complaints`),
		);
		for (const [file, count] of counts) assert.ok(count > 50, `${file} holds ${count} sentences`);
	});

	it("keep the word by which failures that 0.1.0 stored say what is kept", () => {
		assert.deepEqual(
			LANGUAGES.map((language) => bundle(`l10n/bundle.l10n.${language}.json`)["kept"]),
			["erhalten", "保留"],
		);
	});

	it("name a command as the palette has it", () => {
		for (const language of LANGUAGES) {
			const words = Object.values(bundle(`l10n/bundle.l10n.${language}.json`));
			const titles = bundle(`package.nls.${language}.json`);
			for (const command of ["command.setApiKey", "command.selectModel", "command.newSession"]) {
				const title = `Troupe: ${titles[command]?.replace("…", "")}`;
				assert.ok(
					words.some((sentence) => sentence.includes(title)),
					`${language}: nothing names ${title}`,
				);
			}
		}
	});
});

describe("figures for the person", () => {
	afterEach(() => {
		config({ contents: {} });
		setLanguage("en");
	});

	for (const [language, expected] of [
		["en", ["1,234.5", "41%", "$1.50", "a, b, c"]],
		["de", ["1.234,5", "41\u00a0%", "1,50\u00a0$", "a, b und c"]],
		["zh-cn", ["1,234.5", "41%", "$1.50", "a、b、c"]],
		["not a language", ["1,234.5", "41%", "$1.50", "a, b, c"]],
	] as const) {
		it(`read as in ${language}`, () => {
			setLanguage(language);
			assert.deepEqual([formatNumber(1234.5), formatPercent(0.41), formatDollars(1.5), formatList(["a", "b", "c"])], expected);
		});
	}

	it("stand in the translated sentence", () => {
		config({ contents: bundle("l10n/bundle.l10n.de.json") });
		setLanguage("de");
		assert.equal(t("Show All {0} Lines", formatNumber(1_200)), "Alle 1.200 Zeilen anzeigen");
	});
});

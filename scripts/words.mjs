// Compares the localized strings in the sources with the translation bundles.

// `node scripts/words.mjs` prints the strings that are missing from or unused in each bundle, and translations whose
// placeholders differ from the English text; `--write` sorts the bundles, adds missing strings as empty ones and
// removes unused ones.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { root } from "./install.mjs";

const LANGUAGES = ["de", "zh-cn"];

const IMPORTS = /import \{[^}]*\bt\b[^}]*\} from "[\w./]*l10n\.ts"/;
const LITERAL = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/.source;
/** Matches `t("…")`, and `t({ message: "…", …, comment: ["…"] })` for text with several meanings. */
const SAID = new RegExp(
	`(?<![\\w.$])t\\(\\s*(?:(${LITERAL})\\s*[,)]|\\{\\s*message:\\s*(${LITERAL})[^{}]*comment:\\s*\\[(${LITERAL})\\])`,
	"g",
);
const CALLED = /(?<![\w.$])t\(/g;

/** Translation files, with the source of the English text by key. */
const bundles = LANGUAGES.flatMap((language) => [
	{ name: `l10n/bundle.l10n.${language}.json`, english: inSources },
	{ name: `package.nls.${language}.json`, english: () => readBundle("package.nls.json") },
]);

/** Sentences are their own keys. Throws if `t` is called with anything but a literal. */
async function inSources() {
	const files = (await Promise.all(["src", "webview-ui"].map(filesBelow))).flat();
	const words = (await Promise.all(files.map(async (file) => wordsIn(await readFile(file, "utf8"), file)))).flat();
	return Object.fromEntries(words.sort().map((word) => [word, word]));
}

function wordsIn(text, file) {
	if (!IMPORTS.test(text)) return [];
	const found = [...text.matchAll(SAID)].map(([, plain, message, comment]) =>
		plain === undefined ? `${evaluated(message)}/${evaluated(comment)}` : evaluated(plain),
	);
	if (found.length < [...text.matchAll(CALLED)].length) throw new Error(`${file}: t takes a sentence as it stands, not a value`);
	return found;
}

function evaluated(literal) {
	if (literal.startsWith('"')) return JSON.parse(literal);
	return JSON.parse(`"${literal.slice(1, -1).replaceAll("\\'", "'").replaceAll('"', '\\"')}"`);
}

/** Placeholders, command links and icons, which must be the same in every language. */
function places(sentence) {
	return [...new Set(sentence.match(/\{\d\}|\(command:[^)]*\)|\$\([a-z-]+\)/g))].sort().join(" ");
}

/** @returns {Promise<Record<string, string>>} */
async function readBundle(name) {
	try {
		return JSON.parse(await readFile(join(root, name), "utf8"));
	} catch (error) {
		if (error.code === "ENOENT") return {};
		throw error;
	}
}

async function filesBelow(folder) {
	const names = await readdir(join(root, folder), { recursive: true });
	return names.filter((name) => /\.tsx?$/.test(name)).map((name) => join(root, folder, name));
}

for (const { name, english } of bundles) {
	const wanted = await english();
	const bundle = await readBundle(name);
	if (process.argv.includes("--write")) {
		const sorted = Object.fromEntries(Object.keys(wanted).map((word) => [word, bundle[word] ?? ""]));
		await mkdir(dirname(join(root, name)), { recursive: true });
		await writeFile(join(root, name), `${JSON.stringify(sorted, null, "\t")}\n`);
	}
	const complaints = [
		...Object.keys(wanted).flatMap((word) => (bundle[word] ? [] : [`missing: ${word}`])),
		...Object.keys(bundle).flatMap((word) => (word in wanted ? [] : [`left over: ${word}`])),
		...Object.keys(wanted).flatMap((word) =>
			bundle[word] && places(bundle[word]) !== places(wanted[word]) ? [`other places: ${word}`] : [],
		),
	];
	console.log(`${name}: ${Object.keys(wanted).length} sentences, ${complaints.length} complaints`);
	for (const complaint of complaints) console.log(`  ${complaint}`);
	if (complaints.length > 0) process.exitCode = 1;
}

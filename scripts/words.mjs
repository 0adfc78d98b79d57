// Finds every sentence that the sources put through `t` and holds the translations against them.
// `node scripts/words.mjs` prints what is missing in, or left over from, each bundle; `--write` sorts the bundles,
// adds what is missing as empty strings and removes what is left over.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { getL10nJson } from "@vscode/l10n-dev";
import { root } from "./install.mjs";
import { isMain } from "./processes.mjs";

export const LANGUAGES = ["de", "zh-cn"];

/** The sentences in the order of the alphabet. */
export async function wordsInSources() {
	const files = (await Promise.all(["src", "webview-ui"].map(filesBelow))).flat();
	const contents = await Promise.all(
		files.map(async (file) => ({ extension: extname(file), contents: asTheToolReads(await readFile(file, "utf8")) })),
	);
	return Object.keys(await getL10nJson(contents.filter((file) => file.contents.includes("l10n.t(")))).sort();
}

/** What the manifest puts into `package.nls.json`. */
export async function manifestWords() {
	return Object.keys(await readBundle("package.nls.json")).sort();
}

/** @returns {Promise<Record<string, string>>} */
export async function readBundle(name) {
	try {
		return JSON.parse(await readFile(join(root, name), "utf8"));
	} catch (error) {
		if (error.code === "ENOENT") return {};
		throw error;
	}
}

export const bundles = (language) => [
	{ name: `l10n/bundle.l10n.${language}.json`, words: wordsInSources },
	{ name: `package.nls.${language}.json`, words: manifestWords },
];

/** The extractor knows `l10n.t` of the package's own name only. */
function asTheToolReads(text) {
	return text
		.replace(/import \{[^}]*\bt\b[^}]*\} from "[\w./]*l10n\.ts"/, 'import * as l10n from "@vscode/l10n"')
		.replace(/(?<![\w.$])t\(/g, "l10n.t(");
}

async function filesBelow(folder) {
	const names = await readdir(join(root, folder), { recursive: true });
	return names.filter((name) => /\.tsx?$/.test(name)).map((name) => join(root, folder, name));
}

if (isMain(import.meta.url)) {
	for (const { name, words } of LANGUAGES.flatMap(bundles)) {
		const wanted = await words();
		const bundle = await readBundle(name);
		const missing = wanted.filter((word) => !bundle[word]);
		const left = Object.keys(bundle).filter((word) => !wanted.includes(word));
		console.log(`${name}: ${wanted.length} sentences, ${missing.length} missing, ${left.length} left over`);
		if (!process.argv.includes("--write")) {
			for (const word of missing) console.log(`  missing: ${word}`);
			for (const word of left) console.log(`  left over: ${word}`);
			continue;
		}
		const sorted = Object.fromEntries(wanted.map((word) => [word, bundle[word] ?? ""]));
		await writeFile(join(root, name), `${JSON.stringify(sorted, null, "\t")}\n`);
	}
}

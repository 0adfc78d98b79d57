// Finds every sentence that the sources put through `t` and holds the translations against them.
// `node scripts/words.mjs` prints what is missing in, or left over from, each bundle; `--write` sorts the bundles,
// adds what is missing as empty strings and removes what is left over.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { root } from "./install.mjs";
import { isMain } from "./processes.mjs";

export const LANGUAGES = ["de", "zh-cn"];

const IMPORTS = /import \{[^}]*\bt\b[^}]*\} from "[\w./]*l10n\.ts"/;
const LITERAL = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/.source;
/** `t("…")`, and `t({ message: "…", …, comment: ["…"] })` where the same words mean two things. */
const SAID = new RegExp(`(?<![\\w.$])t\\(\\s*(?:(${LITERAL})\\s*[,)]|\\{\\s*message:\\s*(${LITERAL})[^{}]*comment:\\s*\\[(${LITERAL})\\])`, "g");
const CALLED = /(?<![\w.$])t\(/g;

/** The keys of the bundles in the order of the alphabet. Throws where `t` is given something else than a sentence. */
export async function wordsInSources() {
	const files = (await Promise.all(["src", "webview-ui"].map(filesBelow))).flat();
	return [...new Set((await Promise.all(files.map(async (file) => wordsIn(await readFile(file, "utf8"), file)))).flat())].sort();
}

export function wordsIn(text, file) {
	if (!IMPORTS.test(text)) return [];
	const found = [...text.matchAll(SAID)].map(([, plain, message, comment]) =>
		plain === undefined ? `${valueOf(message)}/${valueOf(comment)}` : valueOf(plain),
	);
	if (found.length < [...text.matchAll(CALLED)].length) throw new Error(`${file}: t takes a sentence as it stands, not a value`);
	return found;
}

function valueOf(literal) {
	if (literal.startsWith('"')) return JSON.parse(literal);
	return JSON.parse(`"${literal.slice(1, -1).replaceAll("\\'", "'").replaceAll('"', '\\"')}"`);
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
		await mkdir(dirname(join(root, name)), { recursive: true });
		await writeFile(join(root, name), `${JSON.stringify(sorted, null, "\t")}\n`);
	}
}

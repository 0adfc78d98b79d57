// Makes the character set of what we start UTF-8, so that bytes mean to it what they meant to whoever judged them.
import { access, readdir } from "node:fs/promises";
import { join } from "node:path";

const UTF8 = /\.utf-?8(@|$)|^utf-?8$/i;

/** LC_CTYPE becomes `utf8()` where the locale in force is of another set; LC_ALL goes on as LANG, which it would outrank. */
export async function withUtf8Locale(
	environment: Readonly<Record<string, string>>,
	utf8: () => Promise<string>,
): Promise<Readonly<Record<string, string>>> {
	const { LC_ALL = "", LC_CTYPE = "", LANG = "" } = environment;
	if (UTF8.test(LC_ALL || LC_CTYPE || LANG)) return environment;
	const { LC_ALL: _, ...others } = environment;
	return { ...others, ...(LC_ALL !== "" && { LANG: LC_ALL }), LC_CTYPE: await utf8() };
}

/** Names in the order of their characters, as the gate has them when it expands a pattern. */
export function withCodePointCollation(environment: Readonly<Record<string, string>>): Record<string, string> {
	const { LC_ALL, ...others } = environment;
	return { ...others, ...(LC_ALL && { LANG: LC_ALL, LC_CTYPE: LC_ALL }), LC_COLLATE: "C" };
}

/** A locale in UTF-8 that is installed below `root`, by its files: no program is asked. `C` where none is known to be. */
export async function findUtf8Locale(root = "/"): Promise<string> {
	// Programs from Git for Windows have it built in, and so has musl.
	if (process.platform === "win32") return "C.UTF-8";
	const libraries = await readdir(join(root, "lib")).catch(() => []);
	if (libraries.some((name) => name.startsWith("ld-musl-"))) return "C.UTF-8";
	for (const [locale, folder] of PLACES) {
		const there = await access(join(root, folder, "LC_CTYPE")).then(
			() => true,
			() => false,
		);
		if (there) return locale;
	}
	return "C";
}

/** Where glibc keeps them, then the BSDs and macOS. */
const PLACES = [
	...["C.utf8", "C.UTF-8"].map((name) => ["C.UTF-8", `usr/lib/locale/${name}`] as const),
	...["en_US.utf8", "en_US.UTF-8"].map((name) => ["en_US.UTF-8", `usr/lib/locale/${name}`] as const),
	...["C.UTF-8", "en_US.UTF-8"].map((name) => [name, `usr/share/locale/${name}`] as const),
];

// Makes the character set of what we start UTF-8, so that bytes mean to it what they meant to whoever judged them.

const UTF8 = /\.utf-?8(@|$)|^utf-?8$/i;

/** LC_CTYPE becomes `utf8()` where the locale in force is of another set; LC_ALL goes on as LANG, which it would outrank. */
export async function inUtf8(
	environment: Readonly<Record<string, string>>,
	utf8: () => Promise<string>,
): Promise<Readonly<Record<string, string>>> {
	const { LC_ALL = "", LC_CTYPE = "", LANG = "" } = environment;
	if (UTF8.test(LC_ALL || LC_CTYPE || LANG)) return environment;
	const { LC_ALL: _, ...others } = environment;
	return { ...others, ...(LC_ALL !== "" && { LANG: LC_ALL }), LC_CTYPE: await utf8() };
}

/** From what `locale -a` says; `C` where there is none. */
export function utf8Locale(installed: string): string {
	const names = installed.split("\n").filter((name) => UTF8.test(name));
	const fitting = (pattern: RegExp): string | undefined => names.find((name) => pattern.test(name));
	return fitting(/^C\./) ?? fitting(/^en_US\./) ?? fitting(/^en_/) ?? names[0] ?? "C";
}

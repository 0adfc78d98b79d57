// Which files `grep -r` surely leaves out, by its `--include`, `--exclude` and `--exclude-dir`.
import type { ProgramFlavor } from "../../../core/ports/workspace.ts";

type Value = { flag: string; value: string };
type Matches = (name: string) => boolean;

/**
 * Undefined where nothing is surely left out. Only what grep skips for certain counts: patterns of letters and `*`, and of
 * files either `--include` or `--exclude` alone, for programs differ in which of them wins.
 */
export function grepExcludes(values: readonly Value[], flavor: ProgramFlavor): ((name: string, folder: boolean) => boolean) | undefined {
	const of = (flag: string) => values.filter((value) => value.flag === flag).map(({ value }) => value);
	const [include, exclude, folders] = [of("--include"), of("--exclude"), of("--exclude-dir")];
	if (flavor === "busybox" || values.some(({ flag }) => flag === "--include-dir")) return undefined;
	const included = include.map((pattern) => includes(pattern, flavor));
	const known = included.filter((matches) => matches !== undefined);
	const onlyIncluded = include.length > 0 && exclude.length === 0 && known.length === include.length;
	const left = include.length === 0 ? exclude.flatMap((pattern) => simple(pattern) ?? []) : [];
	const closed = folders.flatMap((pattern) => simple(pattern.replace(/\/+$/, "")) ?? []);
	if (!onlyIncluded && left.length === 0 && closed.length === 0) return undefined;
	return (name, folder) => {
		if (folder) return closed.some((matches) => matches(name));
		return (onlyIncluded && !known.some((matches) => matches(name))) || left.some((matches) => matches(name));
	};
}

/** BSD also holds the pattern against the whole path: there only one that begins with `*`, or has none, says the same of both. */
function includes(pattern: string, flavor: ProgramFlavor): Matches | undefined {
	return flavor === "bsd" && pattern.lastIndexOf("*") > 0 ? undefined : simple(pattern);
}

/** Letters and `*` alone: what the shell's other signs match depends on the program and the locale. */
function simple(pattern: string): Matches | undefined {
	if (!/^[\w.*+ -]+$/.test(pattern)) return undefined;
	const parts = pattern.split("*");
	const [first = ""] = parts;
	const last = parts.at(-1) as string;
	if (parts.length === 1) return (name) => name === pattern;
	return (name) => {
		if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
		let at = first.length;
		for (const part of parts.slice(1, -1)) {
			const found = name.indexOf(part, at);
			if (found < 0) return false;
			at = found + part.length;
		}
		return at <= name.length - last.length;
	};
}

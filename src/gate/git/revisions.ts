// Tells what a word of git's means: a revision, an object with a path, or a path; what could be several things is none.

export type RevisionArgument =
	/** `peeled` is the same revision, so that git fails where it is no commit. */
	| { kind: "revision"; peeled: string; commits: number }
	/** `HEAD:path`; `peeled` is absent for what is in the index. */
	| { kind: "object"; peeled?: string; path: string }
	/** `also` is what the word would name in the index, if it is no pattern. */
	| { kind: "path"; also?: string };

const name = /^(?:@(?!\{)|[^\s~^:?*[\\@{}.-](?:(?!\.\.|@\{)[^\s~^:?*[\\{}])*)/;
const suffix = /^(?:@\{[^}]*\}|~\d*|\^\d+|\^\{(?:commit|tree|tag|object)?\}|\^(?![!@\-{]))/;

/** One revision without a range: `main`, `HEAD~2`, `@{u}`, `v1^{commit}`. */
function peel(word: string): string | undefined {
	let rest = word.replace(name, "");
	if (rest === word && !rest.startsWith("@{")) return undefined;
	for (let match = suffix.exec(rest); match; match = suffix.exec(rest)) rest = rest.slice(match[0].length);
	if (!/^(?:\^[!@]|\^-\d*)?$/.test(rest)) return undefined;
	return `${word.slice(0, word.length - rest.length)}^{commit}${rest}`;
}

function revision(word: string): RevisionArgument | undefined {
	const range = /^(.*?)(\.\.\.?)(.*)$/.exec(word);
	if (range) {
		const [, from = "", dots = "", to = ""] = range;
		const [one, other] = [peel(from || "HEAD"), peel(to || "HEAD")];
		if (from === "" && to === "") return undefined;
		return one === undefined || other === undefined ? undefined : { kind: "revision", peeled: `${one}${dots}${other}`, commits: 2 };
	}
	const excluded = word.startsWith("^") ? "^" : "";
	const peeled = peel(word.slice(excluded.length));
	return peeled === undefined
		? undefined
		: { kind: "revision", peeled: `${excluded}${peeled}`, commits: /\^[!@]$|\^-\d*$/.test(word) ? 2 : 1 };
}

/** Of a word before `--`; `exists` tells whether there is a file of that name, which git then takes it for. */
export function parseRevisionArgument(word: string, exists: boolean): RevisionArgument | undefined {
	if (exists) return { kind: "path" };
	if (word.startsWith(":")) return fromIndex(word);
	const colon = word.indexOf(":");
	if (colon > 0) {
		const peeled = peel(word.slice(0, colon));
		return peeled === undefined ? undefined : { kind: "object", peeled, path: word.slice(colon + 1) };
	}
	return revision(word) ?? (/[*?[]/.test(word) ? { kind: "path" } : undefined);
}

/** `:name` and `:2:name` are objects, `:!name` and `:(top)name` are patterns unless there is an object of that name, `:/text` is a commit. */
function fromIndex(word: string): RevisionArgument | undefined {
	const [, path] = /^:(?:[0-3]:)?([^(!^/:].*)$/s.exec(word) ?? [];
	if (path !== undefined) return { kind: "object", path };
	return /^:[(!^]/.test(word) ? { kind: "path", also: word.slice(1) } : undefined;
}

// Finds remote schemas in JSON, YAML, and TOML that an editor would fetch on opening, in linear time.

/** Returns schema URLs that are not on this disk. */
export function findRemoteSchemas(name: string, text: string): Set<string> {
	// Every supported spelling contains one of these.
	if (!/schema|\$ref|\\u/i.test(text)) return new Set();
	const named = /\.(ya?ml|toml)$/i.test(name) ? lineSchemas(text) : isJson(name, text) ? jsonSchemas(text) : [];
	return new Set(named.filter(isRemote));
}

/** Checks the content, too, because settings decide which files an editor treats as JSON. */
function isJson(name: string, text: string): boolean {
	if (/\.(json\w*|code-\w+|webmanifest|har|jsonld)$/i.test(name)) return true;
	const first = text.charAt(skipBlanks(text, 0));
	return first === "{" || first === "[";
}

/** Strings after `"$schema":` or `"$ref":`. A string ends at the end of its line, as in the editor. */
function jsonSchemas(text: string): string[] {
	const found: string[] = [];
	let before: string | undefined;
	let key: string | undefined;
	for (let at = skipBlanks(text, 0); at < text.length; at = skipBlanks(text, at)) {
		const character = text[at];
		if (character !== '"') {
			key = character === ":" ? before : undefined;
			before = undefined;
			at++;
			continue;
		}
		const end = endOfString(text, at + 1);
		const value = decoded(text.slice(at + 1, end));
		if (key === "$schema" || key === "$ref") found.push(value);
		[before, key] = [value, undefined];
		at = end + 1;
	}
	return found;
}

/** Skips whitespace and comments. */
function skipBlanks(text: string, from: number): number {
	let at = from;
	while (at < text.length) {
		if (/[\s\uFEFF]/.test(text[at] as string)) at++;
		else if (text.startsWith("//", at)) at = indexAfter(text, "\n", at);
		else if (text.startsWith("/*", at)) at = indexAfter(text, "*/", at + 2);
		else return at;
	}
	return at;
}

function indexAfter(text: string, delimiter: string, from: number): number {
	const at = text.indexOf(delimiter, from);
	return at < 0 ? text.length : at + delimiter.length;
}

function endOfString(text: string, from: number): number {
	for (let at = from; at < text.length; at++) {
		const character = text[at];
		if (character === "\\") at++;
		else if (character === '"' || character === "\n" || character === "\r") return at;
	}
	return text.length;
}

function decoded(inside: string): string {
	if (!inside.includes("\\")) return inside;
	return inside.replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (_, code: string | undefined, other: string | undefined) =>
		code === undefined ? (other ?? "") : String.fromCharCode(Number.parseInt(code, 16)),
	);
}

/** `# yaml-language-server: $schema=…`, `$schema: …`, `#:schema …`. */
function lineSchemas(text: string): string[] {
	return [...text.matchAll(/(?:\$schema["']?[ \t]{0,50}[=:]|#:schema[ \t])[ \t]{0,50}["']?([^\s"']{1,2000})/g)].map(
		(match) => match[1] as string,
	);
}

function isRemote(address: string): boolean {
	const plain = address.trim();
	if (/^[\\/]{2}/.test(plain)) return true;
	const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(plain)?.[1]?.toLowerCase();
	if (scheme === "file") return !/^file:(\/\/)?\/(?![\\/])/i.test(plain);
	return scheme !== undefined && scheme !== "vscode";
}

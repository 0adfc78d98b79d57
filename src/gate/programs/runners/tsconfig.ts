// Follows what a TypeScript configuration takes from others: `extends` and `references`.

/** Undefined where it cannot be read. Packages are code that runs, not its definition: only paths are followed. */
export function extractTsconfig(text: string): { defines: string; also: string[] } | undefined {
	const found = parsed(text);
	if (typeof found !== "object" || found === null) return undefined;
	const { extends: bases, references } = found as { extends?: unknown; references?: unknown };
	const projects = Array.isArray(references) ? references.map((one: { path?: unknown } | null) => one?.path) : [];
	const based = list(bases).filter((path) => /^\.{0,2}[/\\]|^\.{1,2}$/.test(path));
	const also = [
		...based.flatMap((path) => (path.endsWith(".json") ? [path] : [path, `${path}.json`])),
		...list(projects).flatMap((path) => (path.endsWith(".json") ? [path] : [`${path}/tsconfig.json`])),
	];
	return { defines: text, also };
}

function list(value: unknown): string[] {
	return (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === "string");
}

/** JSON with comments and commas at the end of lists. */
function parsed(text: string): unknown {
	const plain = text
		.replace(/^\uFEFF/, "")
		.replace(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, quoted?: string) => quoted ?? " ")
		.replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g, (_, quoted?: string) => quoted ?? "");
	try {
		return JSON.parse(plain);
	} catch {
		return undefined;
	}
}

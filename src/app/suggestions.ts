// Three things to try, made from what is in this workspace.
import type { Workspace } from "../core/workspace.ts";

/** A function that other code can call. */
const DECLARED = "^export (async )?function [A-Za-z_][A-Za-z0-9_]*";
const LIMIT_MS = 1_000;

export async function suggestionsFor(workspace: Workspace): Promise<string[]> {
	if (workspace.folders().length === 0) return ["Explain what you can do here"];
	const signal = AbortSignal.timeout(LIMIT_MS);
	try {
		const { matches } = await workspace.search({ pattern: DECLARED, glob: "*.{ts,tsx,js,jsx,mjs}", limit: 20 }, signal);
		const found = matches.find((match) => !/\.test\.|\/test\//.test(match.path)) ?? matches[0];
		const name = found && /function ([A-Za-z0-9_]+)/.exec(found.text)?.[1];
		if (!found || !name) return [...GENERAL];
		const file = found.path.split(/[\\/]/).at(-1);
		return [`Explain ${file}`, `Find where ${name} is used`, `Rename ${name} to ${name}2 everywhere`];
	} catch {
		return [...GENERAL];
	}
}

const GENERAL = ["List the files here", "Find TODO", "Run the tests"] as const;

// Caches of compilers that commands in the sandbox have to themselves: what they put there never runs outside.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

/** Variables that are not set otherwise, each with a folder below `folder`, which is made. */
export function createCacheVariables(folder: string, env: Readonly<Record<string, string>>): Record<string, string> {
	const missing = CACHES.filter(([variable]) => env[variable] === undefined);
	for (const [, name] of missing) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
	return Object.fromEntries(missing.map(([variable, name]) => [variable, join(folder, name)]));
}

/** Without these folders such programs do nothing at all, or everything anew. */
const CACHES = [
	["GOCACHE", "go-build"],
	["GOLANGCI_LINT_CACHE", "golangci-lint"],
	["CCACHE_DIR", "ccache"],
	["ZIG_GLOBAL_CACHE_DIR", "zig"],
] as const;

// Lays what the jail needs where it can be seen from inside: the program of the suites, and the parser.
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { build } from "esbuild";
import { ensureJail, inJail, nodeInside } from "../../../scripts/jail.mjs";

/** As seen from inside. */
const BUNDLE = "/run/suite";
/** Where fixtures are laid inside: short, and nobody's home. */
export const ROOT = "/mnt/arena";

const BROUGHT = {
	"parser/web-tree-sitter.wasm": "node_modules/web-tree-sitter/web-tree-sitter.wasm",
	"parser/tree-sitter-bash.wasm": "node_modules/tree-sitter-bash/tree-sitter-bash.wasm",
	rg: rgPath,
};

export interface JobRunner {
	/** Does one job in a jail of its own. `time` in milliseconds. */
	do<Answer>(kind: string, job: object, time?: number): Promise<Answer>;
	parser: string;
	ripgrep: string;
	dispose(): void;
}

export async function createJobRunner(program: string): Promise<JobRunner> {
	await ensureJail();
	const folder = mkdtempSync(join(tmpdir(), "troupe-jail-"));
	chmodSync(folder, 0o755);
	await build({
		entryPoints: [program],
		outdir: folder,
		outExtension: { ".js": ".mjs" },
		bundle: true,
		splitting: true,
		platform: "node",
		format: "esm",
		target: "node20",
		// A source map would be read by each of hundreds of jails; names of functions say enough.
		sourcemap: false,
		logLevel: "error",
		// Some packages are CommonJS and ask for parts of Node.
		banner: { js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);' },
		alias: { "@vscode/l10n": "@vscode/l10n/dist/browser.js" },
	});
	mkdirSync(join(folder, "parser"));
	for (const [name, path] of Object.entries(BROUGHT)) copyFileSync(path, join(folder, name));
	chmodSync(join(folder, "rg"), 0o755);
	const node = nodeInside();
	return {
		parser: `${BUNDLE}/parser`,
		ripgrep: `${BUNDLE}/rg`,
		async do<Answer>(kind: string, job: object, time = 60_000) {
			const words = [node.path, `${BUNDLE}/inside.mjs`];
			const printed = await inJail(words, { binds: [...node.binds, [folder, BUNDLE]], input: JSON.stringify({ kind, job }), time });
			return JSON.parse(printed) as Answer;
		},
		dispose: () => rmSync(folder, { recursive: true, force: true }),
	};
}

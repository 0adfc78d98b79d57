// MCP servers that fail in every way we know, beside one that works: `npm run faults:mcp`. Prints a table; exits with 1 when a
// call does not end as it should, the other server notices, or too much is kept in memory.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

await build({
	entryPoints: ["test/faults/mcp/print.ts"],
	outdir: "out/faults/mcp",
	outExtension: { ".js": ".mjs" },
	bundle: true,
	splitting: true,
	packages: "external",
	format: "esm",
	platform: "node",
	target: "node20",
	sourcemap: "inline",
	logLevel: "warning",
});
await import(pathToFileURL(resolve("out/faults/mcp/print.mjs")).href);

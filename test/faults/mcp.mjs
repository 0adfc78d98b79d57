// MCP servers that fail in every way we know, beside one that works: `npm run faults:mcp`. Prints a table; exits with 1 when a
// call does not end as it should, the other server notices, or too much is kept in memory.
import { runBundled } from "../bundle.mjs";

await runBundled("test/faults/mcp/print.ts", "faults/mcp");

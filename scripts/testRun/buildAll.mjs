// Bundles the extension, and all tests that run under Node, for the other parts of `npm test`.
import { join } from "node:path";
import { root } from "../install.mjs";
import { run } from "../processes.mjs";
import { buildEverything } from "./build.mjs";

await run(process.execPath, [join(root, "esbuild.mjs")], { cwd: root, show: true });
await buildEverything();

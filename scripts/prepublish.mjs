// Runs before the extension is packed or published: builds dist/, unless scripts/package.mjs was asked to take it as it is.
import { root } from "./install.mjs";
import { run } from "./processes.mjs";

if (process.env["TROUPE_PREBUILT"] === undefined) await run(process.execPath, ["esbuild.mjs"], { cwd: root });

// Builds dist/ before packaging or publishing, unless scripts/package.mjs uses it as it is.
import { root } from "./install.mjs";
import { run } from "./processes.mjs";

if (process.env["TROUPE_PREBUILT"] === undefined) await run(process.execPath, ["esbuild.mjs"], { cwd: root });

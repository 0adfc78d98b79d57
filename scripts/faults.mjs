// Runs a suite of test/faults with a number of kills: `node scripts/faults.mjs messages 500`.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "./install.mjs";

const [suite, ...words] = process.argv.slice(2);
const count = words.filter((word) => /^\d+$/.test(word)).map((kills) => `--env=KILLS=${kills}`);
const rest = words.filter((word) => !/^\d+$/.test(word));
const child = spawn(process.execPath, [join(root, "scripts", "unit.mjs"), "--under=test/faults", suite, ...count, ...rest], {
	stdio: "inherit",
});
child.on("close", (code) => {
	process.exitCode = code ?? 1;
});

// Runs a suite of test/faults with a number of kills: `node scripts/faults.mjs messages 500`.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "./install.mjs";

const [suite, kills, ...rest] = process.argv.slice(2);
const count = kills === undefined ? [] : [`--env=KILLS=${kills}`];
const child = spawn(process.execPath, [join(root, "scripts", "unit.mjs"), "--under=test/faults", suite, ...count, ...rest], {
	stdio: "inherit",
});
child.on("close", (code) => {
	process.exitCode = code ?? 1;
});

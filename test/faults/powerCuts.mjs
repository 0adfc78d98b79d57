// Cuts the power of a simulated disk 300 times, or as often as the first word says, and looks for what was acknowledged.
import { spawn } from "node:child_process";

const POWER_CUTS = process.argv[2] ?? "300";
const child = spawn(process.execPath, ["scripts/unit.mjs", "storage/powerLoss", "--timeout=900000"], {
	stdio: "inherit",
	env: { ...process.env, POWER_CUTS },
});
child.once("exit", (code) => {
	process.exitCode = code ?? 1;
});

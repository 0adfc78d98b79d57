// Tells whether there is a bash to run commands in: its language is the only one that the gate reads.
import type { GateContext } from "../../core/ports/gate.ts";

/** Asked once, and again as long as there is none. */
export function createBashCheck({ host, disk }: GateContext): () => Promise<boolean> {
	let found = false;
	return async () => {
		if (!found) found = host ? (await host.find("bash")) !== undefined : await onPath(disk);
		return found;
	};
}

async function onPath(disk: GateContext["disk"]): Promise<boolean> {
	if (process.platform === "win32") return false;
	for (const folder of (process.env["PATH"] ?? "").split(":")) {
		if (folder !== "" && (await disk.lstat(`${folder}/bash`).catch(() => undefined))) return true;
	}
	return false;
}

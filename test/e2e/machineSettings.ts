// Writes and removes machine settings of VS Code's server.

// In a window on a server, settings of machine scope are read from there alone.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Written before a window opens, as the Remote tab of VS Code's settings does. */
export async function writeMachineSettings(settings: Record<string, unknown>): Promise<void> {
	await mkdir(dirname(file()), { recursive: true });
	await writeFile(file(), JSON.stringify(settings, undefined, "\t"));
}

export async function removeMachineSettings(): Promise<void> {
	await rm(file(), { force: true });
}

function file(): string {
	const person = process.env["E2E_SETTINGS"];
	if (person === undefined) throw new Error("E2E_SETTINGS is not set: run these tests with `npm run e2e`");
	return join(dirname(dirname(person)), "Machine", "settings.json");
}

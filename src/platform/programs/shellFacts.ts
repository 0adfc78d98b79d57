// What this machine tells where its bash may be: variables, files, and the registry of Windows.
import { stat } from "node:fs/promises";
import { captureOutput, windowsSystemProgram } from "./ask.ts";
import type { ShellEnvironment } from "./shell.ts";

export const systemShellEnvironment: Pick<ShellEnvironment, "platform" | "getVariable" | "isFile" | "readRegistry"> = {
	platform: process.platform,
	getVariable: (name) => process.env[name],
	isFile: async (path) => (await stat(path).catch(() => undefined))?.isFile() ?? false,
	async readRegistry(key, value) {
		const said = await captureOutput(
			{ file: windowsSystemProgram("reg.exe"), args: ["query", key, "/v", value], cwd: windowsSystemProgram(""), env: {} },
			{ time: 5_000 },
		);
		return said?.code === 0 ? parseRegistryValue(Buffer.from(said.output).toString(), value) : undefined;
	},
};

/** `reg query` prints the key, then "    InstallPath    REG_SZ    C:\\Program Files\\Git". */
export function parseRegistryValue(printed: string, value: string): string | undefined {
	for (const line of printed.split(/\r?\n/)) {
		const [, name, text] = /^\s{4}(.+?)\s{4}REG_(?:EXPAND_)?SZ\s{4}(.*)$/.exec(line) ?? [];
		if (name?.toLowerCase() === value.toLowerCase() && text) return text;
	}
	return undefined;
}

// What this machine tells where its bash may be: variables, files, and the registry of Windows.
import { stat } from "node:fs/promises";
import { ask, windowsProgram } from "./ask.ts";
import type { ShellFacts } from "./shell.ts";

export const machineFacts: Pick<ShellFacts, "platform" | "variable" | "isFile" | "registry"> = {
	platform: process.platform,
	variable: (name) => process.env[name],
	isFile: async (path) => (await stat(path).catch(() => undefined))?.isFile() ?? false,
	async registry(key, value) {
		const said = await ask(
			{ file: windowsProgram("reg.exe"), args: ["query", key, "/v", value], cwd: windowsProgram(""), env: {} },
			{ time: 5_000 },
		);
		return said?.code === 0 ? registryValue(Buffer.from(said.output).toString(), value) : undefined;
	},
};

/** `reg query` prints the key, then "    InstallPath    REG_SZ    C:\\Program Files\\Git". */
export function registryValue(printed: string, value: string): string | undefined {
	for (const line of printed.split(/\r?\n/)) {
		const [, name, text] = /^\s{4}(.+?)\s{4}REG_(?:EXPAND_)?SZ\s{4}(.*)$/.exec(line) ?? [];
		if (name?.toLowerCase() === value.toLowerCase() && text) return text;
	}
	return undefined;
}

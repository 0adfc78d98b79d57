// A program of the settings that depends on the workspace, as what it is in this one: that is what is shown and approved.
import { isAbsolute, join } from "node:path";
import type { McpServerConfig, McpStdioConfig } from "../core/ports/mcp.ts";

const WORKSPACE = `\${workspaceFolder}`;

/** `folder`: the workspace's, absolute. Entries of the catalogue are taken by the word: we know that they are only told where it is. */
export function resolveConfig(config: McpServerConfig, folder: string): McpServerConfig {
	if ("url" in config || config.source === "catalogue") return config;
	const { cwd, args = [] } = config;
	const resolved = cwd === undefined || isAbsolute(cwd) ? {} : { cwd: join(folder, cwd) };
	if (!("cwd" in resolved) && !args.some((word) => word.includes(WORKSPACE))) return config;
	return { ...config, ...resolved, workspace: folder };
}

/** Its arguments with the folder in them. */
export function resolveArguments({ args = [] }: McpStdioConfig, folder: string): string[] {
	return args.map((word) => word.replaceAll(WORKSPACE, () => folder));
}

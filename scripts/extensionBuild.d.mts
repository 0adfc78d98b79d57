import type { BuildOptions, BuildResult } from "esbuild";

export const extensionBuild: BuildOptions & { metafile: true; write: false };

/** Code of each file by name. */
export function asFiles(result: BuildResult<{ metafile: true; write: false }>, entry: string): Promise<Map<string, string>>;
